"""When readability's text stands in for trafilatura's: fitted on one half of the news pages, tested on the
other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import product
from statistics import mean, median_high
from typing import NamedTuple

import pytest
import trafilatura

from shisho.corpus.readers.maintext import FITTED, FallbackExtraction
from tests.corpus.readers.web_pages import NewsPage, cut, f1_of, pages, part, shares, stored
from tests.faults.children import LONG

Shares = tuple[float, float, float]
SETS: Mapping[str, Callable[[NewsPage], NewsPage | None]] = {
    "as they are": lambda page: page,
    "cut to 3 paragraphs": lambda page: cut(page, 3),
    "in several parts": part,
}
SETTINGS = [
    FallbackExtraction(*values)
    for values in product(
        (50, 100, 150, 200, 300, 400, 500, 700, 1_000), (2, 3, 5, 8, 12, 20), (1, 1.25, 1.5, 2, 3, 5)
    )
]
# Where settings differ by less, one page decides: the middle of them is taken.
ALIKE = 0.001


class Finding(NamedTuple):
    """What `FallbackExtraction` is asked of a page."""

    size: int
    other: int
    in_parts: bool
    holds: bool


class TriedPage(NamedTuple):
    """What each text of a page is worth, and what is known when one is chosen."""

    half: int
    finding: Finding
    first: Shares
    second: Shares
    plain: Shares

    def choose(self, opinion: FallbackExtraction) -> Shares:
        size, other, in_parts, holds = self.finding
        asked = opinion.is_asked(size, in_parts=in_parts)
        better = asked and opinion.is_better(size, other, in_parts=in_parts, holds=holds)
        return self.second if better else self.first


class Never(FallbackExtraction):
    def is_asked(self, size: int, *, in_parts: bool) -> bool:
        return False


@dataclass(frozen=True)
class Always(FallbackExtraction):
    """Notes what it was asked."""

    findings: list[Finding] = field(default_factory=list)

    def is_asked(self, size: int, *, in_parts: bool) -> bool:
        return True

    def is_better(self, size: int, other: int, *, in_parts: bool, holds: bool) -> bool:
        self.findings.append(Finding(size, other, in_parts, holds))
        return True


@lru_cache
def try_pages() -> Mapping[str, list[TriedPage]]:
    tried: dict[str, list[TriedPage]] = {name: [] for name in SETS}
    for page in pages():
        half = sha256(page.name.encode()).digest()[0] % 2
        for name, change in SETS.items():
            if (changed := change(page)) is not None:
                tried[name].append(try_page(changed, half))
    return tried


def try_page(page: NewsPage, half: int) -> TriedPage:
    always = Always()
    second = shares(stored(page.data, always), page.gold)
    first = shares(stored(page.data, Never()), page.gold)
    plain = shares(trafilatura.extract(page.data) or "", page.gold)
    return TriedPage(half, always.findings[0], first, second, plain)


def measure(tried: Iterable[TriedPage], half: int, opinion: FallbackExtraction | None) -> float:
    """F1 on one half; of plain trafilatura without an opinion."""
    own = [page for page in tried if page.half == half]
    return f1_of(page.plain if opinion is None else page.choose(opinion) for page in own)


def measure_all(half: int, opinion: FallbackExtraction | None) -> float:
    return mean(measure(tried, half, opinion) for tried in try_pages().values())


def fit(half: int) -> FallbackExtraction:
    measured = [(measure_all(half, opinion), opinion) for opinion in SETTINGS]
    best = max(score for score, _ in measured)
    alike = [opinion for score, opinion in measured if score >= best - ALIKE]
    return FallbackExtraction(
        median_high(opinion.little for opinion in alike),
        median_high(opinion.far_more for opinion in alike),
        median_high(opinion.more for opinion in alike),
    )


@pytest.mark.slow
@pytest.mark.floors
@pytest.mark.skipif(not LONG, reason="SHISHO_LONG=1 fits it; test_extraction.py holds what it gives")
@pytest.mark.parametrize("half", [0, 1])
def test_what_one_half_says_holds_on_the_other(half: int) -> None:
    fitted = fit(half)
    print(f"\nfitted on half {half}: {fitted}")
    print(f"{'F1':22} {'pages':>11} {'own half':>9} {'other':>7} {'as set':>7} {'trafilatura':>11}")
    for name, tried in try_pages().items():
        sizes = "/".join(str(sum(page.half == each for page in tried)) for each in (half, 1 - half))
        own, other = (measure(tried, each, fitted) for each in (half, 1 - half))
        as_set, plain = (measure(tried, 1 - half, opinion) for opinion in (FITTED, None))
        print(f"{name:22} {sizes:>11} {own:9.4f} {other:7.4f} {as_set:7.4f} {plain:11.4f}")
        assert other >= plain, name
        assert as_set >= plain, name
    assert measure_all(1 - half, fitted) >= measure_all(1 - half, None) + 0.02
    # What is set was fitted on half 0, and neither half knows much better.
    assert measure_all(half, FITTED) >= measure_all(half, fitted) - 0.01


@pytest.mark.slow
@pytest.mark.floors
@pytest.mark.parametrize(
    ("tag", "name", "gained"),
    [("div", "article-body", 0.3), *([("article", "", 0.3), ("section", "", -0.01)] if LONG else [])],
)
def test_of_an_article_in_several_parts_no_part_is_left_out(tag: str, name: str, gained: float) -> None:
    """trafilatura takes the first element that is called an article; of sections it takes all."""
    parted = [made for page in pages() if (made := part(page, tag, name)) is not None][::3]
    assert len(parted) > 20
    ours, alone, plain = (
        f1_of(shares(text(page.data), page.gold) for page in parted)
        for text in (
            stored,
            lambda data: stored(data, Never()),
            lambda data: trafilatura.extract(data) or "",
        )
    )
    print(f"\nF1 on {len(parted)} pages: ours {ours:.4f}, alone {alone:.4f}, trafilatura {plain:.4f}")
    assert ours >= plain - 0.01
    assert ours >= alone + gained
