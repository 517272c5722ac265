"""Two processes for the tests of hostile servers: `serve` plays every script of the box, each on a port of
its own, until its input ends; `read` fetches from all of them at once and prints what came of it and what it
cost."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from shisho.domain.web import Endpoint, Request
from shisho.errors import ShishoError
from shisho.web.http.address import AllowList
from shisho.web.http.fetch import HttpFetcher
from shisho_box.hostile import SCRIPTS, play
from tests.machine import Stopwatch, peak_mb, watch_loop

GOOD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<p>well behaved"


async def serve() -> None:
    ports = {}
    for name in ("good", *SCRIPTS):
        server = await asyncio.start_server(partial(_connected, name), "127.0.0.1", 0)
        ports[name.replace("_", "-") + ".test"] = server.sockets[0].getsockname()[1]
    print(json.dumps(ports), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    os._exit(0)  # the scripts would go on


async def _connected(name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(asyncio.IncompleteReadError):
        await reader.readuntil(b"\r\n\r\n")
    if name == "good":
        writer.write(GOOD)
    else:
        await play(name, reader, writer)
    writer.close()


class Ports:
    """`ports.Resolver` over a table of ports on this machine."""

    def __init__(self, table: dict[str, int]) -> None:
        self._table = table

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        return [Endpoint("127.0.0.1", self._table[host])]


async def read(ports: dict[str, int], total_s: float) -> dict[str, Any]:
    fetcher = HttpFetcher(Ports(ports), AllowList.from_names(ports), "Shisho/test", total_s=total_s)
    await fetcher.fetch(Request("http://good.test/"))
    before = peak_mb()
    lags: list[tuple[float, float]] = []
    latencies: list[float] = []
    beside = [asyncio.create_task(watch_loop(lags)), asyncio.create_task(_well_behaved(fetcher, latencies))]
    hosts = [host for host in ports if host != "good.test"]
    outcomes = await asyncio.gather(*(_outcome(fetcher, host) for host in hosts))
    for task in beside:
        task.cancel()
    await asyncio.gather(*beside, return_exceptions=True)
    return {
        "outcomes": dict(zip(hosts, outcomes, strict=True)),
        "grown_mb": peak_mb() - before,
        "lag_p99_ms": p99([own for own, _ in lags]) * 1000,
        "lag_max_ms": max(own for own, _ in lags) * 1000,
        "lag_by_the_clock_p99_ms": p99([clock for _, clock in lags]) * 1000,
        "good": len(latencies),
        "good_p99_ms": p99(latencies) * 1000,
    }


async def _outcome(fetcher: HttpFetcher, host: str) -> tuple[str, float]:
    with Stopwatch() as watch:
        try:
            answer = await fetcher.fetch(Request(f"http://{host}/start"))
            word = f"{answer.status} {len(answer.body)}"
        except ShishoError as error:
            word = error.code
    return word, watch.undisturbed


async def _well_behaved(fetcher: HttpFetcher, latencies: list[float]) -> None:
    while True:
        started = time.perf_counter()
        answer = await fetcher.fetch(Request("http://good.test/"))
        assert answer.body == b"<p>well behaved"
        latencies.append(time.perf_counter() - started)
        await asyncio.sleep(0.02)


def p99(values: list[float]) -> float:
    return sorted(values)[len(values) * 99 // 100]


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(serve())
    else:
        print(json.dumps(asyncio.run(read(json.loads(sys.argv[2]), float(sys.argv[3])))))
