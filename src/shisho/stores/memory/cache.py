"""The cache of what was fetched, in one process."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from shisho.domain.codec import dumps
from shisho.domain.corpus import DocumentId, DocumentState
from shisho.domain.politeness import CacheEntry, PageMemory
from shisho.domain.time import Instant, later
from shisho.ports import Clock, Shelf


class MemoryCache:
    """`ports.Cache` in dictionaries."""

    def __init__(self, clock: Clock, shelf: Shelf) -> None:
        self._clock = clock
        self._shelf = shelf
        self._kept: dict[str, tuple[str, bool, Instant, Instant]] = {}
        self._pages: dict[tuple[str, str, str], PageMemory] = {}

    async def get(self, key: str) -> CacheEntry | None:
        entry = self._kept.get(key)
        if entry is None or entry[3] <= self._clock.steady():
            return None
        return CacheEntry(json.loads(entry[0]), entry[1], entry[2])

    async def put(self, key: str, value: Any, seconds: float, *, partial: bool = False) -> None:
        self._kept[key] = (
            dumps(value),
            partial,
            self._clock.now(),
            later(self._clock.steady(), seconds),
        )

    async def read_page(self, corpus: str, owner: str, canonical_url: str) -> PageMemory | None:
        page = self._pages.get((corpus, owner, canonical_url))
        if page is None:
            return None
        document = await self._shelf.find_document(DocumentId(page.document_id))
        return replace(page, source=document.source) if document.state is DocumentState.LIVE else None

    async def remember(self, corpus: str, owner: str, canonical_url: str, page: PageMemory) -> None:
        self._pages[corpus, owner, canonical_url] = page
