"""The vectors of an earlier embedder serve until those of another are whole; then they and their table go."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import EmbedderAbout, NewEmbedding
from shisho.errors import InvalidParams
from shisho.stores.nouns import Row
from shisho.stores.postgres import rows, serving
from shisho.stores.postgres.embeddings import PostgresEmbeddings
from shisho.stores.postgres.lexical import PostgresIndex, PostgresView
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.postgres.serving import PostgresServing
from tests.contracts.conftest import ABOUT, PostgresStore, postgres_store
from tests.contracts.test_embeddings import at_angle, fill
from tests.making import intake
from tests.postgres import has_vectors, shared_server

# A planner that divides any table among processes, as it does one of 100,000 vectors.
EAGER = """SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0;
    SET LOCAL min_parallel_table_scan_size = 0"""
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
    await later.remove_other_vectors()
    assert await serving() == ABOUT
    await later.put([NewEmbedding(second, b"second", at_angle(30))])
    assert await later.list_pending(9) == []
    assert await serving() == LATER
    assert len(set(await tables(store)) - set(before)) in (1, 2)
    await later.remove_other_vectors()
    assert await serving() == LATER
    assert await store.index.view(lambda view: view.serving) is None
    assert len(set(await tables(store)) - set(before)) == 1


@dataclass(frozen=True)
class Recorder:
    """The statements of searches, and the plans of those that compare
    vectors, one by one or along the graph."""

    statements: list[str]
    plans: list[str]

    def has_run(self, statement: str) -> bool:
        beginning = statement.partition("{table}")[0]
        return any(ran.startswith(beginning) for ran in self.statements)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    records = Recorder([], [])
    read_rows = PostgresQueries.fetch

    def recording(queries: PostgresQueries, statement: str, values: Mapping[str, Any]) -> list[Row]:
        records.statements.append(statement)
        if "<#>" in statement:
            plan = read_rows(queries, f"EXPLAIN {statement}", values)
            records.plans.append("\n".join(line for (line,) in plan))
        return read_rows(queries, statement, values)

    monkeypatch.setattr(PostgresQueries, "fetch", recording)
    return records


async def graph_over(store: PostgresStore) -> PostgresIndex:
    """Every search whose scope is wide enough goes along a graph."""
    index = PostgresIndex(store.database, PostgresServing(store.database, ABOUT, graph_from=1))
    await index.catch_up()
    return index


@pytest.mark.parametrize("seen_from", [0, 50])
async def test_the_graph_is_left_only_where_what_is_nearest_was_seen(
    store: PostgresStore, seen_from: int, recorder: Recorder
) -> None:
    document = intake("\n\n".join(f"第{number}段。" for number in range(300)))
    await fill(store, document, step=0.2)
    index = await graph_over(store)
    names = [passage.id for passage in document.passages]
    left_out = frozenset(names[seen_from : seen_from + 250])
    nearest = await index.view(lambda view: view.find_nearest(at_angle(0), Scope(), 10, left_out))
    assert list(nearest) == [name for name in names if name not in left_out][:10]
    assert recorder.has_run(serving.NEAREST) == (seen_from == 0)
    assert not recorder.has_run(serving.EXACT)


async def test_of_many_vectors_only_the_nearest_are_joined_with_their_documents(
    store: PostgresStore, recorder: Recorder
) -> None:
    document = intake("\n\n".join(f"第{number}段。" for number in range(600)))
    await fill(store, document, step=0.2)
    index = await graph_over(store)
    names = [passage.id for passage in document.passages]
    left_out = frozenset(names[:200])
    nearest = await index.view(lambda view: view.find_nearest(at_angle(0), Scope(), 10, left_out))
    assert list(nearest) == names[200:210]
    *_, plan = recorder.plans
    subplan = plan.index("CTE nearest")
    scan = plan.index("Seq Scan on vectors")
    assert subplan < plan.index("Limit", subplan) < plan.index("Sort", subplan) < scan
    assert "on documents" not in plan[subplan:scan]


async def test_every_vector_in_scope_is_compared_where_what_is_nearest_is_out_of_scope(
    store: PostgresStore, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "MARGIN", 0.01)  # of so few vectors it would take all
    near, far = (
        intake("\n\n".join(f"{name}の第{number}段。" for number in range(300)), source=name)
        for name in "甲乙"
    )
    await fill(store, near, step=0.2)
    await fill(store, far, first=80, step=0.2)
    index = await graph_over(store)
    names = [passage.id for passage in far.passages]
    left_out = frozenset(names[:200])
    scope = Scope(without=(near.document.id,))
    nearest = await index.view(lambda view: view.find_nearest(at_angle(0), scope, 10, left_out))
    assert list(nearest) == names[200:210]
    assert recorder.has_run(serving.NEAREST) and recorder.has_run(serving.EXACT)


@pytest.mark.parametrize("seen_count", [0, 250])
async def test_vectors_that_one_process_has_soon_compared_are_compared_by_one(
    store: PostgresStore, seen_count: int, recorder: Recorder
) -> None:
    document = intake("\n\n".join(f"第{number}段。" for number in range(300)))
    await fill(store, document, step=0.2)
    if seen_count:
        await graph_over(store)
    await store.database.write(lambda connection: rows.change(connection, "ANALYZE"))
    vectors = PostgresServing(store.database, ABOUT, graph_from=1 if seen_count else 1_000)
    names = [passage.id for passage in document.passages]
    left_out = frozenset(names[:seen_count])

    def look(connection: Connection) -> list[PassageId]:
        rows.change(connection, EAGER)
        return list(PostgresView(connection, vectors).find_nearest(at_angle(0), Scope(), 10, left_out))

    assert await store.database.read(look) == names[seen_count : seen_count + 10]
    assert "Seq Scan on vectors" in recorder.plans[-1]
    assert "Parallel Seq Scan on vectors" not in recorder.plans[-1]


async def test_vectors_of_another_length_under_one_name_are_refused(store: PostgresStore) -> None:
    await fill(store, intake("一。"))
    await store.shelf.put(other := intake("二。", source="b"))
    with pytest.raises(InvalidParams, match="another name"):
        await store.embeddings.put(
            [NewEmbedding(other.passages[0].id, b"other", type(at_angle(1))(b"\0" * 16))]
        )
