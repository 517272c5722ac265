"""Short names and definitions come and go with their documents, and are looked for in the scope alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.domain.corpus import DefinitionMark, DocumentNames, Intake, Scope
from shisho.stores.sql.names import read_names
from tests.contracts.conftest import (
    INDEXES,
    EmbeddedStore,
    PostgresStore,
    Store,
    embedded_store,
    indexed_store,
)
from tests.making import intake

TEXT = (
    "The Department of Tidal Engineering (DTE) has 14 rooms.\n\nA tidal window is a time in which ships pass."
)
LONG = "depart tidal engin"


@pytest.fixture(params=INDEXES)
async def indexed(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with indexed_store(request.param, tmp_path) as made:
        yield made


def named(given: Intake) -> Intake:
    names = read_names(given.document.title, given.document.metadata, given.passages)
    return replace(given, names=names)


async def others(store: Store, scope: Scope, key: str = "dte") -> list[str]:
    return [link.other for link in await store.index.view(lambda view: view.find_short_names([key], scope))]


async def definitions(store: Store, scope: Scope, key: str = "tidal window") -> Sequence[DefinitionMark]:
    return await store.index.view(lambda view: view.find_definitions([key], scope, 10))


async def test_names_are_found_both_ways_and_definitions_open_on_their_sentence(indexed: Store) -> None:
    given = named(intake(TEXT, title="Labs"))
    await indexed.shelf.put(given)
    assert await others(indexed, Scope()) == ["Department of Tidal Engineering"]
    assert await others(indexed, Scope(), LONG) == ["DTE"]
    (mark,) = await definitions(indexed, Scope())
    assert (mark.passage_id, mark.is_stated) == (given.passages[1].id, True)
    assert TEXT[mark.start : mark.end] == "A tidal window is a time in which ships pass."


async def test_aliases_of_a_document_are_names_of_its_title(store: Store) -> None:
    given = intake("It has 14 rooms.", title="Tidal Office", metadata={"aliases": "Moon Desk; TD"})
    await store.shelf.put(named(given))
    assert await others(store, Scope(), "moon desk") == ["Tidal Office"]
    assert sorted(await others(store, Scope(), "tidal offic")) == ["Moon Desk", "TD"]


async def test_only_what_stands_in_the_scope_counts(indexed: Store) -> None:
    await indexed.shelf.put(named(intake(TEXT, owner="hanako", corpus="labs", pages=2, title="Labs")))
    mine = Scope("hanako")
    assert await others(indexed, mine) and await definitions(indexed, mine)
    elsewhere = (
        Scope("taro"),
        Scope("hanako", ("default",)),
        replace(mine, filters={"title": "Other"}),
    )
    for scope in elsewhere:
        assert not await others(indexed, scope)
        assert not await definitions(indexed, scope)
    assert await definitions(indexed, replace(mine, filters={"page": "2"}))
    assert not await definitions(indexed, replace(mine, filters={"page": "1"}))


async def test_names_that_most_documents_give_come_first_and_three_at_most(store: Store) -> None:
    longs = ("Dry Tea Estate", "Deep Time Era", "Dull Tin Egg", "Daily Train Exam")
    texts = [f"The {long} (DTE) is number {number}." for number, long in enumerate((*longs, longs[2]))]
    for number, text in enumerate(texts):
        await store.shelf.put(named(intake(text, source=f"{number}.txt")))
    found = await others(store, Scope())
    assert found[0] == longs[2]
    assert len(found) == 3


async def test_names_go_with_their_document_and_come_back(store: Store) -> None:
    given = named(intake(TEXT))
    await store.shelf.put(given)
    await store.shelf.remove(given.document.id, purge=False)
    assert not await others(store, Scope()) and not await definitions(store, Scope())
    await store.shelf.restore(given.document.id)
    assert await others(store, Scope()) and await definitions(store, Scope())
    await store.shelf.put(named(intake("Nothing is named here.")))  # a newer version of the same file
    assert not await others(store, Scope()) and not await definitions(store, Scope())


async def test_a_purge_erases_them(store: Store) -> None:
    given = named(intake(TEXT))
    await store.shelf.put(given)
    assert await count_rows(store) == 3
    await store.shelf.remove(given.document.id, purge=True)
    assert await count_rows(store) == 0


async def test_names_of_a_document_in_parts_are_there_when_it_is_whole(store: Store) -> None:
    given = named(intake(TEXT))
    first, second = given.passages
    parts = (
        Intake(given.document, TEXT[: first.end], (), (first,), 0, DocumentNames(given.names.links)),
        Intake(given.document, TEXT[first.end :], (), (second,), first.end, given.names),
    )
    token = await store.shelf.begin(given.document)
    for part in parts:
        await store.shelf.extend(token, part)
    assert not await others(store, Scope())
    await store.shelf.finish(token, given.document)
    assert await others(store, Scope()) == ["Department of Tidal Engineering"]
    assert len(await definitions(store, Scope())) == 1


async def test_a_library_from_before_has_names_when_it_is_opened(store: Store) -> None:
    await store.shelf.put(intake(TEXT))
    await forget_migration(store)
    if isinstance(store, EmbeddedStore):
        path = store.database.path
        await store.database.close()
        async with embedded_store(path.parent) as opened:
            assert await others(opened, Scope()) and await definitions(opened, Scope())
    elif isinstance(store, PostgresStore):
        await store.database.migrate()
        assert await others(store, Scope()) and await definitions(store, Scope())


async def count_rows(store: Store) -> int:
    counted = "SELECT (SELECT count(*) FROM short_names) + (SELECT count(*) FROM definitions) AS rows"
    if isinstance(store, EmbeddedStore):
        return int(await store.database.read(lambda connection: connection.execute(counted).get))
    assert isinstance(store, PostgresStore)
    return int(
        await store.database.read(lambda connection: connection.execute(counted.encode()).fetchall()[0].rows)
    )


async def forget_migration(store: Store) -> None:
    """As the database was before names were read."""
    drop = (
        "DROP TABLE short_names",
        "DROP TABLE definitions",
        "DELETE FROM migrations WHERE name LIKE '%_names.sql'",
    )

    def work(connection: object) -> None:
        for statement in drop:
            connection.execute(statement if isinstance(store, EmbeddedStore) else statement.encode())  # type: ignore[attr-defined]

    assert isinstance(store, (EmbeddedStore, PostgresStore))
    await store.database.write(work)
