"""News pages with the text of their articles, changed by rule, and how well a text is found in them."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import lxml.html

from shisho.corpus.layout import lay_out
from shisho.corpus.readers import html
from shisho.corpus.readers.maintext import FITTED, FallbackExtraction
from shisho.errors import DocumentUnreadable
from tests.shared import shared

WORDS = 4
OWN = 40  # characters of a paragraph by which it is found in the article
IN_A_PART = 3  # paragraphs


class NewsPage(NamedTuple):
    """A page and the text that a person took for its article."""

    name: str
    data: bytes
    gold: str


def pages() -> Iterator[NewsPage]:
    truth = json.loads(shared("extract", "ground-truth.json").read_text("utf-8"))
    for path in sorted(shared("extract", "html").glob("*.html.gz")):
        name = path.name.removesuffix(".html.gz")
        yield NewsPage(name, gzip.decompress(path.read_bytes()), truth[name]["articleBody"])


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


def f1_of(shared_out: Iterable[tuple[float, float, float]]) -> float:
    """As https://github.com/scrapinghub/article-extraction-benchmark computes it."""
    true, false, missed = map(sum, zip(*shared_out, strict=True))
    return 2 * true / (2 * true + false + missed)


def f1(pairs: Iterable[tuple[str, str]]) -> float:
    return f1_of(shares(found, gold) for found, gold in pairs)


def stored(data: bytes, opinion: FallbackExtraction = FITTED) -> str:
    """What the corpus would keep of a page."""
    try:
        return lay_out(html.read(data, opinion=opinion)).text
    except DocumentUnreadable:
        return ""


def squeezed(text: str) -> str:
    return " ".join(text.split())


def cut(page: NewsPage, paragraphs: int) -> NewsPage | None:
    """The page with so many paragraphs of its article and no more: most of what is left is not the
    article."""
    tree, own = _parsed(page)
    if len(own) < paragraphs + 2:
        return None
    for paragraph in own[paragraphs:]:
        paragraph.drop_tree()
    gold = "\n".join(paragraph.text_content() for paragraph in own[:paragraphs])
    return NewsPage(page.name, _written(tree), gold)


def part(page: NewsPage, tag: str = "article", name: str = "") -> NewsPage | None:
    """The page with its article in several elements beside each other, a few paragraphs in each. What it
    stood in is no longer marked as the article."""
    tree, own = _parsed(page)
    parents = Counter(paragraph.getparent() for paragraph in own)
    parent, count = parents.most_common(1)[0] if parents else (None, 0)
    if parent is None or count < 2 * IN_A_PART:
        return None
    inside = [paragraph for paragraph in own if paragraph.getparent() is parent]
    for outer in (parent, *parent.iterancestors()):
        outer.tag = "div" if outer.tag in ("article", "main") else outer.tag
        for attribute in ("class", "id", "itemprop", "role"):
            outer.attrib.pop(attribute, None)
    for at in range(0, len(inside), IN_A_PART):
        box = parent.makeelement(tag)
        box.set("class", name)
        inside[at].addprevious(box)
        box.extend(inside[at : at + IN_A_PART])
    return NewsPage(page.name, _written(tree), page.gold)


def hide(page: NewsPage, forms: Sequence[str], words: Sequence[str]) -> NewsPage:
    """The page with paragraphs that nobody sees among those of its article: after each a form in turn, with a
    sentence in turn."""
    tree, own = _parsed(page)
    for number, paragraph in enumerate(own):
        hidden = lxml.html.fragment_fromstring(f"<p {forms[number % len(forms)]}></p>")
        hidden.text = words[number % len(words)]
        hidden.tail = paragraph.tail
        paragraph.tail = None
        paragraph.addnext(hidden)
    return NewsPage(page.name, _written(tree), page.gold)


def _parsed(page: NewsPage) -> tuple[Any, list[Any]]:
    """The tree of a page, and the paragraphs of its article."""
    tree = lxml.html.document_fromstring(page.data, parser=lxml.html.HTMLParser(encoding="utf-8"))
    whole = squeezed(page.gold)
    texts = ((paragraph, squeezed(paragraph.text_content())) for paragraph in tree.iter("p"))
    return tree, [paragraph for paragraph, text in texts if len(text) >= OWN and text in whole]


def _written(tree: Any) -> bytes:
    return bytes(lxml.html.tostring(tree, encoding="utf-8"))
