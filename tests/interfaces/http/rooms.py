"""A library behind a server of its own on the loopback, in this process; and a question that is held up in
the web."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.domain.web import Serp, SerpHit
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.server import serve
from shisho.services import Library
from shisho.testing import MemoryWeb
from shisho.web.crawl import visit
from tests.flows.smallweb import html, way
from tests.machine import PATIENCE

R2 = "決定係数は、回帰モデルの当てはまりのよさを表す指標である。"
R = "母集団とは、調べたい対象のすべてから成る集まりである。"
TWO = "決定係数と母集団の違いは何か"
READ = "https://www.b.example/page1"
MISSING = "https://www.c.example/page1"
FORBIDDEN = "https://www.d.example/page1"


@asynccontextmanager
async def served(library: Library, rules: AccessRules | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """The library over HTTP."""
    started: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()
    server = asyncio.create_task(serve(library, rules or AccessRules(), 0, started.set_result, over))
    try:
        url = await started
        async with httpx.AsyncClient(base_url=f"{url}/api/v1", timeout=PATIENCE) as client:
            yield client
    finally:
        over.set()
        await server


async def finished(client: httpx.AsyncClient, task_id: str) -> dict[str, Any]:
    """Wait for the end of a task, as often as it takes; the status that tells it, or why there is none."""
    query = {"wait": 20, "wait_for": "done"}
    async with asyncio.timeout(2 * PATIENCE):
        while True:
            status = dict((await client.get(f"/tasks/{task_id}", params=query)).json())
            if status.get("status") != "running":
                return status


async def answered(client: httpx.AsyncClient, reply: httpx.Response) -> httpx.Response:
    """Poll until a question has its answer; the reply that has it, or that says what went wrong."""
    async with asyncio.timeout(2 * PATIENCE):
        while reply.is_success and not reply.json().get("answer"):
            reply = await client.get(f"/answers/{reply.json()['answer_id']}", params={"wait": 20})
    return reply


@dataclass
class HeldQuestion:
    """A question of two goals: documents answer the first, for the second the web is asked, and there a page
    keeps the search waiting until `release`."""

    web: MemoryWeb = field(default_factory=lambda: held_web())

    async def reached(self) -> None:
        await asyncio.wait_for(self.web.reached[READ].wait(), PATIENCE)

    def release(self) -> None:
        self.web.held[READ].set()

    async def ask(self, client: httpx.AsyncClient, **more: Any) -> str:
        """The id of its answer, once its search is under way."""
        body = {"question": TWO, "sources": "auto", "wait": 0, **more}
        asked = (await client.post("/answers", json=body)).json()
        await self.reached()
        return str(asked["answer_id"])

    @asynccontextmanager
    async def library(self, home: Path, slots: int = 2) -> AsyncIterator[Library]:
        """A library with the document of the first goal; without workers where `slots` is 0."""
        with pytest.MonkeyPatch.context() as patient:
            patient.setattr(
                visit, "TOTAL_S", 10 * PATIENCE
            )  # the page is not given up, however long it is held
            async with self._opened(home, slots) as library:
                yield library

    @asynccontextmanager
    async def _opened(self, home: Path, slots: int) -> AsyncIterator[Library]:
        async with open_library(home=home, web_access=way(self.web)) as library:
            await library.documents.add_source(Source("note.md", f"# 覚書\n\n{R2}\n".encode()))
            if not slots:
                yield library
                return
            async with library.working(slots):
                yield library


def held_web() -> MemoryWeb:
    web = MemoryWeb({READ: html("母集団", R), MISSING: 404, FORBIDDEN: 403})
    urls = (READ, MISSING, FORBIDDEN)
    hits = tuple(SerpHit(rank, url, f"題{rank}") for rank, url in enumerate(urls, 1))
    for text in ("母集団", "母集団 とは"):
        web.serps["memory", text, 1] = Serp("memory", hits, None)
    # An engine that does not answer is left alone for a while, by whichever query came first.
    for text in ("決定係数", "決定係数 とは"):
        web.serps["memory", text, 1] = Serp("memory", (), None)
    web.held[READ] = asyncio.Event()
    return web


async def read_events(
    client: httpx.AsyncClient, answer_id: str, last: str = "", most: int = 10_000
) -> list[dict[str, Any]]:
    """The server-sent events of an answer, at most so many: event, id and data of each."""
    headers = {"last-event-id": last} if last else {}
    events: list[dict[str, Any]] = []
    async with client.stream("GET", f"/answers/{answer_id}/events", headers=headers) as stream:
        assert stream.status_code == 200, await stream.aread()
        event: dict[str, Any] = {}
        async for line in stream.aiter_lines():
            name, _, value = line.partition(": ")
            if name in ("event", "id"):
                event[name] = value
            elif name == "data":
                event["data"] = json.loads(value)
            elif not line and event:
                events.append(event)
                event = {}
                if len(events) == most:
                    break
    return events
