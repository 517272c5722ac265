"""The cache of fetched content, and the record of the documents that pages became."""

from __future__ import annotations

import json
from typing import Any

import apsw

from shisho.domain.codec import dumps
from shisho.domain.politeness import CacheEntry, PageMemory
from shisho.domain.time import later
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import fetch_first

# Store a value with its expiry time.
PUT = """INSERT INTO cache(key, value_json, partial, stored_at, expires_at)
    VALUES (:key, :value, :partial, :now, :until) ON CONFLICT DO UPDATE SET
    value_json = excluded.value_json, partial = excluded.partial, stored_at = excluded.stored_at,
    expires_at = excluded.expires_at"""
# Read a value that has not expired.
GET = "SELECT value_json, partial, stored_at FROM cache WHERE key = ? AND expires_at > ?"
# Delete up to a hundred expired values.
SWEEP = "DELETE FROM cache WHERE key IN (SELECT key FROM cache WHERE expires_at <= :steady LIMIT 100)"
# Find the live document that a page became in a corpus.
PAGE = """SELECT m.document_id, m.fetched_at, m.etag, m.last_modified, d.source
    FROM page_memory m JOIN documents d ON d.id = m.document_id
    WHERE m.corpus = ? AND m.owner = ? AND m.canonical_url = ? AND d.state = 'live'"""
# Record the document that a page became in a corpus, replacing the previous record.
REMEMBER = """INSERT INTO page_memory(corpus, owner, canonical_url, document_id, fetched_at, etag, last_modified)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    document_id = excluded.document_id, fetched_at = excluded.fetched_at, etag = excluded.etag,
    last_modified = excluded.last_modified"""


class EmbeddedCache:
    """`ports.Cache` for all processes that share one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, key: str) -> CacheEntry | None:
        row = await self._database.read(
            lambda connection: fetch_first(connection.execute(GET, (key, self._clock.steady())))
        )
        return (
            None if row is None else CacheEntry(json.loads(row.value_json), bool(row.partial), row.stored_at)
        )

    async def put(self, key: str, value: Any, seconds: float, *, partial: bool = False) -> None:
        steady = self._clock.steady()
        values = {
            "key": key,
            "value": dumps(value),
            "partial": partial,
            "now": self._clock.now(),
            "until": later(steady, seconds),
        }

        def work(connection: apsw.Connection) -> None:
            connection.execute(SWEEP, {"steady": steady})
            connection.execute(PUT, values)

        await self._database.write(work)

    async def read_page(self, corpus: str, owner: str, canonical_url: str) -> PageMemory | None:
        key = (corpus, owner, canonical_url)
        row = await self._database.read(lambda connection: fetch_first(connection.execute(PAGE, key)))
        return (
            None
            if row is None
            else PageMemory(row.document_id, row.fetched_at, row.etag, row.last_modified, row.source)
        )

    async def remember(self, corpus: str, owner: str, canonical_url: str, page: PageMemory) -> None:
        row = (
            corpus,
            owner,
            canonical_url,
            page.document_id,
            page.fetched_at,
            page.etag,
            page.last_modified,
        )
        await self._database.write(lambda connection: connection.execute(REMEMBER, row) and None)
