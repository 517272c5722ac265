"""Fifty open pages on one server: `python bench/pages.py`. Each page is a stream of the news of one task, as
the reading room keeps it open.

Printed: the server's memory without and with them, and how long after a change they hear of it. The yardstick
is fifty bare requests at once (`/livez`) in the same run; the change itself, whose commit is in every
wake-up, stands beside them. Milliseconds and MB; Linux."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

import polls

PAGES = 50
ROUNDS = 7
SETTLED_S = 1.0  # after a change, until all that it causes has been told


class OpenPage:
    """A stream of events, and when each came."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._news = asyncio.Event()
        self.heard: list[float] = []

    async def listen(self) -> None:
        """Until the server ends the stream, as the task has ended."""
        while line := await self._reader.readline():
            if line.startswith(b"data:"):
                self.heard.append(time.perf_counter())
                self._news.set()

    async def has_heard(self, count: int) -> None:
        """Wait until so many events have come."""
        while len(self.heard) < count:
            self._news.clear()
            await self._news.wait()


async def opened(host: str, port: int, task: str, stack: AsyncExitStack) -> OpenPage:
    reader, writer = await asyncio.open_connection(host, port)
    stack.callback(writer.close)
    writer.write(f"GET /api/v1/tasks/{task}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    page = OpenPage(reader)
    listening = asyncio.create_task(page.listen())
    stack.callback(listening.cancel)
    return page


async def measure(url: str, pid: int) -> dict[str, float]:
    """Memory, and medians of the rounds."""
    host, port = url.removeprefix("http://").split(":")
    cpu = polls.cpu_of(pid)
    async with AsyncExitStack() as stack:
        maker = await polls.connected(host, int(port), stack)
        clients = [await polls.connected(host, int(port), stack) for _ in range(PAGES)]
        rounds = []
        for number in range(ROUNDS + 1):  # the first warms up
            bare = await polls.bare(clients, cpu)
            rounds.append((*bare[:2], *await woken((host, int(port)), maker, pid, number)))
    grown = {"MB at the start": rounds[0][2], "MB once all is loaded": rounds[1][2]}
    grown[f"MB with {PAGES} pages"] = max(row[3] for row in rounds)
    names = ("livez p50", "livez p99", "", "", "change", "wake-up p50", "wake-up p99")
    times = {name: round(median(row[at] for row in rounds[1:]), 2) for at, name in enumerate(names) if name}
    return grown | times


async def woken(place: tuple[str, int], maker: polls.Connection, pid: int, number: int) -> tuple[float, ...]:
    """Memory before and with the pages; how long one change took by itself, and until half of the pages, and
    all but one in a hundred, had heard of it. Milliseconds and MB."""
    before = memory(pid)
    _, made = await maker.ask("POST", "/api/v1/tasks", json.dumps({"question": f"画面{number}"}).encode())
    task = json.loads(made)["task_id"]
    async with AsyncExitStack() as stack:
        pages = [await opened(*place, task, stack) for _ in range(PAGES)]
        await asyncio.gather(*(page.has_heard(1) for page in pages))
        with_pages = memory(pid)
        file = {"name": f"{number}.txt", "base64": base64.b64encode(f"本文{number}。".encode()).decode()}
        began = time.perf_counter()
        done, _ = await maker.ask(
            "POST", "/api/v1/documents", json.dumps({"task_id": task, "files": [file]}).encode()
        )
        await asyncio.gather(*(page.has_heard(2) for page in pages))
        p50, p99 = polls.figures([page.heard[1] - began for page in pages])
        await asyncio.sleep(SETTLED_S)
    return before, with_pages, (done - began) * 1000, p50, p99


def memory(pid: int) -> float:
    """The resident memory of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    assert found is not None
    return round(int(found[1]) / 1000, 1)


def main() -> dict[str, float]:
    """Against a server of its own, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-c",
            "from shisho.interfaces.cli.app import main; main()",
            "serve",
            "--port",
            "0",
        ]
        environment = {**os.environ, "SHISHO_HOME": folder, "SHISHO_WEB": "off", "SHISHO_EMBEDDER": "none"}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                url = re.search(r"http://[0-9.:]+", server.stdout.readline())
                assert url is not None
                return asyncio.run(measure(url[0], server.pid))
            finally:
                server.terminate()


if __name__ == "__main__":
    print(json.dumps(main(), indent=2))
