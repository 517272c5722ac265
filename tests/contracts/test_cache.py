"""What every cache promises."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from shisho.domain.politeness import CacheEntry, PageMemory
from shisho.ports import Cache, Shelf
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.sql.cache import StoredCache
from tests.contracts.conftest import fresh_postgres
from tests.making import intake
from tests.queues import SetClock

URL = "https://example.org/統計"


@dataclass
class Larder:
    cache: Cache
    shelf: Shelf
    clock: SetClock
    database: Database | PostgresDatabase


@pytest.fixture(params=["embedded", "postgres"])
async def larder(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Larder]:
    clock = SetClock()
    if request.param == "postgres":
        async with fresh_postgres() as store:
            yield Larder(
                StoredCache(PostgresQueryStore(store.database), clock), store.shelf, clock, store.database
            )
        return
    database = Database(tmp_path / "shisho.db")
    yield Larder(
        StoredCache(EmbeddedQueryStore(database), clock), EmbeddedShelf(database, clock), clock, database
    )
    await database.close()


async def test_a_value_is_kept_for_its_time(larder: Larder) -> None:
    assert await larder.cache.get("k") is None
    await larder.cache.put("k", {"題": ["一", 2, None, True]}, 60)
    kept = CacheEntry({"題": ["一", 2, None, True]}, False, larder.clock.now())
    larder.clock.pass_(59)
    assert await larder.cache.get("k") == kept
    larder.clock.pass_(1)
    assert await larder.cache.get("k") is None


async def test_a_later_value_replaces_an_earlier_one(larder: Larder) -> None:
    await larder.cache.put("k", "part", 600, partial=True)
    held = await larder.cache.get("k")
    assert held is not None and held.partial
    larder.clock.pass_(5)
    await larder.cache.put("k", "whole", 10)
    assert await larder.cache.get("k") == CacheEntry("whole", False, larder.clock.now())
    larder.clock.pass_(10)
    assert await larder.cache.get("k") is None


async def test_what_is_kept_is_a_copy(larder: Larder) -> None:
    value = {"hits": [1]}
    await larder.cache.put("k", value, 60)
    value["hits"].append(2)
    held = await larder.cache.get("k")
    assert held is not None and held.value == {"hits": [1]}
    held.value["hits"].append(3)
    again = await larder.cache.get("k")
    assert again is not None and again.value == {"hits": [1]}


async def test_a_page_is_remembered_while_its_document_is_live(larder: Larder) -> None:
    given = intake("決定係数。", source=URL, corpus="web")
    name = given.document.id
    await larder.shelf.put(given)
    assert await larder.cache.read_page("web", "local", URL) is None
    page = PageMemory(name, larder.clock.now(), '"v1"', "Wed, 01 Jul 2026 09:00:00 GMT")
    await larder.cache.remember("web", "local", URL, page)
    assert await larder.cache.read_page("web", "local", URL) == replace(page, source=URL)
    assert await larder.cache.read_page("web", "someone", URL) is None
    assert await larder.cache.read_page("mine", "local", URL) is None
    newer = PageMemory(name, larder.clock.ahead(5))
    await larder.cache.remember("web", "local", URL, newer)
    assert await larder.cache.read_page("web", "local", URL) == replace(newer, source=URL)
    await larder.shelf.remove(name, purge=False)
    assert await larder.cache.read_page("web", "local", URL) is None


async def test_what_is_too_old_is_swept_away(larder: Larder) -> None:
    database = larder.database
    for number in range(50):
        await larder.cache.put(f"k{number}", "x", 10)
    larder.clock.pass_(10)
    await larder.cache.put("new", "x", 10)
    rows = await database.read(lambda connection: [*connection.execute("SELECT key FROM cache")])
    assert [key for (key,) in rows] == ["new"]


async def test_a_purge_takes_kept_result_pages_along(larder: Larder) -> None:
    database = larder.database
    given = intake("消える文。", source=URL, corpus="web")
    await larder.shelf.put(given)
    await larder.cache.put("serp", {"hits": [{"url": URL, "snippet": "消える文の抜粋"}]}, 600)
    await larder.cache.put("other", {"hits": [{"url": "https://example.org/他", "snippet": "残る抜粋"}]}, 600)
    await larder.cache.remember("web", "local", URL, PageMemory(given.document.id, larder.clock.now()))
    await larder.shelf.remove(given.document.id, purge=True)
    assert await larder.cache.get("serp") is None and await larder.cache.get("other") is not None
    assert await larder.cache.read_page("web", "local", URL) is None
    if isinstance(database, PostgresDatabase):  # its files are the server's
        return
    await database.close()
    held = b"".join(path.read_bytes() for path in database.path.parent.iterdir() if path.is_file())
    assert "消える文".encode() not in held and "残る抜粋".encode() in held
