"""Tools for tests: a web in memory, and servers of language models."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from shisho.domain.codec import dumps, loads
from shisho.domain.web import EngineAbout, EngineQuery, Request, Response, Serp, State, Tier
from shisho.errors import ParserFailed, TimedOut
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class MemoryEngine:
    """`ports.SerpEngine` whose result pages are `Serp`s as JSON under its own address."""

    about: EngineAbout

    def request(self, query: EngineQuery, page: int, state: State) -> Request:
        return Request(
            f"https://{self.about.site}/search?" + urlencode({"q": query.text, "p": page, **state})
        )

    def parse(self, response: Response) -> Serp:
        try:
            return loads(response.body.decode(), Serp)
        except (json.JSONDecodeError, TypeError) as error:
            raise ParserFailed("memory_web.not_a_result_page", engine=self.about.name) from error


def make_engine(name: str = "memory", **fields: object) -> MemoryEngine:
    """Return an engine for the category `general`."""
    defaults: dict[str, object] = {
        "categories": ("general",),
        "tier": Tier.DEFAULT,
        "interval_s": 0.0,
        "pagination": "p",
    }
    about: Any = {**defaults, **fields}
    return MemoryEngine(EngineAbout(name=name, site=f"{name}.example", kind="json", **about))


@dataclass(frozen=True, slots=True)
class MemoryParser:
    """`ports.SerpParser` for engines whose pages are harmless: parses in this process."""

    engines: Mapping[str, MemoryEngine]

    async def parse(self, engine: str, response: Response) -> Serp:
        return self.engines[engine].parse(response)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


@dataclass(slots=True)
class MemoryWeb:
    """`ports.Fetcher` over dictionaries.

    `serps` by engine, query and page; `pages` by address. A page in `held` waits until its event is set.
    `asked` lists every address in the order of requests; `reached` is set at a request.
    """

    pages: Mapping[str, bytes | int] = field(default_factory=dict)
    serps: dict[tuple[str, str, int], Serp] = field(default_factory=dict)
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    reached: defaultdict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))

    async def fetch(self, request: Request) -> Response:
        self.asked.append(request.url)
        self.reached[request.url].set()
        if request.url in self.held:
            await self.held[request.url].wait()
        parts = urlsplit(request.url)
        if (
            parts.path == "/search"
            and (serp := self._make_serp(parts.netloc, parse_qs(parts.query))) is not None
        ):
            return Response(dumps(serp).encode(), request.url, media_type="application/json")
        page = self.pages.get(request.url)
        if page is None:
            raise TimedOut("memory_web.no_answer", url=request.url)
        status, body = (page, b"") if isinstance(page, int) else (200, page)
        return Response(body, request.url, status, media_type="text/html")

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _make_serp(self, host: str, parameters: Mapping[str, Sequence[str]]) -> Serp | None:
        name = host.removesuffix(".example")
        return self.serps.get((name, parameters["q"][0], int(parameters["p"][0])))
