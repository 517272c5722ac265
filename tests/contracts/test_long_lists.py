"""A caller's list may be of any length: in one statement SQLite takes 32,766 bound values, PostgreSQL
65,535."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.domain.corpus import DocumentId, Passage, PassageId, RoundRecord, Scope, ShownRecord
from shisho.domain.job import Claim, JobId, TaskState
from tests.contracts.conftest import Store
from tests.making import intake
from tests.queues import ANA, OWNER, Queue, new, opened

MANY = 70_000
WORDS = tuple(f"語{number}" for number in range(MANY))
DOCUMENTS = tuple(DocumentId(f"doc_{number:020x}") for number in range(MANY))
PASSAGES = tuple(PassageId(f"{number:015x}") for number in range(MANY))


@pytest.fixture
async def queue(tmp_path: Path) -> AsyncIterator[Queue]:
    async with opened("embedded", tmp_path) as made:
        yield made


async def shelved(store: Store) -> Passage:
    given = intake("決定係数は1に近い。", metadata={"課": "統計学"})
    await store.shelf.put(given)
    return given.passages[0]


async def test_documents_and_passages_by_many_ids(store: Store) -> None:
    passage = await shelved(store)
    assert list(await store.shelf.fetch_documents([*DOCUMENTS, passage.document_id])) == [passage.document_id]
    assert list(await store.shelf.fetch_passages([*PASSAGES, passage.id])) == [passage.id]


async def test_near_duplicates_by_many_bands(store: Store) -> None:
    passage = await shelved(store)
    bands = [*range(-MANY, 0), -(2**63), 2**63 - 1, *passage.bands]
    assert [near.id for near in await store.shelf.find_near_duplicates("local", bands)] == [passage.id]


@pytest.mark.parametrize(
    "scope",
    [
        Scope(
            corpora=(*WORDS, "default"),
            filters={"課": (*WORDS, "統計学"), "title": (*WORDS, "a.txt")},
            without=DOCUMENTS,
            rejected=PASSAGES,
        ),
        Scope(corpora=(*WORDS, "default"), filters={"page": "1"}),
    ],
    ids=["each", "corpora and page"],
)
async def test_a_scope_of_many_things(store: Store, scope: Scope) -> None:
    passage = await shelved(store)
    assert await store.shelf.count(scope) == 1
    assert [document.id for document in await store.shelf.list_documents(scope)] == [passage.document_id]
    terms = passage.terms.split()
    bigrams = passage.bigrams.split()
    found = await store.index.view(lambda view: view.propose(terms, bigrams, scope, 5, frozenset()))
    assert list(found) == [passage.id]


async def test_the_index_is_asked_many_terms_past_many_passages(store: Store) -> None:
    passage = await shelved(store)
    terms = [*WORDS[:2_000], *passage.terms.split()]
    proposed = await store.index.view(lambda view: view.propose(terms, (), Scope(), 5, frozenset(PASSAGES)))
    assert list(proposed) == [passage.id]
    frequencies = await store.index.view(
        lambda view: view.read_frequencies("terms", [*WORDS, *passage.terms.split()], Scope())
    )
    assert sum(frequencies.values()) == len(set(passage.terms.split()))


async def test_much_that_is_put_comes_back(store: Store) -> None:
    given = intake("本文。", metadata=dict.fromkeys(WORDS[:40000], "値"))
    (passage,) = given.passages
    given = replace(given, passages=(replace(passage, bands=tuple(range(40_000))),))
    await store.shelf.put(given)
    assert len((await store.shelf.find_document(given.document.id)).metadata) == 40_000
    assert [near.id for near in await store.shelf.find_near_duplicates("local", [39_999])] == [passage.id]


async def test_a_round_that_showed_many_passages(store: Store) -> None:
    shown = tuple(ShownRecord(number, name, DOCUMENTS[0], 0.5) for number, name in enumerate(PASSAGES, 1))
    record = RoundRecord(1, MANY, MANY, False, shown)
    await store.sessions.add("s1", record)
    assert await store.sessions.list_rounds("s1") == [record] or await store.sessions.list_rounds("s1") == (
        record,
    )


@pytest.mark.slow
async def test_a_queue_takes_many_kinds_claims_and_states(queue: Queue) -> None:
    await queue.add(new(id="a"))
    assert await queue.jobs.claim(ANA, WORDS) is None
    job = await queue.jobs.claim(ANA, [*WORDS, "toy"])
    assert job is not None
    claims = [*(Claim(JobId(word), 1, ANA) for word in WORDS), job.claim]
    assert await queue.jobs.renew(claims) == await queue.jobs.check_claims(claims) == {job.claim: False}
    states = [TaskState.RUNNING] * MANY
    assert [task.id for task in await queue.tasks.list_tasks(OWNER, states)] == ["t1"]
