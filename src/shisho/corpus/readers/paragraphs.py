"""Printed lines to blocks: paragraphs by distance, indent and marks; headings by the size of type; running heads dropped."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.pdfpage import Printed
from shisho.domain.corpus import Block, BlockKind, Line

HEADING_RATIO = 1.2
HEADING_CHARS = 60
LEVELS = 3
EDGE = 2  # lines at the top and at the bottom of a page that may be running heads
REPEATS = 3
DRIFT = 6.0  # points by which a running head may move between pages

_DIGITS = re.compile(r"[0-9０-９]+|\b[ivxlc]+\b")
_FOLIO = re.compile(r"(?:[-‐–—~〜・/.,:：()（）\[\]|]|p|of|ページ|頁)*#(?:[-‐–—~〜・/.,:：()（）\[\]|#]|of|ページ|頁)*", re.I)
_LETTER = re.compile(r"[^\W\d_]")
_MARK = re.compile(
    r"\s*(?:[・•●○■□◆◇▪▶‣※◦–—]|[-*]\s|[(（]?[0-9０-９a-zA-Zア-ンⅰ-ⅹ]{1,3}[)）.．、]\s?(?=\D)|[①-⑳]|第[0-9０-９一二三四五六七八九十百]+[章節条項])"
)
_ENDED = re.compile(r"[。．.!?！？︒:：][」』）)】]*$")


def blocks(pages: Sequence[Sequence[Printed]]) -> tuple[Block, ...]:
    """Blocks of all pages in order; each stands on one page."""
    kept = without_running_heads(pages)
    body = _body_size(kept)
    levels = _levels(kept, body)
    headings = Headings()
    found: list[Block] = []
    for page in kept:
        for group in _groups(page):
            level = levels.get(_rounded(group[0].size)) if _may_head(group) else None
            text = "\n".join(line.text for line in group)
            if level is None:
                kind = BlockKind.LIST if _MARK.match(text) else BlockKind.PARAGRAPH
                found.append(Block(text, kind, group[0].page, headings.path, _placed(group)))
            else:
                above = headings.open(text, level)
                found.append(Block(text, BlockKind.HEADING, group[0].page, above, _placed(group)))
    return tuple(found)


def without_running_heads(pages: Sequence[Sequence[Printed]]) -> list[list[Printed]]:
    """Page numbers go; a line that heads or foots half of all pages, numbers aside, stays only where it comes first."""
    running = _running(pages)
    seen: set[str] = set()
    kept: list[list[Printed]] = []
    for page in pages:
        edges = {id(line) for line in _edges(page)}
        lines = []
        for line in page:
            key = _key(line)
            runs = id(line) in edges and key in running and abs(_middle(line) - running[key]) <= DRIFT
            if not runs or (key not in seen and not _FOLIO.fullmatch(key)):
                lines.append(line)
            if runs:
                seen.add(key)
        kept.append(lines)
    return kept


def _running(pages: Sequence[Sequence[Printed]]) -> dict[str, float]:
    """Running heads and page numbers, and how far down the page each stands."""
    heights: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        for key, height in {_key(line): _middle(line) for line in _edges(page)}.items():
            heights[key].append(height)
    running = {}
    for key, found in heights.items():
        height = median(found)
        together = sum(abs(other - height) <= DRIFT for other in found)
        if together >= (REPEATS if _FOLIO.fullmatch(key) else max(REPEATS, len(pages) / 2)):
            running[key] = height
    return running


def _middle(line: Printed) -> float:
    return (line.box[1] + line.box[3]) / 2


def _edges(page: Sequence[Printed]) -> list[Printed]:
    ordered = sorted(page, key=lambda line: line.box[1])
    return ordered[:EDGE] + ordered[EDGE:][-EDGE:]


def _key(line: Printed) -> str:
    return _DIGITS.sub("#", "".join(line.text.split()))


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


def _body_size(pages: Sequence[Sequence[Printed]]) -> int:
    weights: Counter[int] = Counter()
    for page in pages:
        for line in page:
            weights[_rounded(line.size)] += len(line.text)
    return max(weights, key=lambda size: weights[size], default=0)


def _levels(pages: Sequence[Sequence[Printed]], body: int) -> dict[int, int]:
    """Sizes of type that head something, largest first, and rare, else size means nothing here.

    A size of the first page only is a title page's: whatever heading comes next takes its place."""
    lines = [line for page in pages for line in page]
    larger = [line for line in lines if _rounded(line.size) >= HEADING_RATIO * body]
    if len(larger) > 0.3 * len(lines):
        return {}
    inside = sorted({_rounded(line.size) for line in larger if line.page > 1}, reverse=True)
    levels = dict.fromkeys((_rounded(line.size) for line in larger), LEVELS)
    return levels | {size: min(rank, LEVELS) for rank, size in enumerate(inside, start=1)}


def _may_head(group: Sequence[Printed]) -> bool:
    text = "".join(line.text for line in group)
    return len(group) <= 3 and len(text) <= HEADING_CHARS and not _ENDED.search(text) and bool(_LETTER.search(text))


def _placed(group: Sequence[Printed]) -> tuple[Line, ...]:
    lines: list[Line] = []
    start = 0
    for line in group:
        end = start + len(line.text)
        lines.append(Line(start, end, line.page, line.box))
        start = end + 1
    return tuple(lines)
