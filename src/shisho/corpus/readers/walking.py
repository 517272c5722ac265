"""Conversion of a tree of HTML, or of trafilatura, to blocks under their headings."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.shapes import is_item
from shisho.domain.corpus import Block, BlockKind, write_mark

_LETTERED = frozenset(("a", "A", "i", "I"))


class ListCount:
    """The counter of a list of HTML, or of trafilatura's tree, as in a browser."""

    def __init__(self, element: Any) -> None:
        is_ordered = "ol" in (element.tag, element.get("rend"))
        self._is_counted = is_ordered and element.get("type") not in _LETTERED
        self._is_described = "dl" in (element.tag, element.get("rend"))
        self._next = _number(element.get("start"), 1)

    def count(self, item: Any) -> int | None:
        """Return the number of the next item; 0 for an unnumbered list, None if it has no marks."""
        if self._is_described:
            return None
        number = _number(item.get("value"), self._next)
        self._next = number + 1
        return number if self._is_counted else 0


def mark_item(text: str, number: int = 0) -> str:
    """Return the text after its number or a bullet, unless it already has a mark."""
    return text if is_item(text) else write_mark(text, number)


def _number(written: str | None, otherwise: int) -> int:
    return int(written) if written and written.isdecimal() and len(written) <= 4 else otherwise


_SPACE = re.compile(r"[ \t\n]+")
_BETWEEN_JAPANESE = re.compile(r"(?<=[ぁ-ヿ一-鿿、。])[ \t]*+\n[ \t]*+(?=[ぁ-ヿ一-鿿])")
_AROUND_BREAK = re.compile(r"(?<! ) *\n *")

# Names of HTML and of trafilatura's own tree.
_KINDS = {
    **dict.fromkeys(("li", "dt", "dd", "item"), BlockKind.LIST),
    **dict.fromkeys(("figcaption", "caption"), BlockKind.CAPTION),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "head"), BlockKind.HEADING),
    "table": BlockKind.TABLE,
    **dict.fromkeys(
        ("p", "div", "section", "article", "main", "aside", "header", "address"), BlockKind.PARAGRAPH
    ),
    **dict.fromkeys(
        ("details", "summary", "blockquote", "quote", "ul", "ol", "dl", "list"), BlockKind.PARAGRAPH
    ),
    "pre": BlockKind.CODE,
}
_LISTS = frozenset(("ul", "ol", "dl", "list"))
_ITEMS = frozenset(("li", "item"))
_CELLS = frozenset(("td", "th", "cell"))
_ROWS = frozenset(("tr", "row"))
_KEPT_AS_IS = frozenset(("pre", "code"))


class TreeWalk:
    """One pass over a tree, without recursion: a page may be deeper than Python's stack.

    `anchors`: the ids at which parts of the page begin. `headings`: those that are open before it.
    """

    def __init__(self, anchors: Collection[str] = (), headings: Headings | None = None) -> None:
        self._anchors = anchors
        self._passed: dict[str, None] = {}  # the anchors so far, in order
        self._begun_after: int | None = None  # how many of them precede the text of the next block
        self._counts: list[int] = []  # the same for each block
        self._blocks: list[Block] = []
        self._headings = headings or Headings()
        self._kinds: list[BlockKind] = [BlockKind.PARAGRAPH]
        self._lists: list[ListCount] = []
        self._item: int | None = None  # the number of the item whose text follows, 0 for one without
        self._verbatim = 0
        self._text: list[str] = []
        self._row: list[str] = []
        self._rows: list[str] = []

    def collect_blocks(self, tree: Any) -> list[Block]:
        for event, element in etree.iterwalk(tree, events=("start", "end")):
            if not isinstance(element.tag, str):
                continue
            if event == "start":
                self._start(element)
            else:
                self._end(element)
        self._flush(1)
        return self._blocks

    def collect_parts(self, tree: Any) -> list[tuple[str, list[Block]]]:
        """Return the blocks by the last anchor before them, in order.

        Blocks before all anchors have an empty name. A heading counts as after an anchor inside it, other
        text by its beginning.
        """
        blocks = self.collect_blocks(tree)
        parts: list[tuple[str, list[Block]]] = [(name, []) for name in ("", *self._passed)]
        for count, block in zip(self._counts, blocks, strict=True):
            parts[count][1].append(block)
        return parts

    def _start(self, element: Any) -> None:
        kind = _KINDS.get(element.tag)
        if kind is not None:
            if BlockKind.TABLE not in self._kinds:
                self._flush(1)
            self._kinds.append(kind)
        if element.tag in _LISTS:
            self._lists.append(ListCount(element))
        elif element.tag in _ITEMS and self._lists:
            self._item = self._lists[-1].count(element)
        if self._anchors:
            self._pass(element)
        self._verbatim += element.tag in _KEPT_AS_IS
        if element.tag in ("br", "lb"):
            self._text.append("\n")
        self._add(element.text)

    def _pass(self, element: Any) -> None:
        for name in (element.get("id"), element.get("name") if element.tag == "a" else None):
            if name is not None and name in self._anchors:
                self._passed.setdefault(name)

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag in _CELLS:
            self._row.append(self._take_text().replace("\n", " "))
        elif tag in _ROWS:
            if any(self._row):
                self._rows.append("\t".join(self._row))
            self._row = []
        if tag in _KINDS:
            if BlockKind.TABLE not in self._kinds[:-1]:
                self._flush(_find_level(element))
            self._kinds.pop()
        if tag in _LISTS:
            self._lists.pop()
        elif tag in _ITEMS:
            self._item = None
        self._verbatim -= tag in _KEPT_AS_IS
        self._add(element.tail)

    def _add(self, text: str | None) -> None:
        if text:
            if self._begun_after is None and not text.isspace():
                self._begun_after = len(self._passed)
            self._text.append(text if self._verbatim else _SPACE.sub(" ", _BETWEEN_JAPANESE.sub("", text)))

    def _take_text(self) -> str:
        text = "".join(self._text)
        self._text = []
        return text.strip("\n") if self._verbatim else _AROUND_BREAK.sub("\n", text).strip()

    def _flush(self, level: int) -> None:
        kind = self._kinds[-1]
        text = self._take_text()
        count = self._begun_after
        self._begun_after = None
        if kind is BlockKind.TABLE:
            text = "\n".join(filter(None, (*self._rows, text)))
            self._rows = []
        if not text.strip():
            return
        if self._item is not None and kind in (BlockKind.LIST, BlockKind.PARAGRAPH):
            text = mark_item(text, self._item)
            kind = BlockKind.LIST
        self._item = None
        path = self._headings.open(text, level) if kind is BlockKind.HEADING else self._headings.path
        self._blocks.append(Block(text, kind, headings=path))
        self._counts.append(len(self._passed) if count is None or kind is BlockKind.HEADING else count)


def _find_level(element: Any) -> int:
    name = element.get("rend", "h2") if element.tag == "head" else element.tag
    return int(name[1]) if name[:1] == "h" and name[1:2].isdigit() else 2
