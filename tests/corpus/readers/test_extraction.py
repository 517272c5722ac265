"""The main text of news pages, measured: what the corpus stores of a page against plain trafilatura on the
same pages."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator

import lxml.html
import pytest
import trafilatura

from shisho.corpus.layout import lay_out
from shisho.corpus.readers import html
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import Reading, Source
from shisho.errors import DocumentUnreadable
from tests.faults.children import LONG
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
    """True, false and missed shingles as shares of the page's, so that a long page weighs no more than a
    short one."""
    ours = shingles(found)
    theirs = shingles(gold)
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


def cut(page: bytes, gold: str, paragraphs: int) -> tuple[bytes, str] | None:
    """The page with so many paragraphs of its article and no more: most of what is left is not the
    article."""
    tree = lxml.html.document_fromstring(page, parser=lxml.html.HTMLParser(encoding="utf-8"))
    whole = squeezed(gold)
    own = [
        each
        for each in tree.iter("p")
        if len(squeezed(each.text_content())) >= 40 and squeezed(each.text_content()) in whole
    ]
    for paragraph in own[paragraphs:]:
        paragraph.drop_tree()
    if len(own) < paragraphs + 2:
        return None
    return lxml.html.tostring(tree, encoding="utf-8"), "\n".join(
        paragraph.text_content() for paragraph in own[:paragraphs]
    )


def squeezed(text: str) -> str:
    return " ".join(text.split())


def stored(page: bytes) -> str:
    try:
        return lay_out(html.read(page)).text
    except DocumentUnreadable:
        return ""


@pytest.mark.slow
def test_main_text_is_found_better_than_by_trafilatura_and_no_dearer() -> None:
    ours = []
    plain = []
    spent = 0.0
    spent_plain = 0.0
    for _, page, gold in pages():
        began = time.process_time()
        ours.append((stored(page), gold))
        read = time.process_time()
        plain.append((trafilatura.extract(page) or "", gold))
        spent += read - began
        spent_plain += time.process_time() - read
    assert len(ours) >= 90
    print(
        f"\nF1 over {WORDS}-word shingles, {len(ours)} pages: ours {f1(ours):.4f}, trafilatura {f1(plain):.4f}"
    )
    print(f"CPU: {spent / spent_plain:.2f} times trafilatura's")
    assert f1(ours) >= f1(plain) + 0.01
    assert spent <= 1.15 * spent_plain


@pytest.mark.slow
@pytest.mark.parametrize(
    "paragraphs",
    [1, pytest.param(3, marks=pytest.mark.skipif(not LONG, reason="SHISHO_LONG=1 cuts at both"))],
)
def test_short_articles_on_full_pages_are_found_no_worse(paragraphs: int) -> None:
    short = [made for _, page, gold in pages() if (made := cut(page, gold, paragraphs)) is not None]
    assert len(short) > 70
    ours = f1((stored(page), gold) for page, gold in short)
    plain = f1((trafilatura.extract(page) or "", gold) for page, gold in short)
    print(
        f"\nF1 on {len(short)} pages cut to {paragraphs} paragraphs: ours {ours:.4f}, trafilatura {plain:.4f}"
    )
    assert ours >= plain


async def test_the_child_reads_what_was_measured() -> None:
    reader = KillableReader(60, 1024, 2**24)
    try:
        for name, page, _ in list(pages())[:8]:
            reading: Reading = await reader.read(Source(f"{name}.html", page, "text/html"))
            assert reading == html.read(page), name
    finally:
        await reader.close()
