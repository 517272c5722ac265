"""The simulation of `make bench`, in short: paging with `auto` pays, and what pays is the rules and not the
simulation."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from shisho.domain.task import StopStrategy
from shisho.web.serp import stopping as pagination

BENCH = Path(__file__).parents[3] / "bench" / "paging.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_paging", BENCH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def both(bench: ModuleType, draws: int = 8) -> tuple[float, float]:
    """The share of the URLs kept and of the requests made, over 200 queries drawn some times."""
    pairs = [pair for draw in range(draws) for shape in bench.compared(200, draw).values() for pair in shape]
    whole = bench.totals(pairs)
    return whole.kept, whole.requested


def test_auto_finds_nearly_all_with_half_of_the_requests(bench: ModuleType) -> None:
    kept, requested = both(bench)
    assert kept >= bench.MIN_FOUND and requested <= bench.MAX_REQUESTS, (kept, requested)


def test_without_barren_there_is_no_saving(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagination, "MIN_HARVEST", -1.0)
    kept, requested = both(bench, draws=2)
    assert kept > 0.97 and requested > 0.8, (kept, requested)


def test_a_greedier_rule_loses_too_much(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagination, "MIN_HARVEST", 0.3)
    kept, requested = both(bench, draws=2)
    assert kept < bench.MIN_FOUND and requested < 0.4, (kept, requested)


@pytest.mark.parametrize("shape", ["steep", "cliff", "long tail", "nothing"])
def test_simulated_pages_are_as_described(bench: ModuleType, shape: str) -> None:
    """No URL twice on a page; pages of ten until the engine's end; never more requests than pages; auto finds
    no more."""
    for number in range(200):
        pages = bench.simulated(bench.SHAPES[shape], random.Random(number), bench.MEAN)
        assert len(pages) == bench.PAGES and 5 <= len({one.url for page in pages for one in page}) <= 50
        for page in pages:
            assert len({one.url for one in page}) == len(page) <= bench.PAGE_SIZE
        always, auto = (
            bench.followed(pages, strategy) for strategy in (StopStrategy.FIXED, StopStrategy.AUTO)
        )
        assert 1 <= auto.requests <= always.requests <= bench.PAGES
        assert (
            auto.found
            <= always.found
            <= sum({one.url: one.relevant for page in pages for one in page}.values())
        )
