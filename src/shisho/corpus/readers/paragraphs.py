"""Grouping of the printed lines of a PDF into blocks: paragraphs, tables, and headings with their levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from shisho.corpus.readers import shapes
from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.pdfpage import PdfLine, PdfPage
from shisho.corpus.readers.running import drop_contents, drop_running_heads
from shisho.corpus.readers.shapes import (
    can_be_heading,
    has_label,
    is_bullet,
    is_caption,
    is_item,
    parse_depth,
)
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
        if shapes.is_formula(last.text) and not shapes.is_fragment(line.text):
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
    if shapes.is_fragment(last.text) or shapes.is_fragment(line.text):
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
            group
            for group in groups
            if _may_be_heading(group) and group[0].size >= LARGE_ON_SLIDE * self._body
        ]
        highest = min(large, key=lambda group: group[0].box[1], default=None)
        return highest if highest and highest[0].box[1] < page.height / 3 else None

    def _is_prominent(self, group: Group) -> bool:
        if not _may_be_heading(group):
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


def _may_be_heading(group: Group) -> bool:
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


LEAST = 0.5  # of the font size: the width of the gap that two rows must share
FAR = 2.5  # of the font size: the distance of lines in a table
CELL_LINES = 6  # between two rows that consist of pieces


def find_tables(lines: Sequence[PdfLine]) -> dict[int, int]:
    """Return for each line that is a row the index of its table's first row."""
    rows: dict[int, int] = {}
    last: int | None = None
    for index, line in enumerate(lines):
        if not _may_be_row(line):
            continue
        if last is not None and _is_next_row(lines[last : index + 1]):
            first = rows.setdefault(last, last)
            rows.update(dict.fromkeys(range(last, index + 1), first))
        last = index
    for last, first in list(rows.items()):
        for index in range(last + 1, min(last + 1 + CELL_LINES, len(lines))):
            if index in rows or not _is_cell_continued(lines[last], lines[index - 1], lines[index]):
                break
            rows[index] = first
    return rows


def _is_cell_continued(row: PdfLine, above: PdfLine, line: PdfLine) -> bool:
    """Return whether a line below the last row continues one of its later cells."""
    apart = line.type.base - above.type.base
    under = any(abs(line.box[0] - right) < LEAST * line.size for _, right in row.gaps)
    return (
        under
        and 0 < apart < FAR * line.size
        and line.size <= row.size
        and not line.type.bold
        and not is_caption(line.text)
    )


def _may_be_row(line: PdfLine) -> bool:
    # The gap after the mark of a list item is its indent.
    return len(line.gaps) > has_label(line.text)


def _is_next_row(lines: Sequence[PdfLine]) -> bool:
    """Return whether the first and last lines are rows of one table, with cell lines between."""
    above, *cells, below = lines
    white = _find_shared_gaps(above, below)
    apart = below.type.base - above.type.base
    if (
        not white
        or len(cells) > CELL_LINES
        or not 0 < apart < FAR * max(above.size, below.size) * (len(cells) + 1)
    ):
        return False
    return all(
        _is_in_cell(line, white) and line.size <= above.size and line.type.bold <= above.type.bold
        for line in cells
    )


def _find_shared_gaps(above: PdfLine, below: PdfLine) -> list[tuple[float, float]]:
    """Return the gaps that both rows share; each has its gaps from left to right."""
    shared = []
    ours = list(above.gaps)
    lower = list(below.gaps)
    at = 0
    other = 0
    while at < len(ours) and other < len(lower):
        remaining = max(ours[at][0], lower[other][0])
        right = min(ours[at][1], lower[other][1])
        if right - remaining > LEAST * below.size:
            shared.append((remaining, right))
        if ours[at][1] < lower[other][1]:
            at += 1
        else:
            other += 1
    return shared


def _is_in_cell(line: PdfLine, white: Sequence[tuple[float, float]]) -> bool:
    return not is_caption(line.text) and any(
        line.box[2] <= right or line.box[0] >= remaining for remaining, right in white
    )


def align_columns(rows: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the rows of one table with tabs between cells, as in other document formats.

    Each cell stays in its column: the widest rows show the positions of the columns, and an empty column
    stays empty.
    """
    columns = _find_columns(rows)
    return [_fit_row(row, columns) for row in rows]


def _find_columns(rows: Sequence[PdfLine]) -> list[tuple[float, float]]:
    """Return the extent of each column from left to right; an empty list if it is unclear."""
    most = max(len(row.gaps) for row in rows)
    pieces = [_measure_pieces(row) for row in rows if len(row.gaps) == most]
    columns = [
        (min(start for start, _ in column), max(end for _, end in column))
        for column in zip(*pieces, strict=True)
    ]
    is_clear = all(column[1] <= following[0] for column, following in pairwise(columns))
    return columns if is_clear else []


def _measure_pieces(row: PdfLine) -> list[tuple[float, float]]:
    """Return the extent of each piece of a row, from left to right."""
    lefts = (row.box[0], *(end for _, end in row.gaps))
    rights = (*(start for start, _ in row.gaps), row.box[2])
    return list(zip(lefts, rights, strict=True))


def _fit_row(row: PdfLine, columns: Sequence[tuple[float, float]]) -> PdfLine:
    edges = (0, *row.cells, len(row.text))
    texts = [row.text[start:end].strip() for start, end in pairwise(edges)]
    places = (
        [_find_column(piece, columns) for piece in _measure_pieces(row)]
        if len(texts) == len(row.gaps) + 1
        else []
    )
    if len(texts) == 1 or -1 in places or len(set(places)) < len(texts):
        return replace(row, text="\t".join(filter(None, texts)))
    cells = [""] * len(columns)
    for place, text in zip(places, texts, strict=True):
        cells[place] = text
    return replace(row, text="\t".join(cells).rstrip("\t"))


def _find_column(piece: tuple[float, float], columns: Sequence[tuple[float, float]]) -> int:
    """Return the column that a piece overlaps; -1 for none or several."""
    indices = [index for index, (start, end) in enumerate(columns) if piece[0] < end and start < piece[1]]
    return indices[0] if len(indices) == 1 else -1
