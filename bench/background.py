"""`make bench`: how long searches take while passages get their vectors in the background, beside the same searches while
nothing else happens. Both in turns, so that what else the machine does meets both alike.

python bench/background.py [--passages 10000] [--turns 8]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import million
import run

from shisho.bootstrap.desk import open_desk
from shisho.desk import Desk
from shisho.desk.news import News, VectorsMade

SEARCHES = 40  # in a turn
READY = 300  # passages that have a vector before, so that searches are by meaning too


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as home:
        asyncio.run(measure(Path(home), options.passages, options.turns))


class Enough(Exception):
    """There are vectors to search by."""


async def measure(home: Path, passages: int, turns: int) -> None:
    """Print both p95 and their ratio."""
    await million.stock(home, passages, 600)
    async with open_desk(home=home, embedder="use", web="off") as desk:
        with suppress(Enough):
            await desk.embeddings.embed(enough)
        await searched(desk)  # what is loaded by the first
        quiet: list[float] = []
        busy: list[float] = []
        for _ in range(turns):
            quiet += await searched(desk)
            background = asyncio.create_task(desk.embeddings.keep_up())
            await asyncio.sleep(1)
            busy += await searched(desk)
            background.cancel()
            await asyncio.wait([background])
            await asyncio.sleep(1)
        progress = await desk.embeddings.progress()
    print(f"passages that got a vector meanwhile: {progress.done - READY if progress else 0:,}")
    for label, times in (("quiet", quiet), ("busy", busy)):
        print(f"{label}: median {statistics.median(times) * 1000:.1f} ms, p95 {p95(times) * 1000:.1f} ms")
    print(f"p95, times quiet (wanted ≤ 1.5): {p95(busy) / p95(quiet):.2f}")


def enough(news: News) -> None:
    if isinstance(news, VectorsMade) and news.progress.done >= READY:
        raise Enough


async def searched(desk: Desk) -> list[float]:
    """Seconds of each search."""
    times = []
    for _ in range(SEARCHES):
        started = time.perf_counter()
        await desk.search([run.QUESTION], limit=10)
        times.append(time.perf_counter() - started)
        await asyncio.sleep(0.05)
    return times


def p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


if __name__ == "__main__":
    main()
