"""The vectors of an earlier embedder serve until those of another are whole; then they and their table go."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from shisho.domain.corpus import Scope
from shisho.domain.embedding import EmbedderAbout, NewEmbedding
from shisho.errors import InvalidParams
from shisho.stores.postgres import rows
from shisho.stores.postgres.embeddings import PostgresEmbeddings
from shisho.stores.postgres.lexical import PostgresIndex
from shisho.stores.postgres.pool import Connection
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


@pytest.mark.parametrize("seen_from", [0, 50])
async def test_the_graph_is_left_only_where_what_is_nearest_was_seen(
    store: PostgresStore, seen_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = intake("\n\n".join(f"第{number}段。" for number in range(300)))
    await fill(store, given, step=0.2)
    index = PostgresIndex(store.database, PostgresServing(store.database, ABOUT, graph_from=1))
    await index.catch_up()
    names = [passage.id for passage in given.passages]
    seen = frozenset(names[seen_from : seen_from + 250])
    statements = []
    fetch_all = rows.fetch_all

    def recording(connection: Connection, statement: str, values: Any = None) -> list[rows.Row]:
        statements.append(statement)
        return fetch_all(connection, statement, values)

    monkeypatch.setattr(rows, "fetch_all", recording)
    found = await index.view(lambda view: view.find_nearest(at_angle(0), Scope(), 10, seen))
    assert list(found) == [name for name in names if name not in seen][:10]
    is_exact = any("ORDER BY cosine" in statement for statement in statements)
    assert is_exact == (seen_from == 0)


async def test_vectors_of_another_length_under_one_name_are_refused(store: PostgresStore) -> None:
    await fill(store, intake("一。"))
    await store.shelf.put(other := intake("二。", source="b"))
    with pytest.raises(InvalidParams, match="another name"):
        await store.embeddings.put(
            [NewEmbedding(other.passages[0].id, b"other", type(at_angle(1))(b"\0" * 16))]
        )
