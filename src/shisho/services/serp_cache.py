"""A cache of result pages for identical searches.

Pages are kept for minutes after an interrupted search, for a day after a complete one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from shisho.domain.codec import build, to_plain
from shisho.domain.find import StoredUrl
from shisho.domain.job import Priority
from shisho.domain.payloads import SearchJob
from shisho.domain.web import PagingStop, SerpHit
from shisho.language.terms import fold
from shisho.ports import Cache
from shisho.web.serp.paging import ResultPage

WHOLE_S = 24 * 3600.0
PARTIAL_S = 600.0
CUT_SHORT = frozenset(
    (PagingStop.QUOTA, PagingStop.CHALLENGE, PagingStop.ERROR, PagingStop.BUDGET, PagingStop.STOPPED)
)


@dataclass(frozen=True, slots=True)
class CachedSerp:
    """A result page with its hits; for a cached page, only those that no earlier page had."""

    page: ResultPage
    hits: tuple[SerpHit, ...]


class SerpCache:
    """The cached pages of one search."""

    def __init__(self, cache: Cache, search_job: SearchJob) -> None:
        self._cache = cache
        self._asked = search_job
        self._held: dict[str, dict[int, CachedSerp]] = {}

    async def read_pages(self, engine: str) -> Mapping[int, CachedSerp]:
        """Return an engine's pages by number, as they were at the search's first request for them."""
        if engine not in self._held:
            entry = await self._cache.get(_key(self._asked, engine))
            sheets = [build(packed, CachedSerp) for packed in entry.value] if entry else []
            self._held[engine] = {sheet.page.number: sheet for sheet in sheets}
        return self._held[engine]

    async def keep(self, pages: Sequence[ResultPage], stop: PagingStop, urls: Sequence[StoredUrl]) -> None:
        """Store pages with the time of their request: using cached pages does not extend their lifetime."""
        if all(page.cached for page in pages):
            return
        hits: dict[int | None, list[SerpHit]] = {}
        for url in urls:
            other_hit = url.find
            hit = SerpHit(
                other_hit.rank_on_page or 0,
                other_hit.url,
                other_hit.title,
                other_hit.snippet,
                other_hit.published_at,
            )
            hits.setdefault(other_hit.page_number, []).append(hit)
        sheets = [
            CachedSerp(replace(page, cached=True, attempt=0), tuple(hits.get(page.number, ())))
            for page in pages
        ]
        short = stop in CUT_SHORT
        seconds = PARTIAL_S if short else WHOLE_S
        await self._cache.put(_key(self._asked, pages[0].engine), to_plain(sheets), seconds, partial=short)


def _key(search_job: SearchJob, engine: str) -> str:
    """Return the same key for searches that an engine would answer alike."""
    alike = replace(search_job, query=fold(search_job.query), owner="", corpus="", until=None, without=())
    option_values = to_plain(replace(alike, engines=(), categories=(), priority=Priority.MEDIUM))
    return "serp " + hashlib.sha256(json.dumps([engine, option_values], sort_keys=True).encode()).hexdigest()
