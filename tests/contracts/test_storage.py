"""What every place where things are kept promises."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from shisho.errors import Conflict, StorageUnusable
from shisho.ports import Storage
from shisho.stores.blob_folder import FolderBlobs
from shisho.stores.embedded.connect import Database
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.storage import PostgresStorage
from tests.postgres import shared_server


def our_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("shisho")}


@pytest.fixture
def threads_before() -> set[threading.Thread]:
    return our_threads()


@pytest.fixture(params=["embedded", "postgres"])
async def storage(
    request: pytest.FixtureRequest, tmp_path: Path, threads_before: set[threading.Thread]
) -> AsyncIterator[Storage]:
    if request.param == "postgres":
        with shared_server().fresh() as url:
            in_postgres = PostgresStorage(PostgresDatabase(url), FolderBlobs(tmp_path / "blobs"))
            yield in_postgres
            await in_postgres.close()
        return
    made = Database(tmp_path / "shisho.db")
    yield made
    await made.close()


LARGE = "INSERT INTO large VALUES (zeroblob(1000000))"


async def test_something_could_be_stored_again_and_again(storage: Storage) -> None:
    await storage.check_ready()
    await storage.check_ready()


async def test_copy_is_one_file_and_takes_no_other_ones_place(storage: Storage, tmp_path: Path) -> None:
    target = tmp_path / "copies" / "copy.db"
    target.parent.mkdir()
    await storage.backup(target)
    copied = target.read_bytes()
    with pytest.raises(Conflict, match="already exists"):
        await storage.backup(target)
    assert [path.name for path in target.parent.iterdir()] == ["copy.db"]
    assert target.read_bytes() == copied


async def test_a_copy_that_nobody_waits_for_leaves_nothing(storage: Storage, tmp_path: Path) -> None:
    """Or it was whole before anybody left."""
    target = tmp_path / "copy.db"
    for turns in range(8):
        copying = asyncio.create_task(storage.backup(target))
        for _ in range(turns):
            await asyncio.sleep(0)
        copying.cancel()
        (outcome,) = await asyncio.gather(copying, return_exceptions=True)
        assert target.exists() == (outcome is None)
        target.unlink(missing_ok=True)
    await storage.backup(target)
    assert target.exists()


async def test_closing_lets_every_thread_go_and_may_be_said_again(
    storage: Storage, threads_before: set[threading.Thread]
) -> None:
    await storage.check_ready()
    await storage.close()
    await storage.close()
    assert our_threads() <= threads_before


async def test_compacting_frees_the_room_of_removed_rows(storage: Storage) -> None:
    await storage.check_ready()
    if isinstance(storage, Database):
        await storage.write(
            lambda connection: connection.execute("CREATE TABLE large(content BLOB)") and None
        )
        await storage.write(lambda connection: connection.execute(LARGE) and None)
        await storage.write(lambda connection: connection.execute("DELETE FROM large") and None)
    before, after = await storage.compact()
    # A server has statistics of its tables afterwards.
    assert after < before - 900_000 if isinstance(storage, Database) else after > 0


@pytest.mark.parametrize("store", ["embedded", "postgres"])
async def test_a_database_that_was_closed_says_so(store: str, tmp_path: Path) -> None:
    with shared_server().fresh() if store == "postgres" else nullcontext("") as url:
        database = PostgresDatabase(url) if store == "postgres" else Database(tmp_path / "shisho.db")
        await database.check_ready()
        await database.close()
        for verb in (database.read, database.write):
            with pytest.raises(StorageUnusable, match="was closed"):
                await verb(lambda connection: None)
