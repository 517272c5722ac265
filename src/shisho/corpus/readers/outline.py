"""Headings among groups of lines, and their levels.

They are recognised by font size and weight, and by their numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from shisho.corpus.readers.pdfpage import PdfLine, PdfPage
from shisho.corpus.readers.shapes import can_be_heading, is_bullet, is_item, parse_depth

Group = Sequence[PdfLine]

LARGE = 1.15  # times the size of most characters
LARGE_ON_SLIDE = 1.2
NUMBERED = 1.04  # is enough for a heading with a number
SAME = 0.97
HEADING_CHARS = 60
HEADING_LETTERS = 110  # of a script with spaces
HEADING_LINES = 3
LEVELS = 3
COMMON = 0.3  # of all lines: a more common style marks nothing


class Outline:
    """Features of headings in this document: font size and weight.

    A false heading costs more than a missed one.
    """

    def __init__(self, lines: Sequence[PdfLine], body: float, groups: Iterable[Group]) -> None:
        self._body = body
        self._bold_marks = sum(line.type.bold for line in lines) <= COMMON * len(lines)
        self._large_marks = sum(line.size >= LARGE * self._body for line in lines) <= COMMON * len(lines)
        heads = [group for group in groups if self._is_prominent(group)]
        self._ranks = _rank_sizes(heads)
        self._chapters = max(
            (chapter for group in heads if (chapter := _find_chapter(group)) is not None), default=None
        )
        self._top = self._find_number_offset(heads)

    def find_level(self, group: Group) -> int:
        """Return the level from 1, the outermost; 0 if it is not a heading."""
        if not self._is_prominent(group):
            return 0
        if (number := self._find_depth(group)) is not None:
            return max(1, self._top + number)
        if group[0].size < LARGE * self._body:
            return LEVELS + 1
        # A title page is not a parent: the next heading, whatever its level, replaces it.
        return self._ranks.get(group[0].size, LEVELS) if group[0].page > 1 else LEVELS

    def title(self, page: PdfPage, groups: Iterable[Group]) -> Group | None:
        """Return the title of a slide: the highest of its large lines, if in the upper third."""
        large = [
            group for group in groups if _may_head(group) and group[0].size >= LARGE_ON_SLIDE * self._body
        ]
        highest = min(large, key=lambda group: group[0].box[1], default=None)
        return highest if highest and highest[0].box[1] < page.height / 3 else None

    def _is_prominent(self, group: Group) -> bool:
        if not _may_head(group):
            return False
        size = group[0].size
        text = group[0].text
        bold = self._bold_marks and all(line.type.bold for line in group)
        numbered = parse_depth(text) is not None
        if self._large_marks and size >= LARGE * self._body:
            return numbered or not is_item(text)
        if len(group) > 1 or size < SAME * self._body:
            return False
        return (numbered and (bold or size >= NUMBERED * self._body)) or (bold and not is_item(text))

    def _find_depth(self, group: Group) -> int | None:
        number = parse_depth(group[0].text)
        if number == 1 and self._chapters is not None and _find_chapter(group) is None:
            return self._chapters + 1
        return number

    def _find_number_offset(self, heads: Sequence[Group]) -> int:
        """Return the offset of depths: the outermost number has the level of its size."""
        depths = [(number, group) for group in heads if (number := self._find_depth(group)) is not None]
        if not depths:
            return 0
        outer = min(number for number, _ in depths)
        ranks = Counter(self._ranks.get(group[0].size, 1) for number, group in depths if number == outer)
        return ranks.most_common(1)[0][0] - outer


def measure_body(lines: Iterable[PdfLine]) -> float:
    """Return the font size of most characters."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[line.size] += len(line.text)
    return max(weights, key=lambda size: weights[size], default=0.0)


def _may_head(group: Group) -> bool:
    text = " ".join(line.text for line in group)
    most = HEADING_LETTERS if text.isascii() else HEADING_CHARS
    if len(group) > HEADING_LINES or len(text) > most or is_bullet(text):
        return False
    # The gap after the number is the only one in a heading.
    gaps = sum(len(line.gaps) for line in group)
    return gaps <= (parse_depth(text) is not None) and can_be_heading(text)


def _find_chapter(group: Group) -> int | None:
    return parse_depth(group[0].text) if group[0].text.startswith("第") else None


def _rank_sizes(heads: Iterable[Group]) -> dict[float, int]:
    used = Counter(
        group[0].size for group in heads if group[0].page > 1 or parse_depth(group[0].text) is not None
    )
    # A size used once (a preface, a table of contents) is on the chapters' level, not above it.
    ranked = sorted((size for size in used if used[size] > 1), reverse=True)
    return dict.fromkeys(used, 1) | {size: min(rank, LEVELS) for rank, size in enumerate(ranked, start=1)}
