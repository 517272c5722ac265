"""Printed lines to blocks: paragraphs by distance, indent and marks; headings by the type they are set in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.pdfpage import Page, Printed
from shisho.corpus.readers.running import without_running_heads
from shisho.domain.corpus import Block, BlockKind, Line

HEADING_RATIO = 1.2  # to the size of most characters
HEADING_CHARS = 60
LEVELS = 3
COMMON = 0.3

_LETTER = re.compile(r"[^\W\d_]")
_NUMBER = "[0-9０-９a-zA-Zア-ンⅰ-ⅹ]{1,3}"
_MARK = re.compile(
    rf"\s*(?:[・•●○■□◆◇▪▶‣※◦–—]|[-*]\s|[(（]?{_NUMBER}[)）.．、]\s?(?=\D)|[①-⑳]|第[0-9０-９一二三四五六七八九十百]+[章節条項])"
)
_NUMBERED = re.compile(
    r"(?:[0-9０-９]{1,2}(?:[.．][0-9０-９]{1,2}){0,3}[.．]?\s|第[0-9０-９一二三四五六七八九十]+[章節部編])\s*\S"
)
_LEADER = re.compile(r"[.…‥・·]{3,}")  # of a table of contents
_ENDED = re.compile(r"[。．.!?！？︒:：][」』）)】]*$")


def blocks(pages: Sequence[Page]) -> tuple[Block, ...]:
    """Blocks of all pages in order; each stands on one page."""
    kept = without_running_heads(pages)
    ranks = _Ranks([line for page in kept for line in page.lines])
    headings = Headings()
    found: list[Block] = []
    for page in kept:
        groups = _groups(page.lines)
        title = ranks.title(page, groups) if page.is_slide else None
        for group in groups:
            level = (1 if group is title else 0) if page.is_slide else ranks.level(group)
            text = "\n".join(line.text for line in group)
            if level:
                path, kind = headings.open(text, level), BlockKind.HEADING
            else:
                path, kind = headings.path, BlockKind.LIST if _MARK.match(text) else BlockKind.PARAGRAPH
            found.append(Block(text, kind, group[0].page, path, _placed(group)))
    return tuple(found)


class _Ranks:
    """What the size and weight of type say about headings in this document; where either is common, it says nothing."""

    def __init__(self, lines: Sequence[Printed]) -> None:
        weights: Counter[int] = Counter()
        for line in lines:
            weights[_rounded(line.size)] += len(line.text)
        self._body = max(weights, key=lambda size: weights[size], default=0)
        self._sizes = self._levels([line for line in lines if self._is_large(line)], len(lines))
        self._bold_heads = sum(line.bold for line in lines) <= COMMON * len(lines)

    def level(self, group: Sequence[Printed]) -> int:
        """From 1, the outermost; 0 for what is no heading."""
        if not _may_head(group):
            return 0
        if self._sizes is not None and self._is_large(group[0]):
            # A title page heads nothing: whatever heading comes next takes its place.
            return self._sizes[_rounded(group[0].size)] if group[0].page > 1 else LEVELS
        numbered = bool(_NUMBERED.match(group[0].text)) and _rounded(group[0].size) > self._body
        bold = self._bold_heads and all(line.bold for line in group) and not _MARK.match(group[0].text)
        return LEVELS + 1 if len(group) == 1 and (numbered or bold) else 0

    def title(self, page: Page, groups: Sequence[Sequence[Printed]]) -> Sequence[Printed] | None:
        """Of a slide: the highest of its large lines, if it stands in the upper third."""
        large = [group for group in groups if _may_head(group) and self._is_large(group[0])]
        highest = min(large, key=lambda group: group[0].box[1], default=None)
        return highest if highest and highest[0].box[1] < page.height / 3 else None

    def _is_large(self, line: Printed) -> bool:
        return _rounded(line.size) >= HEADING_RATIO * self._body

    def _levels(self, large: Sequence[Printed], lines: int) -> dict[int, int] | None:
        if len(large) > COMMON * lines:
            return None
        used = Counter(_rounded(line.size) for line in large if line.page > 1)
        # A size used once (a preface, a table of contents) stands beside the chapters, not above them.
        ranked = sorted((size for size in used if used[size] > 1), reverse=True)
        return dict.fromkeys(used, 1) | {size: min(rank, LEVELS) for rank, size in enumerate(ranked, start=1)}


def _groups(page: Sequence[Printed]) -> list[list[Printed]]:
    pitch = _pitch(page)
    groups: list[list[Printed]] = []
    for line in page:
        if groups and _goes_on(groups[-1], line, pitch):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _pitch(page: Sequence[Printed]) -> float:
    steps = [abs(_advance(above, below)) for above, below in pairwise(page) if above.vertical == below.vertical]
    return median(steps) if steps else 0.0


def _advance(above: Printed, below: Printed) -> float:
    """How far the next line stands from this one, along the page: downward, or leftward in vertical writing."""
    return above.box[2] - below.box[2] if above.vertical else below.box[3] - above.box[3]


def _goes_on(group: Sequence[Printed], line: Printed, pitch: float) -> bool:
    last = group[-1]
    if last.vertical != line.vertical or not 0.87 < line.size / max(last.size, 0.1) < 1.15:
        return False
    if _MARK.match(line.text) or line.text.startswith("\u3000"):
        return False
    advance = _advance(last, line)
    if advance < -2 * line.size:  # the top of the next column
        return not _ENDED.search(last.text)
    side = 1 if line.vertical else 0
    indented = line.box[side] - last.box[side] > 0.7 * line.size and bool(_ENDED.search(last.text))
    return advance <= max(1.3 * pitch, 1.6 * line.size) and advance <= 3 * line.size and not indented


def _rounded(size: float) -> int:
    return round(size * 2)


def _may_head(group: Sequence[Printed]) -> bool:
    text = "".join(line.text for line in group)
    if len(group) > 3 or len(text) > HEADING_CHARS or _ENDED.search(text) or _LEADER.search(text):
        return False
    return bool(_LETTER.search(text))


def _placed(group: Sequence[Printed]) -> tuple[Line, ...]:
    lines: list[Line] = []
    start = 0
    for line in group:
        end = start + len(line.text)
        lines.append(Line(start, end, line.page, line.box))
        start = end + 1
    return tuple(lines)
