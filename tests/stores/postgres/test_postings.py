"""Postings: in few rows whatever the number of documents, whole beside others who store, and gone after a
purge."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from itertools import groupby

import pytest

from shisho.domain.corpus import Scope
from shisho.ports import SearchView
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.postings import FAN_IN, term_key
from tests.contracts.conftest import PostgresStore, postgres_store
from tests.making import intake
from tests.postgres import shared_server

MANY = 3 * FAN_IN


@pytest.fixture
async def url() -> AsyncIterator[str]:
    with shared_server().fresh() as made:
        yield made


@pytest.fixture
async def store(url: str) -> AsyncIterator[PostgresStore]:
    async with postgres_store(url) as made:
        yield made


async def frequency(store: PostgresStore, term: str) -> int:
    frequencies = await store.index.view(lambda view: view.read_frequencies("terms", [term], Scope()))
    return frequencies[term]


async def proposed(store: PostgresStore, *terms: str) -> list[str]:
    def work(view: SearchView) -> list[str]:
        return list(view.propose(terms, (), Scope(), MANY, frozenset()))

    return await store.index.view(work)


async def rows_of(store: PostgresStore, term: str) -> list[tuple[int, list[int]]]:
    """Of each row of a word what it counts, and the numbers of its passages."""

    def work(connection: Connection) -> list[tuple[int, list[int]]]:
        found = connection.execute(
            "SELECT passages, entries FROM postings WHERE term = %s", (term_key("terms", term),)
        )
        return [(row.passages, numbers_in(row.entries)) for row in found]

    return await store.database.read(work)


def numbers_in(entries: bytes) -> list[int]:
    return [entry >> 24 for entry in struct.unpack(f"<{len(entries) // 8}Q", entries)]


async def test_a_word_stands_in_few_rows_however_many_documents_have_it(store: PostgresStore) -> None:
    documents = [intake(f"統計の第{number}回。", source=str(number)) for number in range(MANY)]
    for document in documents:
        await store.shelf.put(document)
    rows = await rows_of(store, "統計")
    assert len(rows) < FAN_IN
    assert sum(count for count, _ in rows) == await frequency(store, "統計") == MANY
    assert set(await proposed(store, "統計")) == {document.passages[0].id for document in documents}


async def test_a_removal_counts_at_once_and_is_undone_as_a_whole(store: PostgresStore) -> None:
    await store.shelf.put(given := intake("統計の講義。\n\n統計の演習。"))
    await store.shelf.put(intake("統計の試験。", source="b"))
    await store.shelf.remove(given.document.id, purge=False)
    assert (await frequency(store, "統計"), len(await proposed(store, "統計"))) == (1, 1)
    await store.shelf.restore(given.document.id)
    assert (await frequency(store, "統計"), len(await proposed(store, "統計"))) == (3, 3)


async def test_a_purge_leaves_no_entry_even_where_segments_were_merged(store: PostgresStore) -> None:
    for number in range(FAN_IN):
        await store.shelf.put(intake(f"統計の第{number}回。", source=str(number)))
    purged = intake("統計の第3回。", source="3").document.id
    before = {number for _, numbers in await rows_of(store, "統計") for number in numbers}
    await store.shelf.remove(purged, purge=True)
    after = [number for _, numbers in await rows_of(store, "統計") for number in numbers]
    assert len(after) == len(set(after)) == FAN_IN - 1 and set(after) < before
    assert await frequency(store, "統計") == FAN_IN - 1


async def test_parts_of_a_document_that_did_not_arrive_leave_nothing(store: PostgresStore) -> None:
    given = intake("統計の講義。")
    token = await store.shelf.begin(given.document)
    await store.shelf.extend(token, given)
    assert (await frequency(store, "統計"), await proposed(store, "統計")) == (0, [])
    await store.shelf.abandon(token, given.document.id)
    assert await rows_of(store, "統計") == []


async def test_many_who_store_at_once_lose_and_double_nothing(store: PostgresStore, url: str) -> None:
    async with postgres_store(url) as other:
        documents = [intake(f"統計の第{number}回。", source=str(number % 20)) for number in range(MANY)]
        shelves = (store.shelf, other.shelf)
        await asyncio.gather(*(shelves[at % 2].put(document) for at, document in enumerate(documents)))
    assert await store.shelf.count(Scope()) == await frequency(store, "統計") == 20
    live = {document.id for document in await store.shelf.list_documents(Scope())}
    assert len(await proposed(store, "統計")) == len(live) == 20
    changes = await store.database.read(
        lambda connection: connection.execute("SELECT seq, document_id FROM changes ORDER BY seq").fetchall()
    )
    # each arrival, and each departure of one whose place was taken
    counts = [len(list(group)) for _, group in groupby(sorted(row.document_id for row in changes))]
    assert sorted(counts) == [1] * 20 + [2] * (MANY - 20)


async def test_places_longer_than_an_index_takes_are_told_apart(store: PostgresStore) -> None:
    address = "https://example.org/" + "".join(f"{number}/" for number in range(2_000))
    first, second = (
        intake(f"第{at}。", source=f"{address}{at}", metadata={"要旨": address}) for at in (1, 2)
    )
    for document in (first, second):
        await store.shelf.put(document)
    assert await store.shelf.list_places("default", "local") == {
        first.document.source: first.document.id,
        second.document.source: second.document.id,
    }
    assert await store.shelf.count(Scope(filters={"要旨": address})) == 2
    assert await store.shelf.detach_source("default", "local", second.document.source) == second.document.id
