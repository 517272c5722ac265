"""The headings above a block, tracked while a document is read from top to bottom."""

from __future__ import annotations

import re
import unicodedata
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
OPENING = "([{「『【〔〈《“"
CLOSING = ")]}」』】〕〉》”"
_UNTITLED = re.compile(
    r"(?:untitled|無題|名称未設定|タイトルなし|no title|title)(?:[\s\-]*\d+)?"
    r"|(?:document|presentation|book|sheet|文書|プレゼンテーション|スライド|slide|新規(?:文書|ドキュメント))\s*\d*"
    r"|(?:microsoft\s+)?(?:office\s+)?(?:word|powerpoint|excel)(?:\s*(?:文書|文書\d*|document|presentation|プレゼンテーション))?"
    r"|microsoft\s+(?:word|powerpoint|excel)\s+-\s+.*"
    r"|<(?:[0-9a-f]{2})+>"  # a string that a program wrote as hexadecimal digits
    r"|.*\.(?:docx?|docm|pptx?|pptm|xlsx?|xlsm|pdf|tex|dvi|ps|eps|indd|inx|qxd|qxp|p65|pmd|jtd|jtt|ai|odt|odp|ods|rtf|txt|html?)",
    re.I,
)
# Without the particles and figures that are in most titles.
_ORGANISATION = re.compile(
    r"[^\W\d_ぁ-ん]*(?:省|庁|局|委員会|協議会|協会|学会|機構|研究所|会社|センター|銀行|大学)"
)


def title_of(stated: str, blocks: Iterable[Block]) -> str:
    """Return the file's own title, else the first heading, else "".

    A title of the file that ends inside a bracket is only used if there is no heading, and the name of an
    organisation only if there is no other heading on its page.
    """
    stated = _join_spaced_letters(stated)
    if len(stated) > MOST or _UNTITLED.fullmatch(stated):
        stated = ""
    if stated and not _is_cut(stated):
        return stated
    heads = [block for block in islice(blocks, FIRST) if block.kind is BlockKind.HEADING]
    # 「第1章」 and 「1.1」 are headings of parts of an untitled document.
    if not heads or parse_depth(heads[0].text) is not None or (heads[0].page or 1) > FRONT:
        return stated
    if _is_organisation(heads[0]):
        others = [head for head in heads if head.page == heads[0].page and not _is_organisation(head)]
        heads = [max(others, key=_measure_letter_height, default=heads[0])]
    return _join_spaced_letters(label_heading(heads[0].text))


def _is_organisation(head: Block) -> bool:
    return _ORGANISATION.fullmatch("".join(head.text.split())) is not None


def _measure_letter_height(block: Block) -> float:
    """Return the height of its letters in points, 0 if it is not known where they are printed."""
    if not block.lines:
        return 0.0
    left, top, right, bottom = block.lines[0].box
    return min(right - left, bottom - top)


def _is_cut(title: str) -> bool:
    """Return whether a bracket is left open."""
    folded = unicodedata.normalize("NFKC", title)
    return any(
        folded.count(opening) > folded.count(closing)
        for opening, closing in zip(OPENING, CLOSING, strict=True)
    )


def _join_spaced_letters(title: str) -> str:
    """Return a title on one line, without the white space in 「報 告 書」."""
    words = title.split()
    is_spaced = all(len(word) == 1 and not word.isascii() for word in words)
    return ("" if is_spaced else " ").join(words)
