"""`make bench`: how long searches take while passages get their vectors in the background, beside the same
searches while nothing else happens. Both in turns, until every passage has its vector, so that what else the
machine does meets both alike.

python bench/background.py [--passages 10000] [--seconds 420]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import million
import run

from shisho.bootstrap.library import open_library
from shisho.services import Library
from shisho.services.news import News, VectorsMade

QUIET = 10  # searches in a turn without work in the background
BUSY_S = 40.0  # of searches in a turn with it
PAUSE_S = 1.5  # between two searches: passages wait for half a second after each
SETTLING_S = 1.0  # until the batch that was begun is at work, or at its end
READY = 300  # passages that have a vector before, so that searches are by meaning too


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=420, help="of all turns: none begins later")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as home:
        asyncio.run(measure(Path(home), options.passages, options.seconds))


class Enough(Exception):
    """There are vectors to search by."""


async def measure(home: Path, passages: int, seconds: float) -> None:
    """Print both p95 and their ratio."""
    await million.stock(home, passages, 600)
    async with open_library(home=home, embedder="use", web="off") as library:
        with suppress(Enough):
            await library.embeddings.embed(enough)
        await searched(library, lambda count: count < QUIET)  # what is loaded by the first
        ends = time.perf_counter() + seconds
        quiet: list[float] = []
        busy: list[float] = []
        embedded = 0
        while embedded < passages - READY and time.perf_counter() < ends:
            quiet += await searched(library, lambda count: count < QUIET)
            busy += await searched_while_embedding(library)
            progress = await library.embeddings.get_progress()
            embedded = progress.done - READY if progress else 0
    print(f"passages that got a vector meanwhile: {embedded:,} of {passages - READY:,}")
    print(f"searches: {len(quiet):,} quiet, {len(busy):,} busy")
    for label, times in (("quiet", quiet), ("busy", busy)):
        print(f"{label}: median {statistics.median(times) * 1000:.1f} ms, p95 {p95(times) * 1000:.1f} ms")
    print(f"p95, times quiet (wanted ≤ 1.5): {p95(busy) / p95(quiet):.2f}")


def enough(news: News) -> None:
    if isinstance(news, VectorsMade) and news.progress.done >= READY:
        raise Enough


async def searched_while_embedding(library: Library) -> list[float]:
    """A turn with work in the background; it ends before all passages have a vector, or with that."""
    background = asyncio.create_task(library.embeddings.keep_up())
    await asyncio.sleep(SETTLING_S)
    ends = time.perf_counter() + BUSY_S
    times = await searched(library, lambda count: time.perf_counter() < ends)
    background.cancel()
    await asyncio.wait([background])
    await asyncio.sleep(SETTLING_S)
    return times


async def searched(library: Library, goes_on: Callable[[int], bool]) -> list[float]:
    """Seconds of each search, as long as it goes on by how many there were."""
    times: list[float] = []
    while goes_on(len(times)):
        started = time.perf_counter()
        await library.documents.search([run.QUESTION], limit=10)
        times.append(time.perf_counter() - started)
        await asyncio.sleep(PAUSE_S)
    return times


def p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


if __name__ == "__main__":
    main()
