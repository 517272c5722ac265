"""The cache of fetched content, and the record of the documents that pages became."""

from __future__ import annotations

import json
from typing import Any

from shisho.domain.codec import dumps
from shisho.domain.politeness import CacheEntry, PageMemory
from shisho.domain.time import later
from shisho.ports import Clock
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import change, fetch_first

# Store a value with its expiry time.
PUT = """INSERT INTO cache(key, value_json, partial, stored_at, expires_at)
    VALUES (%(key)s, %(value)s, %(partial)s, %(now)s, %(until)s) ON CONFLICT (md5(key)) DO UPDATE SET
    value_json = excluded.value_json, partial = excluded.partial, stored_at = excluded.stored_at,
    expires_at = excluded.expires_at"""
# Read a value that has not expired.
GET = """SELECT value_json, partial, stored_at FROM cache
    WHERE md5(key) = md5(%(key)s) AND key = %(key)s AND expires_at > %(steady)s"""
# Delete up to a hundred expired values. Concurrent sweeps skip each other's rows.
SWEEP = """DELETE FROM cache WHERE ctid IN
    (SELECT ctid FROM cache WHERE expires_at <= %(steady)s LIMIT 100 FOR UPDATE SKIP LOCKED)"""
# Find the live document that a page became in a corpus.
PAGE = """SELECT m.document_id, m.fetched_at, m.etag, m.last_modified, d.source
    FROM page_memory m JOIN documents d ON d.id = m.document_id
    WHERE m.corpus = %(corpus)s AND m.owner = %(owner)s AND md5(m.canonical_url) = md5(%(url)s) AND d.state = 'live'"""
# Record the document that a page became in a corpus, replacing the previous record.
REMEMBER = """INSERT INTO page_memory(corpus, owner, canonical_url, document_id, fetched_at, etag, last_modified)
    VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (owner, corpus, md5(canonical_url)) DO UPDATE SET
    document_id = excluded.document_id, fetched_at = excluded.fetched_at, etag = excluded.etag,
    last_modified = excluded.last_modified"""


class PostgresCache:
    """`ports.Cache` for all machines that share one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, key: str) -> CacheEntry | None:
        values = {"key": key, "steady": self._clock.steady()}
        row = await self._database.read(lambda connection: fetch_first(connection, GET, values))
        return None if row is None else CacheEntry(json.loads(row.value_json), row.partial, row.stored_at)

    async def put(self, key: str, value: Any, seconds: float, *, partial: bool = False) -> None:
        steady = self._clock.steady()
        moments = {"now": self._clock.now(), "until": later(steady, seconds)}
        values = {"key": key, "value": dumps(value), "partial": partial} | moments

        def work(connection: Connection) -> None:
            change(connection, SWEEP, {"steady": steady})
            change(connection, PUT, values)

        await self._database.write(work)

    async def read_page(self, corpus: str, owner: str, canonical_url: str) -> PageMemory | None:
        values = {"corpus": corpus, "owner": owner, "url": canonical_url}
        row = await self._database.read(lambda connection: fetch_first(connection, PAGE, values))
        return None if row is None else PageMemory(*row)

    async def remember(self, corpus: str, owner: str, canonical_url: str, page: PageMemory) -> None:
        what = (page.document_id, page.fetched_at, page.etag, page.last_modified)
        values = (corpus, owner, canonical_url, *what)
        await self._database.write(lambda connection: change(connection, REMEMBER, values))
