"""One process for the tests of hostile servers: a library whose workers fetch from all of them at once,
beside a search of well-behaved pages. Prints what came of it and what it cost. `python -m
tests.flows.hostile_run HOME BOX SECONDS`."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from shisho.bootstrap.library import open_library
from shisho.domain.payloads import read_payload
from shisho.domain.task import SearchOptions
from shisho.services import Library
from shisho.web.http.url import canonicalise
from shisho_box.client import connect
from tests.flows.boxed import way
from tests.flows.smallweb import ended
from tests.machine import Stopwatch, peak_mb, watch_loop
from tests.queues import output_of
from tests.web.hostile import p99

GOOD = SearchOptions(engines=("mojeek",), serp_max_pages=1, max_results_per_query=100)


async def run(home: Path, folder: Path, total_s: float, warm: str, query: str) -> dict[str, Any]:
    box = connect(folder)
    hosts = [host for host in box.hosts if host.endswith(".hostile.example")]
    async with (
        open_library(home=home, web_access=way(box, total_s=total_s)) as library,
        library.working(len(hosts) + 2),
    ):
        await searched(library, warm)
        before = peak_mb()
        lags = list[tuple[float, float]]()
        measuring = asyncio.create_task(watch_loop(lags))
        with Stopwatch() as watch:
            queued = await library.tasks.queue_urls([f"http://{host}/start" for host in hosts])
            good = await searched(library, query)
            await ended(library, queued.task_id)
        measuring.cancel()
        jobs = (await library.tasks.list_jobs(queued.task_id, limit=100)).jobs
    return {
        "outcomes": {
            read_payload(job).subject.split("/")[2]: job.errors[-1].code if job.errors else job.state
            for job in jobs
        },
        "undisturbed": watch.undisturbed,
        "good": good,
        "grown_mb": peak_mb() - before,
        "lag_p99_ms": p99([own for own, _ in lags]) * 1000,
        "lag_max_ms": max(own for own, _ in lags) * 1000,
        "lag_by_the_clock_p99_ms": p99([clock for _, clock in lags]) * 1000,
        "lags": len(lags),
    }


async def searched(library: Library, query: str) -> list[tuple[str, str]]:
    """What became of each hit."""
    queued = await library.tasks.queue_searches([query], options=GOOD)
    await ended(library, queued.task_id)
    (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
    return [(canonicalise(one["url"]), one["status"]) for one in output_of(job)["hits"]]


if __name__ == "__main__":
    home, folder, seconds, warm, query = sys.argv[1:]
    print(json.dumps(asyncio.run(run(Path(home), Path(folder), float(seconds), warm, query))))
