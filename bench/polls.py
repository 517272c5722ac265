"""A hundred long polls over HTTP beside a hundred bare requests of the same run.

The yardstick is `/livez`: what HTTP itself costs here for a hundred clients at once. A poll's lateness is
counted from the moment the change is asked for, so that its commit is part of it. Milliseconds; CPU is the
server's for each client."""

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
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median, quantiles

CLIENTS = 100
ROUNDS = 5
BOUND = "ms from a bare request's p99 to a long poll's"


class Connection:
    """A kept-alive client that costs as little as can be."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[float, bytes]:
        """When the reply was there, and the reply."""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        headers = await self._reader.readuntil(b"\r\n\r\n")
        length = next(line for line in headers.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        return time.perf_counter(), await self._reader.readexactly(int(length.split(b":")[1]))


async def measure(url: str, server_cpu: Callable[[], float]) -> dict[str, float]:
    """Milliseconds of polls and of bare requests, and the server's CPU for each of them. Medians of the
    rounds."""
    host, port = url.removeprefix("http://").split(":")
    rounds = []
    async with AsyncExitStack() as stack:
        clients = [await connected(host, int(port), stack) for _ in range(CLIENTS)]
        maker = await connected(host, int(port), stack)
        for number in range(ROUNDS + 1):  # the first warms up
            beside = await bare(clients, server_cpu)
            rounds.append((*beside, *await polled(clients, maker, number, server_cpu)))
    names = ("p50", "p99", "CPU")
    found = {}
    for at, name in enumerate([f"{kind} {name}" for kind in ("livez", "poll") for name in names]):
        found[name] = round(median(row[at] for row in rounds[1:]), 2)
    return {**found, BOUND: round(found["poll p99"] - found["livez p99"], 2)}


async def connected(host: str, port: int, stack: AsyncExitStack) -> Connection:
    reader, writer = await asyncio.open_connection(host, port)
    stack.callback(writer.close)
    return Connection(reader, writer)


async def bare(clients: list[Connection], server_cpu: Callable[[], float]) -> tuple[float, float, float]:
    spent = server_cpu()
    began = time.perf_counter()
    replies = await asyncio.gather(*(client.ask("GET", "/livez") for client in clients))
    return (*figures([at - began for at, _ in replies]), (server_cpu() - spent) * 1000 / CLIENTS)


async def polled(
    clients: list[Connection], maker: Connection, number: int, server_cpu: Callable[[], float]
) -> tuple[float, float, float]:
    # An ended task is not waited for, so each round has a task of its own, without jobs yet.
    _, made = await maker.ask("POST", "/api/v1/tasks", json.dumps({"question": "待つ"}).encode())
    task = json.loads(made)["task_id"]
    _, status = await maker.ask("GET", f"/api/v1/tasks/{task}?wait=0")
    path = f"/api/v1/tasks/{task}?wait=50&since_revision={json.loads(status)['revision']}"
    polls = [asyncio.create_task(client.ask("GET", path)) for client in clients]
    await asyncio.sleep(1)
    early = [poll for poll in polls if poll.done()]
    spent = server_cpu()
    file = {"name": f"{number}.txt", "base64": base64.b64encode(f"本文{number}。".encode()).decode()}
    began = time.perf_counter()
    await maker.ask("POST", "/api/v1/documents", json.dumps({"task_id": task, "files": [file]}).encode())
    replies = await asyncio.gather(*polls)
    assert not early and all(json.loads(reply)["changed"] for _, reply in replies)
    return (*figures([at - began for at, _ in replies]), (server_cpu() - spent) * 1000 / CLIENTS)


def figures(seconds: list[float]) -> tuple[float, float]:
    cuts = quantiles(seconds, n=100)
    return cuts[49] * 1000, cuts[98] * 1000


def cpu_of(pid: int) -> Callable[[], float]:
    """The CPU seconds that a process has used, on Linux."""

    def seconds() -> float:
        threads = Path(f"/proc/{pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9

    return seconds


def main() -> dict[str, float]:
    """Against a server of its own, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        words = [
            sys.executable,
            "-c",
            "from shisho.interfaces.cli.app import main; main()",
            "serve",
            "--port",
            "0",
        ]
        with subprocess.Popen(
            words, env={**os.environ, "SHISHO_HOME": folder}, stdout=subprocess.PIPE, text=True
        ) as server:
            try:
                assert server.stdout is not None
                url = re.search(r"http://[0-9.:]+", server.stdout.readline())
                assert url is not None
                return asyncio.run(measure(url[0], cpu_of(server.pid)))
            finally:
                server.terminate()


if __name__ == "__main__":
    results = main()
    print(json.dumps(results, indent=2))
    sys.exit(f"missed: {BOUND}" if results[BOUND] > 50 else 0)
