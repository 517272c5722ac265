"""Metadata of works from Crossref, the registry of DOIs.

It is requested at the pace of its engine through the guarded fetcher, and its response is parsed in a child
process.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from shisho.domain.corpus import Source
from shisho.domain.reference import CSL_JSON, Reference
from shisho.domain.web import EngineAbout, Request, Response
from shisho.errors import AllFetchesFailed
from shisho.ports import Fetcher, Limiter, Reader
from shisho.web.serp.credentials import limit_of

UNKNOWN = 404
LONGEST_WAIT_S = 30.0  # for a turn; a longer wait is reported instead


@dataclass(frozen=True, slots=True)
class CrossrefRegistry:
    """A client of Crossref. `keys`: the user's settings; an email address selects Crossref's polite pool."""

    fetcher: Fetcher
    reader: Reader
    limiter: Limiter
    about: EngineAbout
    keys: Mapping[str, str] = field(default_factory=dict)

    async def look_up(self, doi: str) -> Reference | None:
        """Return the reference of a work, or None if it is unknown.

        Raises: AllFetchesFailed if there is no response, an `UnusableDocument` for an unreadable one.
        """
        address = self.keys.get("contact_email", "")
        contact = "?" + urlencode({"mailto": address}) if address else ""
        url = f"{self.about.site}/works/{quote(doi, safe='')}{contact}"
        response = await self._in_turn(Request(url, headers={"Accept": "application/json"}))
        if response.status == UNKNOWN:
            return None
        if response.status != 200:
            raise AllFetchesFailed(
                "crossref.failed",
                status=response.status,
                doi=doi,
            )
        entries = await self.reader.read_references(Source(url, response.body, CSL_JSON))
        is_it = entries[0].facts.get("doi", "").casefold() == doi.casefold()
        return entries[0] if is_it else None

    async def _in_turn(self, request: Request) -> Response:
        resource = f"engine:{self.about.name}"
        limit = limit_of(self.about, self.keys)
        ticket = uuid.uuid4().hex
        permit = await self.limiter.acquire(resource, limit, ticket)
        while not permit.granted:
            if permit.spent or permit.wait_s > LONGEST_WAIT_S:
                raise AllFetchesFailed(
                    "crossref.rate_limited",
                    seconds=permit.wait_s,
                )
            await asyncio.sleep(permit.wait_s)
            permit = await self.limiter.acquire(resource, limit, ticket)
        try:
            return await self.fetcher.fetch(request)
        finally:
            await self.limiter.release(resource, limit, ticket)
