"""The cache of fetched content, and the record of the documents that pages became."""

from __future__ import annotations

import json
from typing import Any

from shisho.domain.codec import dumps
from shisho.domain.politeness import CacheEntry, PageMemory
from shisho.domain.time import add_seconds
from shisho.ports import Clock
from shisho.stores.sql import Queries, QueryStore, fetch_first

# Store a value with its expiry time.
PUT = """INSERT INTO cache(key, value_json, partial, stored_at, expires_at)
    VALUES (:key, :value, :partial, :now, :until) ON CONFLICT /*pg (md5(key)) */ DO UPDATE SET
    value_json = excluded.value_json, partial = excluded.partial, stored_at = excluded.stored_at,
    expires_at = excluded.expires_at"""
# Read a value that has not expired.
GET = """SELECT value_json, partial, stored_at FROM cache
    WHERE /*pg md5(key) = md5(:key) AND */ key = :key AND expires_at > :timeline_now"""
# Delete up to a hundred expired values. Concurrent sweeps skip each other's rows.
SWEEP = """DELETE FROM cache WHERE /*pg md5 */(key) IN
    (SELECT /*pg md5 */(key) FROM cache WHERE expires_at <= :timeline_now LIMIT 100 /*pg FOR UPDATE SKIP LOCKED */)"""
# Find the live document that a page became in a corpus.
PAGE = """SELECT m.document_id, m.fetched_at, m.etag, m.last_modified, d.source
    FROM page_memory m JOIN documents d ON d.id = m.document_id
    WHERE m.corpus = :corpus AND m.owner = :owner AND /*pg md5(m.canonical_url) = md5(:url) AND */ m.canonical_url = :url
    AND d.state = 'live'"""
# Record the document that a page became in a corpus, replacing the previous record.
REMEMBER = """INSERT INTO page_memory(corpus, owner, canonical_url, document_id, fetched_at, etag, last_modified)
    VALUES (:corpus, :owner, :url, :document_id, :fetched_at, :etag, :last_modified)
    ON CONFLICT /*pg (owner, corpus, md5(canonical_url)) */ DO UPDATE SET
    document_id = excluded.document_id, fetched_at = excluded.fetched_at, etag = excluded.etag,
    last_modified = excluded.last_modified"""


class StoredCache:
    """`ports.Cache` for all processes that share a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def get(self, key: str) -> CacheEntry | None:
        values = {"key": key, "timeline_now": self._clock.timeline_now()}
        row = await self._store.read(lambda queries: fetch_first(queries, GET, values))
        if row is None:
            return None
        return CacheEntry(json.loads(row.value_json), bool(row.partial), row.stored_at)

    async def put(self, key: str, value: Any, seconds: float, *, partial: bool = False) -> None:
        timeline_now = self._clock.timeline_now()
        moments = {"now": self._clock.now(), "until": add_seconds(timeline_now, seconds)}
        values = {"key": key, "value": dumps(value), "partial": partial} | moments

        def write(queries: Queries) -> None:
            queries.change(SWEEP, {"timeline_now": timeline_now})
            queries.change(PUT, values)

        await self._store.write(write)

    async def read_page(self, corpus: str, owner: str, canonical_url: str) -> PageMemory | None:
        values = {"corpus": corpus, "owner": owner, "url": canonical_url}
        row = await self._store.read(lambda queries: fetch_first(queries, PAGE, values))
        return None if row is None else PageMemory(*row)

    async def remember(self, corpus: str, owner: str, canonical_url: str, page: PageMemory) -> None:
        values = {
            "corpus": corpus,
            "owner": owner,
            "url": canonical_url,
            "document_id": page.document_id,
            "fetched_at": page.fetched_at,
            "etag": page.etag,
            "last_modified": page.last_modified,
        }
        await self._store.write(lambda queries: queries.change(REMEMBER, values))
