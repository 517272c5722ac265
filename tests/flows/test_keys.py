"""The user's keys go out with requests and stay out of everything that is kept or said."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.bootstrap.web import WebAccess
from shisho.domain.codec import dumps
from shisho.domain.task import SearchOptions
from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed
from shisho.web.engines import create_engines
from shisho.web.serp.parser import KillableSerpParser
from tests.flows.smallweb import ended

CANARY = "canary-81b2-7f3c"
KEYS = {"ncbi_api_key": CANARY, "brave_api_key": CANARY}


@dataclass
class Indiscreet:
    """Servers and a network that quote what they were sent."""

    sent: list[Request] = field(default_factory=list)

    async def fetch(self, request: Request) -> Response:
        self.sent.append(request)
        await asyncio.sleep(0)
        said = f"{request.url} {dict(request.headers)}"
        if "brave" in request.url:
            raise AllFetchesFailed(f"No answer: {said}", url=request.url)
        body = f"<eSearchResult><ERROR>API key refused: {said.replace('&', '&amp;')}</ERROR></eSearchResult>"
        return Response(body.encode(), request.url, 400, media_type="text/xml")

    async def close(self) -> None: ...


def holding(home: Path) -> list[Path]:
    """The files that hold the key."""
    return [each for each in home.rglob("*") if each.is_file() and CANARY.encode() in each.read_bytes()]


@pytest.mark.parametrize("engine", ["pubmed", "brave_api"])
async def test_a_key_is_nowhere_but_in_its_request(
    engine: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fetcher = Indiscreet()
    web = WebAccess(
        {engine: create_engines()[engine]}, lambda: fetcher, KillableSerpParser(), robots=False, keys=KEYS
    )
    with caplog.at_level("DEBUG"):
        async with open_library(home=tmp_path, web_access=web, **KEYS) as library, library.working(1):
            task = (
                await library.tasks.queue_searches(["決定係数"], options=SearchOptions(engines=(engine,)))
            ).task_id
            status, _ = await ended(library, task)
            told = dumps([status, await library.tasks.list_jobs(task), await library.web.list_engines()])
    assert CANARY in dumps(fetcher.sent) and "***" in told, "it was sent, and what quoted it came back"
    assert CANARY not in told and CANARY not in caplog.text
    assert not holding(tmp_path)
