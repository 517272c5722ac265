"""A browser over names that lead to servers of a test; where none is installed the test is skipped with a
clear word."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.settings import build_child_environment
from shisho.web.browser import chromium
from shisho.web.browser.browser import ChromiumBrowser
from shisho.web.browser.launch import LaunchOptions
from shisho.web.browser.proxy import Connect, GuardedProxy, open_endpoint
from shisho.web.http.address import AllowList
from tests.faults.children import LONG
from tests.machine import PATIENCE
from tests.web.servers import Names


def need_browser(*programs: str) -> None:
    """Chromium, and further programs by name."""
    missing = [name for name in programs if shutil.which(name) is None]
    if chromium.find() is None or missing:
        word = f"needs {', '.join(['chromium', *programs])}: apt-get install chromium xvfb"
        if os.environ.get("CI") == "true":
            pytest.fail(word)
        pytest.skip(word)


def find_page_browser() -> str | None:
    """What shows our own pages to a test: without a window to open, Chromium starts at half the CPU."""
    return shutil.which("chromium-headless-shell") or chromium.find()


WHOLE = LaunchOptions(agent="Shisho/test", trust_any_certificate=True)
# For what a page does, in the short form: a Chromium without windows starts at a third of the CPU. Profiles,
# windows, limits, what a browser wants for itself, and whole flows are tried with the whole one each time.
LIGHT = WHOLE if LONG else replace(WHOLE, path=find_page_browser() or "")


@asynccontextmanager
async def browsing(
    home: Path,
    names: Names,
    *hosts: str,
    ports: frozenset[int] = frozenset(),
    manner: LaunchOptions | None = None,
    connect: Connect = open_endpoint,
    environment: dict[str, str] | None = None,
) -> AsyncIterator[ChromiumBrowser]:
    """`hosts` may lead to this machine, as the names of a web in a box do; nothing else may."""
    need_browser()
    allow = replace(AllowList.from_names(hosts), ports=ports)
    chosen = manner or WHOLE
    proxy = GuardedProxy(names, allow, connect=connect)
    browser = ChromiumBrowser(proxy, home / "profiles", environment or build_child_environment(), chosen)
    try:
        yield browser
    finally:
        await browser.close()


def processes(mark: str) -> list[int]:
    """Those whose command line has this in it."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and mark in (folder / "cmdline").read_text("utf-8", "replace").replace(
                "\0", " "
            ):
                found.append(int(folder.name))
        except OSError:
            continue
    return sorted(found)


def children(parent: int) -> dict[int, str]:
    """Every process below this one, with its command line."""
    parents = {}
    lines = {}
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal():
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                lines[int(folder.name)] = (
                    (folder / "cmdline").read_text("utf-8", "replace").replace("\0", " ")
                )
        except OSError:
            continue
    found: dict[int, str] = {}
    todo = [parent]
    while todo:
        above = todo.pop()
        for process, its_parent in parents.items():
            if its_parent == above:
                found[process] = lines.get(process, "")
                todo.append(process)
    return found


async def until(true: Callable[[], object], seconds: float = PATIENCE) -> bool:
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    while not true():
        if clock() > end:
            return False
        await asyncio.sleep(0.05)
    return True
