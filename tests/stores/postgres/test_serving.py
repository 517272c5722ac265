"""The vectors of an earlier embedder serve until those of another are whole; then they and their table go."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from shisho.domain.embedding import EmbedderAbout, NewEmbedding
from shisho.errors import InvalidParams
from shisho.stores.postgres.embeddings import PostgresEmbeddings
from shisho.stores.postgres.lexical import PostgresIndex
from shisho.stores.postgres.serving import PostgresServing
from tests.contracts.conftest import ABOUT, PostgresStore, postgres_store
from tests.contracts.test_embeddings import at_angle, fill
from tests.making import intake
from tests.postgres import has_vectors, shared_server

LATER = EmbedderAbout("compass 2", "later")


@pytest.fixture
async def store() -> AsyncIterator[PostgresStore]:
    if not has_vectors():
        pytest.skip("a server without the extension vector")
    with shared_server().fresh() as url:
        async with postgres_store(url) as made:
            yield made


async def tables(store: PostgresStore) -> list[str]:
    statement = b"SELECT tablename FROM pg_tables WHERE tablename LIKE 'vectors%' ORDER BY tablename"
    found = await store.database.read(lambda connection: connection.execute(statement).fetchall())
    return [row.tablename for row in found]


async def test_an_earlier_embedder_serves_until_the_later_one_is_through(store: PostgresStore) -> None:
    before = await tables(store)
    await fill(store, given := intake("一。\n\n二。"))
    assert await store.embeddings.list_pending(9) == []
    later = PostgresEmbeddings(store.database, LATER)
    index = PostgresIndex(
        store.database, PostgresServing(store.database, LATER, lambda about: about == ABOUT)
    )

    async def serving() -> EmbedderAbout | None:
        return await index.view(lambda view: view.serving)

    assert await serving() == ABOUT
    first, second = (passage.id for passage in given.passages)
    await later.put([NewEmbedding(first, b"first", at_angle(20))])
    assert await later.list_pending(9) != []
    await later.retire_others()
    assert await serving() == ABOUT
    await later.put([NewEmbedding(second, b"second", at_angle(30))])
    assert await later.list_pending(9) == []
    assert await serving() == LATER
    assert len(set(await tables(store)) - set(before)) in (1, 2)
    await later.retire_others()
    assert await serving() == LATER
    assert await store.index.view(lambda view: view.serving) is None
    assert len(set(await tables(store)) - set(before)) == 1


async def test_vectors_of_another_length_under_one_name_are_refused(store: PostgresStore) -> None:
    await fill(store, intake("一。"))
    await store.shelf.put(other := intake("二。", source="b"))
    with pytest.raises(InvalidParams, match="another name"):
        await store.embeddings.put(
            [NewEmbedding(other.passages[0].id, b"other", type(at_angle(1))(b"\0" * 16))]
        )
