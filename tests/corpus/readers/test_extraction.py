"""The main text of news pages, measured: what the corpus stores of a page against plain trafilatura on the same pages."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
import trafilatura

from shisho.corpus.layout import lay_out
from shisho.corpus.readers import html
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import Reading, Source
from tests.shared import shared

WORDS = 4


def pages() -> Iterator[tuple[str, bytes, str]]:
    """Name, page and gold text."""
    truth = json.loads(shared("extract", "ground-truth.json").read_text("utf-8"))
    for path in sorted(shared("extract", "html").glob("*.html.gz")):
        name = path.name.removesuffix(".html.gz")
        yield name, gzip.decompress(path.read_bytes()), truth[name]["articleBody"]


def shingles(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return Counter(tuple(words[at : at + WORDS]) for at in range(max(1, len(words) - WORDS + 1)) if words)


def shares(found: str, gold: str) -> tuple[float, float, float]:
    """True, false and missed shingles as shares of the page's, so that a long page weighs no more than a short one."""
    ours, theirs = shingles(found), shingles(gold)
    counts = (ours & theirs).total(), (ours - theirs).total(), (theirs - ours).total()
    return tuple(count / max(1, sum(counts)) for count in counts)  # type: ignore[return-value]


def f1(pairs: Iterable[tuple[str, str]]) -> float:
    """As https://github.com/scrapinghub/article-extraction-benchmark computes it."""
    true, false, missed = map(sum, zip(*(shares(found, gold) for found, gold in pairs), strict=True))
    return 2 * true / (2 * true + false + missed)


def test_the_measure() -> None:
    gold = "one two three four five six"
    assert f1([(gold, gold), ("", "")]) == 1.0
    assert f1([("one two three four", gold)]) == pytest.approx(2 * (1 / 3) / (2 / 3 + 2 / 3))
    assert f1([("nothing of all that", gold)]) == 0.0


@pytest.mark.slow
def test_main_text_is_found_no_worse_than_by_trafilatura() -> None:
    ours, plain = [], []
    for _, page, gold in pages():
        ours.append((lay_out(html.read(page)).text, gold))
        plain.append((trafilatura.extract(page) or "", gold))
    assert len(ours) >= 90
    print(f"\nF1 over {WORDS}-word shingles, {len(ours)} pages: ours {f1(ours):.4f}, trafilatura {f1(plain):.4f}")
    assert f1(ours) >= f1(plain)


async def test_the_child_reads_what_was_measured() -> None:
    reader = KillableReader(60, 1024, 2**24)
    try:
        for name, page, _ in list(pages())[:8]:
            reading: Reading = await reader.read(Source(f"{name}.html", page, "text/html"))
            assert reading == html.read(page), name
    finally:
        await reader.close()
