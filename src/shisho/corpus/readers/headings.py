"""The headings above a block, tracked while a document is read from top to bottom."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from shisho.corpus.layout import label_heading
from shisho.corpus.readers.shapes import parse_depth
from shisho.domain.corpus import Block, BlockKind


class Headings:
    """The open headings, outermost first."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._open)

    def open(self, text: str, level: int) -> tuple[str, ...]:
        """Open a heading, closing those of its level and below. Return the path above it."""
        self.close(level)
        above = self.path
        self._open.append((level, label_heading(text)))
        return above

    def close(self, level: int) -> None:
        """Close the headings of this level and below."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()


MOST = 300  # characters
FIRST = 50  # blocks: a later heading belongs to a part, not the whole
FRONT = 2  # pages, likewise
_UNTITLED = re.compile(
    r"(?:untitled|無題|名称未設定|タイトルなし|no title|title)(?:[\s\-]*\d+)?"
    r"|(?:document|presentation|book|sheet|文書|プレゼンテーション|スライド|slide|新規(?:文書|ドキュメント))\s*\d*"
    r"|(?:microsoft\s+)?(?:office\s+)?(?:word|powerpoint|excel)(?:\s*(?:文書|文書\d*|document|presentation|プレゼンテーション))?"
    r"|microsoft\s+(?:word|powerpoint|excel)\s+-\s+.*"
    r"|<(?:[0-9a-f]{2})+>"  # a string that a program wrote as hexadecimal digits
    r"|.*\.(?:docx?|docm|pptx?|pptm|xlsx?|xlsm|pdf|tex|dvi|ps|eps|indd|inx|qxd|qxp|p65|pmd|jtd|jtt|ai|odt|odp|ods|rtf|txt|html?)",
    re.I,
)


def title_of(stated: str, blocks: Iterable[Block]) -> str:
    """Return the file's own title, else the first heading, else ""."""
    stated = " ".join(stated.split())
    if stated and len(stated) <= MOST and not _UNTITLED.fullmatch(stated):
        return stated
    first = next((block for block in islice(blocks, FIRST) if block.kind is BlockKind.HEADING), None)
    # 「第1章」 and 「1.1」 are headings of parts of an untitled document.
    if first is None or parse_depth(first.text) is not None or (first.page or 1) > FRONT:
        return ""
    return label_heading(first.text)
