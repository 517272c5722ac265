"""Grouping of printed lines into blocks, and the kinds of the blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise

from shisho.corpus.readers import shapes
from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.outline import LARGE, Outline, measure_body
from shisho.corpus.readers.pdfpage import PdfLine, PdfPage
from shisho.corpus.readers.running import drop_contents, drop_running_heads
from shisho.corpus.readers.tables import align_columns, find_tables
from shisho.domain.corpus import Block, BlockKind, PrintedLine

SAME_SIZE = 1.11
LABEL = 0.93  # times the size of most characters: the text in figures is smaller
LABEL_CHARS = 60
PITCH = 1.75  # times the font size, if a page has no measurable line pitch


def build_blocks(pages: Sequence[PdfPage]) -> tuple[Block, ...]:
    """Return the blocks of all pages in order; each is on one page."""
    pdf_pages = drop_contents(drop_running_heads(pages))
    lines = [line for page in pdf_pages for line in page.lines]
    body = measure_body(lines)
    grouped = [_with_labels(_Grouping(page.lines, body).group_lines(), body) for page in pdf_pages]
    every_group = chain.from_iterable(grouped)
    outline = Outline(lines, body, (group for kind, group in every_group if kind is BlockKind.PARAGRAPH))
    headings = Headings()
    found_blocks: list[Block] = []
    for page, groups in zip(pdf_pages, grouped, strict=True):
        flowing = [group for kind, group in groups if kind is BlockKind.PARAGRAPH]
        title = outline.title(page, flowing) if page.is_slide else None
        for kind, group in groups:
            if kind is BlockKind.TABLE:
                group = align_columns(group)
            text = "\n".join(line.text for line in group)
            path = headings.path
            if kind is BlockKind.PARAGRAPH:
                if level := (group is title) if page.is_slide else outline.find_level(group):
                    path = headings.open(text, level)
                    kind = BlockKind.HEADING
                elif shapes.is_item(text):
                    kind = BlockKind.LIST
            found_blocks.append(Block(text, kind, group[0].page, path, _place_lines(group)))
    return tuple(found_blocks)


class _Grouping:
    """The lines of one page, grouped."""

    def __init__(self, lines: Sequence[PdfLine], body: float) -> None:
        self._lines = lines
        self._body = body
        self._tables = find_tables(lines)
        self._pitch = _measure_pitches(lines)
        self._margin = _measure_margins(lines)

    def group_lines(self) -> list[tuple[BlockKind, list[PdfLine]]]:
        groups: list[tuple[BlockKind, list[PdfLine]]] = []
        for index, line in enumerate(self._lines):
            if index and self._is_continued(groups[-1][1], index):
                groups[-1][1].append(line)
            else:
                groups.append((self._find_kind(index), [line]))
        return groups

    def _find_kind(self, index: int) -> BlockKind:
        if index in self._tables:
            return BlockKind.TABLE
        return BlockKind.CAPTION if shapes.is_caption(self._lines[index].text) else BlockKind.PARAGRAPH

    def _is_continued(self, group: Sequence[PdfLine], index: int) -> bool:
        last = self._lines[index - 1]
        line = self._lines[index]
        if index in self._tables or index - 1 in self._tables:
            return self._tables.get(index) == self._tables.get(index - 1)
        if any(_is_beside(other, line) for other in group[-4:]):
            return True
        if last.vertical != line.vertical:
            return False
        advance = _measure_advance(last, line)
        pitch = self._pitch.get(line.size, PITCH * line.size)
        if shapes.is_formula(line.text) and not shapes.has_ended(last.text) and 0 < advance < 2.2 * pitch:
            return True
        if shapes.is_formula(last.text) and not shapes.is_scrap(line.text):
            return False
        if not last.size < SAME_SIZE * line.size < SAME_SIZE**2 * last.size or self._is_beginning(line):
            return False
        if self._is_unfinished(index - 1):
            return advance < 1.3 * pitch if last.type.bold == line.type.bold else 0 < advance < 1.1 * pitch
        return self._is_following(group, index, advance, pitch)

    def _is_beginning(self, line: PdfLine) -> bool:
        heads = line.size >= LARGE * self._body and shapes.parse_depth(line.text) is not None
        return heads or shapes.is_bullet(line.text) or line.text.startswith("\u3000")

    def _is_following(self, group: Sequence[PdfLine], index: int, advance: float, pitch: float) -> bool:
        """Return whether a line continues the paragraph although the previous one may be its last."""
        last = self._lines[index - 1]
        line = self._lines[index]
        if last.type.bold != line.type.bold or shapes.is_caption(line.text) or shapes.is_item(line.text):
            return False
        # A number begins a paragraph, but 「see ch.」 may continue with one.
        if shapes.has_label(line.text) and (self._has_room(index - 1) or not last.text.isascii()):
            return False
        if advance < -2 * line.size:  # the top of the next column
            return not shapes.has_ended(last.text)
        if not shapes.has_ended(last.text):
            return advance <= max(1.3 * pitch, 1.6 * line.size) and advance <= 3 * line.size
        shift = line.begin - last.begin
        out = shapes.is_item(group[0].text) and shift < -0.3 * line.size
        return (
            advance <= 1.08 * pitch and shift <= 0.7 * line.size and not out and not self._has_room(index - 1)
        )

    def _is_unfinished(self, index: int) -> bool:
        """Return whether a line ends at the margin and in mid-sentence."""
        return not shapes.has_ended(self._lines[index].text) and not self._has_room(index)

    def _has_room(self, index: int) -> bool:
        """Return whether the next line's first word would have fitted on this line.

        The author then ended the line here.
        """
        line = self._lines[index]
        follower = self._lines[index + 1]
        words = follower.text.split(None, 1)
        if not words:
            return False
        word = words[0]
        need = (0.55 * len(word) + 0.3) * line.size if word.isascii() else 2.2 * line.size
        return self._margin[index] - line.end > need


def _measure_pitches(lines: Sequence[PdfLine]) -> dict[float, float]:
    """Return the most common distance between lines on the page, by font size."""
    steps: dict[float, Counter[float]] = {}
    for above, below in pairwise(lines):
        advance = _measure_advance(above, below)
        same = above.size == below.size and above.vertical == below.vertical
        if same and 0.8 * above.size < advance < 3 * above.size:
            steps.setdefault(above.size, Counter())[round(advance * 2) / 2] += 1
    return {
        size: min(found_step, key=lambda step: (-found_step[step], step))
        for size, found_step in steps.items()
    }


def _measure_margins(lines: Sequence[PdfLine]) -> list[float]:
    """Return for each line the end of the longest line in its column."""
    margins: list[float] = []
    start = 0
    for index in range(1, len(lines) + 1):
        if index == len(lines) or not _is_below(lines[index - 1], lines[index]):
            margins.extend([max(line.end for line in lines[start:index])] * (index - start))
            start = index
    return margins


def _is_below(above: PdfLine, below: PdfLine) -> bool:
    if above.vertical != below.vertical:
        return False
    return _measure_advance(above, below) > -0.5 * below.size and min(above.end, below.end) > max(
        above.begin, below.begin
    )


def _measure_advance(above: PdfLine, below: PdfLine) -> float:
    """Return the distance of the next line along the page: downward, or leftward if vertical."""
    if above.vertical:
        return above.box[2] - below.box[2]
    # PDFium occasionally merges two printed lines: the base is that of the first.
    is_double = above.box[3] - above.box[1] > 1.8 * above.size
    return below.box[3] - above.box[3] if is_double else below.type.base - above.type.base


def _is_beside(last: PdfLine, line: PdfLine) -> bool:
    """Return whether two lines are on one row, like the pieces of a line with formulas."""
    (remaining, top, right, bottom) = last.box
    (x0, y0, x1, y1) = line.box
    apart = max(x0 - right, remaining - x1)
    size = max(last.size, line.size)
    if last.vertical or line.vertical or apart > 1.5 * size:
        return False
    overlap = min(bottom, y1) - max(top, y0)
    if shapes.is_scrap(last.text) or shapes.is_scrap(line.text):
        return (
            overlap > (-0.2 if shapes.is_formula(last.text) or shapes.is_formula(line.text) else 0.1) * size
        )
    return overlap > 0.5 * min(bottom - top, y1 - y0)


def _with_labels(
    groups: Sequence[tuple[BlockKind, list[PdfLine]]], body: float
) -> list[tuple[BlockKind, list[PdfLine]]]:
    """Return groups with the text of each figure as one note.

    It is above the caption: ticks, axes, names.
    """
    labelled: list[tuple[BlockKind, list[PdfLine]]] = []
    for kind, lines in groups:
        if kind is BlockKind.CAPTION and shapes.is_figure(lines[0].text):
            labels: list[PdfLine] = []
            while labelled and _is_label(labelled[-1], body):
                labels = labelled.pop()[1] + labels
            if labels:
                labelled.append((BlockKind.NOTE, labels))
        labelled.append((kind, lines))
    return labelled


def _is_label(group: tuple[BlockKind, list[PdfLine]], body: float) -> bool:
    kind, lines = group
    if kind is BlockKind.TABLE:
        return all(shapes.is_wordless(line.text) for line in lines)
    return kind is BlockKind.PARAGRAPH and all(
        line.size < LABEL * body and len(line.text) <= LABEL_CHARS and not shapes.has_ended(line.text)
        for line in lines
    )


def _place_lines(group: Sequence[PdfLine]) -> tuple[PrintedLine, ...]:
    lines: list[PrintedLine] = []
    start = 0
    for line in group:
        end = start + len(line.text)
        lines.append(PrintedLine(start, end, line.page, line.box))
        start = end + 1
    return tuple(lines)
