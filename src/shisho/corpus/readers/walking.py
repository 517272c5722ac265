"""A tree of HTML, or of trafilatura, to blocks under their headings."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from shisho.corpus.readers.headings import Headings
from shisho.domain.corpus import Block, BlockKind

_SPACE = re.compile(r"[ \t\n]+")
_BETWEEN_JAPANESE = re.compile(r"(?<=[ぁ-ヿ一-鿿、。])[ \t]*+\n[ \t]*+(?=[ぁ-ヿ一-鿿])")
_AROUND_BREAK = re.compile(r"(?<! ) *\n *")

# Names of HTML and of trafilatura's own tree side by side.
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
_CELLS = frozenset(("td", "th", "cell"))
_ROWS = frozenset(("tr", "row"))
_KEPT_AS_IS = frozenset(("pre", "code"))


class TreeWalk:
    """One pass over a tree, without recursion: a page may be deeper than Python's stack."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._headings = Headings()
        self._kinds: list[BlockKind] = [BlockKind.PARAGRAPH]
        self._verbatim = 0
        self._text: list[str] = []
        self._row: list[str] = []
        self._rows: list[str] = []

    def blocks_of(self, tree: Any) -> list[Block]:
        for event, element in etree.iterwalk(tree, events=("start", "end")):
            if not isinstance(element.tag, str):
                continue
            if event == "start":
                self._start(element)
            else:
                self._end(element)
        self._flush(1)
        return self._blocks

    def _start(self, element: Any) -> None:
        kind = _KINDS.get(element.tag)
        if kind is not None:
            if BlockKind.TABLE not in self._kinds:
                self._flush(1)
            self._kinds.append(kind)
        self._verbatim += element.tag in _KEPT_AS_IS
        if element.tag in ("br", "lb"):
            self._text.append("\n")
        self._add(element.text)

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag in _CELLS:
            self._row.append(self._taken().replace("\n", " "))
        elif tag in _ROWS and any(self._row):
            self._rows.append("\t".join(self._row))
            self._row = []
        if tag in _KINDS:
            if BlockKind.TABLE not in self._kinds[:-1]:
                self._flush(_level(element))
            self._kinds.pop()
        self._verbatim -= tag in _KEPT_AS_IS
        self._add(element.tail)

    def _add(self, text: str | None) -> None:
        if text:
            self._text.append(text if self._verbatim else _SPACE.sub(" ", _BETWEEN_JAPANESE.sub("", text)))

    def _taken(self) -> str:
        text = "".join(self._text)
        self._text = []
        return text.strip("\n") if self._verbatim else _AROUND_BREAK.sub("\n", text).strip()

    def _flush(self, level: int) -> None:
        kind = self._kinds[-1]
        text = self._taken()
        if kind is BlockKind.TABLE:
            text = "\n".join(filter(None, (*self._rows, text)))
            self._rows = []
        if not text.strip():
            return
        path = self._headings.open(text, level) if kind is BlockKind.HEADING else self._headings.path
        self._blocks.append(Block(text, kind, headings=path))


def _level(element: Any) -> int:
    name = element.get("rend", "h2") if element.tag == "head" else element.tag
    return int(name[1]) if name[:1] == "h" and name[1:2].isdigit() else 2
