"""A library whose web is the web in a box: real URLs, hosts, TLS and parsers; nothing leaves the machine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from shisho.bootstrap.library import open_library
from shisho.bootstrap.web import WebAccess
from shisho.messages.catalogue import render_all
from shisho.ports import Resolver
from shisho.services import Library
from shisho.web.engines import create_engines
from shisho.web.http.address import AllowList
from shisho.web.http.fetch import HttpFetcher
from shisho.web.serp.parser import KillableSerpParser
from shisho_box.client import BoxClient
from shisho_box.server import Box
from tests.flows.conftest import Shell
from tests.queues import output_of

QUICK: Mapping[str, Mapping[str, Any]] = {
    name: {"interval_s": 0.05}
    for name in ("mojeek", "duckduckgo", "marginalia", "startpage", "wikipedia", "arxiv", "crossref")
}


def way(
    box: Box | BoxClient,
    overrides: Mapping[str, Mapping[str, Any]] = QUICK,
    *,
    robots: bool = False,
    resolver: Resolver | None = None,
    total_s: float = 20.0,
) -> WebAccess:
    """The box as the way to the web. Without `robots` each host's first page need not wait for its second
    request."""
    allow = AllowList.from_names(box.hosts)
    fetcher = HttpFetcher(
        resolver or box.resolver, allow, "Shisho/test", total_s=total_s, ssl_context=box.ssl_context
    )
    return WebAccess(create_engines(overrides), lambda: fetcher, KillableSerpParser(overrides), robots=robots)


@asynccontextmanager
async def boxed(
    home: Path,
    overrides: Mapping[str, Mapping[str, Any]] = QUICK,
    *,
    slots: int = 2,
    robots: bool = False,
    **world: Any,
) -> AsyncIterator[tuple[Box, Library]]:
    """A box, and a library at `home` with workers over it."""
    async with (
        Box(**{"seed": 1, **world}) as box,
        open_library(home=home, web_access=way(box, overrides, robots=robots)) as library,
        library.working(slots),
    ):
        yield box, library


async def output(library: Library, task_id: str) -> dict[str, Any]:
    """The result of a task's only job."""
    (job,) = (await library.tasks.list_jobs(task_id)).jobs
    return dict(render_all(output_of(job), "en"))


def through(
    shell: Shell, box: Box, overrides: Mapping[str, Mapping[str, Any]] = QUICK, *, robots: bool = False
) -> None:
    """Let the processes of a shell search this box, which has a folder, with these engines."""
    shell.home.mkdir(exist_ok=True)
    rows = (
        "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())
        for fields in overrides.values()
    )
    text = "".join(f"[{name}]\n{row}" for name, row in zip(overrides, rows, strict=True))
    (shell.home / "engines.toml").write_text(text, "utf-8")
    said = {"SHISHO_WEB": "on", "SHISHO_BOX": str(box.folder), "SHISHO_ROBOTS": "on" if robots else "off"}
    shell.environment |= said
