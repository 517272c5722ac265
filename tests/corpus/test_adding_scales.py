"""Adding costs as much per passage in a long document as in a short one, in time of the processor."""

from __future__ import annotations

import time
from pathlib import Path

from shisho.bootstrap.desk import open_desk
from shisho.desk import Desk
from shisho.domain.corpus import Source


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


async def cost(desk: Desk, data: bytes, name: str) -> float:
    started = time.process_time()
    receipt = await desk.add_source(Source(name, data, "text/plain"))
    assert receipt.outcome == "added"
    return (time.process_time() - started) / receipt.passages


async def test_a_passage_of_a_document_ten_times_as_long_costs_no_more(tmp_path: Path) -> None:
    ratios: list[float] = []
    async with open_desk(home=tmp_path) as desk:
        await cost(desk, written(20_000, "始"), "warm.txt")
        while len(ratios) < 3 and min(ratios, default=9.0) > 1.2:
            turn = len(ratios)
            short = await cost(desk, written(120_000, f"短{turn}"), f"short {turn}.txt")
            ratios.append(await cost(desk, written(1_200_000, f"長{turn}"), f"long {turn}.txt") / short)
    assert min(ratios) <= 1.2, ratios
