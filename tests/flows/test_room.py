"""k reaches the reader: as many passages are shown in a round as suit the library, unless the reader has less
room. `bench/room.py` measures the same over a real set."""

from __future__ import annotations

import asyncio
import importlib
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.desk import open_desk
from shisho.domain.corpus import Complexity, Source
from tests.flows.test_model_cost import filler

ROOT = Path(__file__).parents[2]
PASSAGES = 1_005
WORDS = ("年", "日本", "世界", "名前")
K = {Complexity.SINGLE: [20, 40, 60, 60], Complexity.COMPARISON: [40, 80, 100, 100]}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    return importlib.import_module("room")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of which each passage has three of the four words that are asked for."""
    path = tmp_path_factory.mktemp("room")
    dice = random.Random(7)
    words = [*combinations(WORDS, 3)]
    text = "\n\n".join(
        f"# 記録 {number}\n\n{number}番の{'の'.join(words[number % len(words)])}の記録。{filler(dice)[:160]}"
        for number in range(PASSAGES)
    )

    async def fill() -> None:
        async with open_desk(home=path, web="off") as desk:
            await desk.add_source(Source("records.md", text.encode(), "text/markdown"))
            assert (await desk.corpora())[0].passages == PASSAGES

    asyncio.run(fill())
    return path


@pytest.mark.parametrize("complexity", K)
async def test_a_model_with_room_reads_k_passages_in_each_round(
    bench: Any, home: Path, complexity: Complexity
) -> None:
    assert await bench.show_to_model(home, 131_072, complexity) == K[complexity]


async def test_a_small_model_reads_what_its_context_holds_and_more_with_a_larger_one(
    bench: Any, home: Path
) -> None:
    shown = [await bench.show_to_model(home, context, Complexity.COMPARISON) for context in (4_096, 8_192)]
    assert all(
        5 <= small < large < k for small, large, k in zip(*shown, K[Complexity.COMPARISON], strict=True)
    )
