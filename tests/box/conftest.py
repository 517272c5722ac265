"""A running box, and the ways to it that our own parts take."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

import pytest

from shisho.domain.web import EngineQuery, Request, Response, Serp, State
from shisho.web.engines import create_engines
from shisho.web.http.address import AllowList
from shisho.web.http.fetch import HttpFetcher
from shisho_box.client import BoxClient
from shisho_box.engines import ENGINES
from shisho_box.server import Box

TODAY = date(2026, 7, 1)
SCRIPTED = {engine.name for engine in ENGINES if engine.shell}


@dataclass(frozen=True)
class Visitor:
    """Asks the box as our workers do: our engines' requests, our fetcher, our parsers."""

    box: Box
    fetcher: HttpFetcher

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Response:
        return await self.fetcher.fetch(Request(url, headers=headers or {}))

    async def serp(
        self, name: str, text: str, page: int = 1, state: State | None = None, script: bool = True
    ) -> Serp:
        """One result page. `script`: as if its script had run, where the engine has one."""
        engine = create_engines()[name]
        request = engine.request(EngineQuery(text, TODAY), page, state or {})
        if script and name in SCRIPTED:
            request = replace(request, cookies={**request.cookies, "box_script": "42"})
        serp = engine.parse(await self.fetcher.fetch(request))
        if serp.follow is None:
            return serp
        return replace(engine.parse(await self.fetcher.fetch(serp.follow)), next=serp.next)

    async def serps(self, name: str, text: str) -> list[Serp]:
        """Result pages as long as each leads to a next one."""
        found = [await self.serp(name, text)]
        while found[-1].next is not None and len(found) < create_engines()[name].about.max_pages:
            found.append(await self.serp(name, text, len(found) + 1, found[-1].next))
        return found


def fetcher(box: Box | BoxClient, total_s: float = 20.0) -> HttpFetcher:
    """Our fetcher, let into a box."""
    allow = AllowList(frozenset(box.hosts))
    return HttpFetcher(box.resolver, allow, "Shisho/test", ssl_context=box.ssl_context, total_s=total_s)


@pytest.fixture
async def visitor() -> AsyncIterator[Visitor]:
    async with Box() as box:
        yield Visitor(box, fetcher(box))
