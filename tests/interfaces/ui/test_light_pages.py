"""How light the pages are: what their import costs, what a browser fetches for Ask and from whom, how soon
one can type."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from playwright.async_api import Browser

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from tests.interfaces.http.rooms import served
from tests.interfaces.ui.room import Reader, visiting

ROUNDS = 3
MAX_RATIO = 8  # of the time until Ask can be used to that of a page of the server that does nothing
MAX_BYTES = 150_000
PAGES = "shisho.interfaces.ui"
TOOLS = "jinja2, starlette.requests"
TIMES_TOOLS = 2  # of the CPU of importing what the pages are made with; measured: 1.1
# From the start of the navigation until the page can be used, in milliseconds, and what was transferred for
# it.
INTERACTIVE = """() => {
  const resources = performance.getEntriesByType('resource');
  const [page] = performance.getEntriesByType('navigation');
  return [performance.now(), [page, ...resources].reduce((sum, entry) => sum + entry.transferSize, 0)];
}"""


class Connections:
    """The addresses that this process connects to while it is `heard`. Such a hook stays as long as the
    process."""

    def __init__(self) -> None:
        self.is_heard = True
        self.addresses: list[Any] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_heard and event in ("socket.connect", "socket.sendto"):
            connected, address = arguments
            if connected.family in (socket.AF_INET, socket.AF_INET6):
                self.addresses.append(address[0])


@pytest.fixture
def connections() -> Iterator[Connections]:
    connections = Connections()
    yield connections
    connections.is_heard = False


@pytest.mark.slow
def test_the_import_of_the_pages_costs_little_more_than_that_of_their_tools() -> None:
    rounds = [(import_cpu_s(PAGES), import_cpu_s(TOOLS)) for _ in range(ROUNDS)]
    pages, tools = map(min, zip(*rounds, strict=True))
    print(f"import of the pages: {pages:.3f} s of CPU, {pages / tools:.2f} times {tools:.3f} s")
    assert pages <= TIMES_TOOLS * tools


def import_cpu_s(modules: str) -> float:
    """Of a process of its own, without its start."""
    program = (
        f"import time; before = time.process_time(); import {modules}; print(time.process_time() - before)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(done.stdout)


@pytest.mark.asyncio(loop_scope="session")
async def test_ask_can_be_used_soon_and_is_light(browser: Browser, reader: Reader) -> None:
    """Both by the browser's own clock, anew each time; the yardstick is the bare page of an address that is
    not there."""
    times: dict[str, list[float]] = {"/": [], "/nowhere": []}
    sizes = []
    for _ in range(ROUNDS):
        for path, rounds in times.items():
            async with visiting(browser, reader) as visit:
                await visit.page.goto(reader.url + path)
                if path == "/":
                    await visit.ready()
                milliseconds, size = await visit.page.evaluate(INTERACTIVE)
                rounds.append(milliseconds)
                if path == "/":
                    sizes.append(size)
    usable, bare = (median(rounds) for rounds in times.values())
    print(f"Ask can be used after {usable:.0f} ms, {usable / bare:.1f} times a bare page; {max(sizes)} bytes")
    assert usable <= MAX_RATIO * bare
    assert 0 < max(sizes) <= MAX_BYTES


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_neither_the_browser_nor_the_server_turns_to_another_host(
    browser: Browser, tmp_path: Path, connections: Connections
) -> None:
    """The browser's requests are checked at the end of each visit."""
    text = "決定係数とは、回帰式の当てはまりの良さを示す指標である。"
    async with (
        open_library(home=tmp_path, embedder="none") as library,
        library.working(1),
        served(library) as client,
        visiting(browser, str(client.base_url).split("/api")[0]) as visit,
    ):
        await library.documents.add_source(Source("r2.txt", text.encode()))
        await visit.open("/?q=決定係数とは何か")
        await visit.page.wait_for_selector(".answer .why")
        await visit.page.locator(".answer .chip").first.click()
        for path in ("/library", "/queue", "/settings"):
            await visit.open(path)
            await visit.page.wait_for_load_state("networkidle")
    assert set(connections.addresses) <= {"127.0.0.1", "::1"}
