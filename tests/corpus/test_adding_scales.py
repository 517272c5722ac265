"""Adding costs as much per passage in a long document as in a short one, in time of the processor, and hardly
more memory."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.services import Library
from tests.faults.children import LONG

ROOT = Path(__file__).parents[2]


def written(characters: int, name: str) -> bytes:
    lines = (
        f"第{number}項{name}。" + f"棚{number}の本{number * 7}を読む。" * 24 for number in range(100_000)
    )
    text: list[str] = []
    size = 0
    while size < characters:
        text.append(next(lines))
        size += len(text[-1])
    return "\n\n".join(text).encode()


PEAKS = """
import asyncio, sys
from shisho.bootstrap.library import open_library
from tests.machine import peak_mb

async def main(home, *paths):
    async with open_library(home=home) as library:
        for path in paths:
            assert [receipt.outcome async for receipt in library.documents.add(path)] == ["added"]
            print(peak_mb())

asyncio.run(main(*sys.argv[1:]))
"""


async def cost(library: Library, data: bytes, name: str) -> float:
    started = time.process_time()
    receipt = await library.documents.add_source(Source(name, data, "text/plain"))
    assert receipt.outcome == "added"
    return (time.process_time() - started) / receipt.passages


@pytest.mark.slow
async def test_a_passage_of_a_document_ten_times_as_long_costs_no_more(tmp_path: Path) -> None:
    ratios: list[float] = []
    async with open_library(home=tmp_path) as library:
        await cost(library, written(20_000, "始"), "warm.txt")
        while len(ratios) < 3 and min(ratios, default=9.0) > 1.2:
            turn = len(ratios)
            short = await cost(library, written(120_000, f"短{turn}"), f"short {turn}.txt")
            ratios.append(await cost(library, written(1_200_000, f"長{turn}"), f"long {turn}.txt") / short)
    assert min(ratios) <= 1.2, ratios


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.skipif(not LONG, reason="SHISHO_LONG=1 measures it, bench/large.py with a hundred megabytes")
def test_a_text_of_ten_megabytes_takes_hardly_more_memory_than_one_of_two(tmp_path: Path) -> None:
    """In a process of its own, less what all else holds there. Two are more than is stored at once; were
    all of it stored at once, each MB more took 20."""
    texts = [written(characters, name) for characters, name in ((1_100_000, "小"), (5_300_000, "大"))]
    paths = [tmp_path / f"{len(text)}.txt" for text in texts]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    command = [sys.executable, "-c", PEAKS, str(tmp_path / "home"), *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    small, large = map(float, done.stdout.split())
    more_text = (len(texts[1]) - len(texts[0])) / 1e6
    print(
        f"{len(texts[0]) / 1e6:.1f} MB: {small:.0f} MB held; {len(texts[1]) / 1e6:.1f} MB: {large:.0f} MB held"
    )
    assert large - small < 10 * more_text
