"""Rows of tables among the lines of a page: lines in pieces whose white stands one above the other."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.corpus.readers.pdfpage import PdfLine
from shisho.corpus.readers.shapes import has_label, is_caption

LEAST = 0.5  # of the size of type: how much of their white two rows must share
FAR = 2.5  # of the size of type: from line to line of a table
CELL_LINES = 6  # between the lines of two rows that stand in pieces themselves


def tables(lines: Sequence[PdfLine]) -> dict[int, int]:
    """Index of a line that is a row → the index of the first row of its table."""
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
            if index in rows or not _goes_on_in_cell(lines[last], lines[index - 1], lines[index]):
                break
            rows[index] = first
    return rows


def _goes_on_in_cell(row: PdfLine, above: PdfLine, line: PdfLine) -> bool:
    """True where a line below the last row stands under one of its later cells."""
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
    # White after the mark of a list item is its indent.
    return len(line.gaps) > has_label(line.text)


def _is_next_row(lines: Sequence[PdfLine]) -> bool:
    """True where the first line and the last are rows of one table, and those between them lines of its
    cells."""
    above, *cells, below = lines
    white = _shared_white(above, below)
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


def _shared_white(above: PdfLine, below: PdfLine) -> list[tuple[float, float]]:
    """Both rows have their gaps from left to right."""
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
