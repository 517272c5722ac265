"""What every register of followed folders promises."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shisho.domain.folder import SourceStamp
from shisho.ports import FolderRegister, Shelf
from shisho.stores.embedded.connect import EmbeddedQueryStore
from shisho.stores.postgres.connect import PostgresQueryStore
from shisho.stores.sql.folders import StoredFolders
from shisho.system.clock import SystemClock
from tests.contracts.conftest import embedded_store, fresh_postgres
from tests.making import intake


@dataclass(frozen=True)
class Library:
    shelf: Shelf
    register: FolderRegister


@pytest.fixture(params=["embedded", "postgres"])
async def library(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Library]:
    if request.param == "postgres":
        async with fresh_postgres() as store:
            yield Library(store.shelf, StoredFolders(PostgresQueryStore(store.database), SystemClock()))
        return
    async with embedded_store(tmp_path) as store:
        yield Library(store.shelf, StoredFolders(EmbeddedQueryStore(store.database), SystemClock()))


async def test_a_folder_is_remembered_once_and_forgotten(library: Library) -> None:
    register = library.register
    first = await register.watch("/家/論文", "default", "local")
    await register.watch("/家/講義", "default", "local")
    await register.watch("/家/論文", "default", "someone")
    again = await register.watch("/家/論文", "研究", "local")
    assert (again.corpus, again.since) == ("研究", first.since)
    paths = [folder.path for folder in await register.list_watched("local")]
    assert paths == sorted(["/家/論文", "/家/講義"])
    assert await register.forget("/家/論文", "local")
    assert not await register.forget("/家/論文", "local")
    assert [folder.path for folder in await register.list_watched("local")] == ["/家/講義"]
    assert [folder.path for folder in await register.list_watched("someone")] == ["/家/論文"]


async def test_a_stamp_holds_as_long_as_its_source_stands_for_the_same_document(library: Library) -> None:
    shelf = library.shelf
    register = library.register
    old = intake("前の版。", source="/家/甲.txt")
    await shelf.put(old)
    await register.stamp([SourceStamp("/家/甲.txt", old.document.id, "8 1")], "default", "local")
    await register.stamp([SourceStamp("/家/乙.txt", old.document.id, "8 1")], "default", "local")
    assert await register.list_stamps("default", "local") == {"/家/甲.txt": "8 1"}
    assert (
        await register.list_stamps("研究", "local") == {} == await register.list_stamps("default", "someone")
    )

    new = intake("今の版。", source="/家/甲.txt")
    await shelf.put(new)
    assert await register.list_stamps("default", "local") == {}
    await register.stamp([SourceStamp("/家/甲.txt", old.document.id, "8 1")], "default", "local")
    assert await register.list_stamps("default", "local") == {}, "it was read before it changed"
    await register.stamp([SourceStamp("/家/甲.txt", new.document.id, "8 2")], "default", "local")
    assert await register.list_stamps("default", "local") == {"/家/甲.txt": "8 2"}
    await shelf.remove(new.document.id, purge=False)
    assert await register.list_stamps("default", "local") == {}
