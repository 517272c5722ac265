"""The main text of a page.

It is extracted by trafilatura, or by readability if trafilatura likely missed most of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

import lxml.html  # type: ignore[import-untyped]
import trafilatura
from lxml import etree
from readability import Document
from trafilatura.xpaths import BODY_XPATH

from shisho.corpus.readers.hidden import drop_elements
from shisho.corpus.readers.walking import TreeWalk
from shisho.domain.corpus import Block, BlockKind, strip_mark
from shisho.records import dataclass

MENU = 3  # links
# A cell with one of these is part of a layout and contains no data.
_LAYING_OUT = "//table[.//*[self::h1 or self::h2 or self::h3 or self::table or self::p[following-sibling::p]][ancestor::td]]"
_UNREAD = (
    "script",
    "style",
    "noscript",
    "template",
    "head",
    "nav",
    "footer",
    "svg",
    "math",
    "iframe",
    "select",
    "button",
)


def clear_surroundings(tree: Any) -> None:
    """Remove the surroundings of the text, and dissolve layout tables."""
    etree.strip_elements(tree, *_UNREAD, with_tail=False)
    for table in tree.xpath(_LAYING_OUT):
        for part in [
            part for part in table.iter("tr", "td", "th") if next(part.iterancestors("table")) is table
        ]:
            part.tag = "div"
        table.tag = "div"


def find_menus(tree: Any) -> list[Any]:
    """Return parts that consist of several links only, or nothing if the whole page does.

    In a small page they would be passages under its title.
    """
    letters: dict[Any, tuple[int, int, int]] = {}  # in all, in links, links
    elements = list(tree.iter(etree.Element))
    for element in reversed(elements):  # children before their parents
        below = [letters[child] for child in element if child in letters]
        loose = "".join((element.text or "", *(child.tail or "" for child in element)))
        own_letters = sum(map(str.isalnum, loose))
        whole, linked, links = (sum(column) for column in zip((own_letters, 0, 0), *below, strict=True))
        letters[element] = (whole, whole, 1) if element.tag == "a" else (whole, linked, links)
    whole, linked, _ = letters[elements[0]]
    menus = [
        element
        for element in elements
        if letters[element][2] >= MENU and letters[element][0] == letters[element][1]
    ]
    return menus if linked < whole else []


PARAGRAPH = 60  # letters; shorter ones are captions, notes and buttons
SENTENCE = 20  # letters; shorter ones are labels
PART = 100  # letters in paragraphs of a real part of the text
MOST = 0.9  # of a text
RECOGNISED = 60  # letters by which a block is found in the page
FAR_MORE = 4  # times the letters in paragraphs: a page with so many in divisions uses divisions as paragraphs
_NAMES_OF_BLOCKS = (
    "div p ul ol dl li table pre blockquote section article form figure img h1 h2 h3 h4 h5 h6 header footer nav aside"
    " main iframe button input"
)
_BLOCKS = tuple(_NAMES_OF_BLOCKS.split())
_STRUCTURAL_KINDS = frozenset((BlockKind.HEADING, BlockKind.LIST))
_DROPPED = "dropped"
_IN_SENTENCES = ("span", "em", "strong", "b", "i", "code", "kbd", "samp", "var")
_STRUCTURAL_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6", "li", "dt")


@dataclass(frozen=True, slots=True)
class FallbackExtraction:
    """The rule for replacing trafilatura's text by readability's.

    Sizes are letters, without white space. Fitted on one half of 92 news pages: unchanged, truncated, and
    with each article in several parts. F1 on the other half is .968, .789 and .909; trafilatura's with its
    own second opinions is .946, .721 and .893. tests/corpus/readers/test_second_opinion.py repeats the fit
    and compares the result.
    """

    #: Below this size, trafilatura is assumed to have missed the article …
    little: int = 300
    #: … if readability found this many times as much.
    far_more: float = 5
    #: If trafilatura took one of several parts, readability must have found this many times as much.
    more: float = 1.25

    def is_asked(self, size: int, *, in_parts: bool) -> bool:
        return size < self.little or in_parts

    def is_better(self, size: int, other: int, *, in_parts: bool, holds: bool) -> bool:
        """Return whether the other text is better. `holds`: it contains most of the first one."""
        if size < self.little and other >= max(self.little, self.far_more * size):
            return True
        return in_parts and holds and other >= self.more * size


FITTED = FallbackExtraction()


def find_main_text(tree: Any, opinion: FallbackExtraction = FITTED) -> list[Block]:
    """Return the main text, or nothing if none is found."""
    _keep_whole(tree)
    first = _with_structure(tree, _extract_by_trafilatura(tree))
    size = count_letters(first)
    in_parts = _is_one_of_several(tree, first)
    if not opinion.is_asked(size, in_parts=in_parts):
        return first
    second = _extract_by_readability(tree)
    better = opinion.is_better(size, count_letters(second), in_parts=in_parts, holds=_has_most(second, first))
    return second if better else first


def count_letters(blocks: Iterable[Block]) -> int:
    return len(_squeeze_blocks(blocks))


def _extract_by_trafilatura(tree: Any) -> list[Block]:
    # "fast" skips its own second opinions, "txt" the plain text that "python" would add to the tree.
    extracted: Any = trafilatura.bare_extraction(
        tree, output_format="txt", fast=True, favor_precision=True, include_comments=False
    )
    if extracted is None or extracted.body is None:
        return []
    return TreeWalk().collect_blocks(_with_code(extracted.body))


def _with_code(body: Any) -> Any:
    """Turn code listings into <pre>: trafilatura calls both words and listings <code>."""
    for code in list(body.iter("code")):
        listing = "\n" in "".join(code.itertext()).strip("\n") and code.getparent().tag != "p"
        if listing or code.getparent() is body:
            code.tag = "pre"
            etree.strip_tags(code, "code")
    return body


def _extract_by_readability(tree: Any) -> list[Block]:
    """Return the part of the page that readability takes for its article, if any."""
    try:
        article = lxml.html.fromstring(Document(lxml.html.tostring(tree, encoding="unicode")).summary())
    except Exception:  # it raises any of lxml's errors on a page that it has emptied
        return []
    return TreeWalk().collect_blocks(article)


def _keep_whole(tree: Any) -> None:
    """Remove the reasons for which trafilatura drops a heading or words of a sentence.

    They are empty link targets, and classes that look like a menu's (<span class="guimenu">File</span>).
    """
    for part in tree.iter("a"):
        if not (len(part) or (part.text or "").strip()):
            part.tag = _DROPPED
    etree.strip_tags(tree, _DROPPED)  # at once: one by one is quadratic
    for part in tree.iter(*_IN_SENTENCES):
        if (part.tail or "").strip() or (part.getparent().text or "").strip():
            for name in {"class", "id"}.intersection(part.attrib):
                del part.attrib[name]


def _with_structure(tree: Any, blocks: list[Block]) -> list[Block]:
    """Return the part of the page around the text, with headings, lists and notes.

    If a page marks no main part, like pages generated by DocBook, trafilatura extracts paragraphs and tables
    only.
    """
    if any(block.kind in _STRUCTURAL_KINDS for block in blocks) or any(
        find_main(tree) for find_main in BODY_XPATH
    ):
        return blocks
    if _rename_divisions(tree):
        blocks = _extract_by_trafilatura(tree)
    frame = _find_frame(tree, blocks) if blocks else None
    if frame is None or next(frame.iter(*_STRUCTURAL_TAGS), None) is None:
        return blocks
    framed = _walk(frame)
    return framed if _has_most(framed, blocks) else blocks


def _walk(frame: Any) -> list[Block]:
    """Return a part of a page without menus and hidden text."""
    part = deepcopy(frame)
    part.tail = None
    clear_surroundings(part)
    drop_elements(part, find_menus(part))
    return TreeWalk().collect_blocks(part)


def _rename_divisions(tree: Any) -> bool:
    """Rename divisions that are paragraphs, if they contain nearly all of the text."""
    divisions = [part for part in tree.iter("div") if next(part.iterchildren(*_BLOCKS), None) is None]
    if _count_prose(divisions, SENTENCE) <= FAR_MORE * _count_prose(tree.iter("p"), SENTENCE):
        return False
    for part in divisions:
        part.tag = "p"
    return True


def _find_frame(tree: Any, blocks: list[Block]) -> Any:
    """Return the innermost element with both the first and the last block; None if not found."""
    beginnings = [_squeeze_blocks([block])[:RECOGNISED] for block in (blocks[0], blocks[-1])]
    first, last = _find_elements(tree, beginnings)
    if first is None or last is None:
        return None
    around = {first, *first.iterancestors()}
    return next((part for part in (last, *last.iterancestors()) if part in around), None)


def _find_elements(tree: Any, beginnings: Sequence[str]) -> list[Any]:
    """Return for each text the innermost element that begins with it, or None, in one pass."""
    pieces: list[str] = []
    begun: dict[int, Any] = {}
    at = 0
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        if event == "start":
            begun[at] = element
        piece = "".join(((element.text if event == "start" else element.tail) or "").split())
        pieces.append(piece)
        at += len(piece)
    text = "".join(pieces)
    return [begun.get(text.find(beginning)) for beginning in beginnings]


def _is_one_of_several(tree: Any, blocks: list[Block]) -> bool:
    """Return whether the text is in one of several similar parts that all have paragraphs.

    For example one `article` of several.
    """
    longest = max((_squeeze_blocks([block]) for block in blocks), key=len, default="")[:RECOGNISED]
    paragraphs = tree.iter("p") if longest else ()
    paragraph = next((paragraph for paragraph in paragraphs if longest in _squeeze_element(paragraph)), None)
    if paragraph is None:
        return False
    for part in paragraph.iterancestors():
        beside = (*part.itersiblings(preceding=True), *part.itersiblings())
        alike = [
            other for other in beside if (other.tag, other.get("class")) == (part.tag, part.get("class"))
        ]
        if any(_count_prose(other.iter("p"), PARAGRAPH) >= PART for other in alike):
            return True
    return False


def _count_prose(paragraphs: Iterable[Any], least: int) -> int:
    """Return the letters in prose paragraphs of at least this size, without captions and menus."""
    counted = 0
    for paragraph in paragraphs:
        letters = len(_squeeze_element(paragraph))
        in_links = sum(len(_squeeze_element(link)) for link in paragraph.iter("a"))
        if letters >= least and in_links <= letters / 3:
            counted += letters
    return counted


def _has_most(whole: list[Block], part: list[Block]) -> bool:
    """Return whether a text contains most of another, in the same order."""
    text = _squeeze_blocks(whole)
    may_miss = (1 - MOST) * count_letters(part)
    at = 0
    for block in part:
        words = _squeeze_blocks([block])
        place = text.find(words, at)
        if place >= 0:
            at = place + len(words)
        elif (may_miss := may_miss - len(words)) < 0:
            return False
    return True


def _squeeze_blocks(blocks: Iterable[Block]) -> str:
    return "".join("".join(strip_mark(block.text).split()) for block in blocks)


def _squeeze_element(element: Any) -> str:
    return "".join("".join(element.itertext()).split())
