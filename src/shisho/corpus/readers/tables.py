"""Rows of tables among the lines of a page: lines in pieces with aligned gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from shisho.corpus.readers.pdfpage import PdfLine
from shisho.corpus.readers.shapes import has_label, is_caption

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
        _is_of_cell(line, white) and line.size <= above.size and line.type.bold <= above.type.bold
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


def _is_of_cell(line: PdfLine, white: Sequence[tuple[float, float]]) -> bool:
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
