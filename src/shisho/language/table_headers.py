"""The header of a table in a text: the rows that label the columns.

A row is a line with its cells between tabs, bars or commas. Pure.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from shisho.language import compile_lazily
from shisho.language.numbers import UNITS, fold_figures

FEWEST_CELLS = {"\t": 2, "|": 3, ",": 3}  # by separator: a line with fewer cells is not a row of a table
FEWEST_LABELS = 3  # a table of two columns has a header only if figures are below it
LONGEST_LABEL = 30  # characters: a longer cell is text, not a label of a column
LONGEST_HEADER = 240  # characters of a displayed header
MAX_HEADER_ROWS = 4
MAX_ABOVE = 200_000  # characters of a table that are searched
BETWEEN_LABELS = " · "
BETWEEN_ROWS = " / "
_FIGURE = compile_lazily(r"(?=.*\d)[\s\d.,:/%％¥￥$€円人件点\-+−~〜()（）]+")
_PERIOD = compile_lazily(r"\s*(?:(?:19|20)\d\d|(?:令和|平成|昭和)?\d{1,4}(?:年度?|月|日|年\d{1,2}月))\s*")
_RULE = compile_lazily(r"\s*:?-{3,}:?\s*")
_DIGIT = compile_lazily(r"\d")
_SEPARATORS = (
    compile_lazily(r"\t"),
    compile_lazily(r"\s*\|\s*"),
    compile_lazily(r","),
    compile_lazily(r",(?!\d{3}(?!\d))"),
)
_UNIT_LABEL = compile_lazily(r"[(（\[［]\s*([^()（）\[\]［］]{1,10})\s*[)）\]］]\s*$")
_BARE_NUMBER = compile_lazily(r"\s*[-+−]?\d[\d,]*(?:\.\d+)?\s*")

Row = Sequence[str]


def find_table_header(text: str, start: int) -> str:
    """Return the header rows above the row that contains `text[start]`, verbatim.

    Empty if the offset is not in a row, is in the header itself, or has no header above it.
    """
    line_start = text.rfind("\n", 0, start) + 1
    line = text[line_start:].split("\n", 1)[0]
    mark = next((mark for mark, fewest in FEWEST_CELLS.items() if len(_split(line, mark)) >= fewest), "")
    if not mark:
        return ""
    lines = list(_read_rows_above(text[max(0, line_start - MAX_ABOVE) : line_start], mark))[::-1]
    rows = [_split(row, mark) for row in (*lines, line)]
    return "\n".join(lines[: _count_header_rows(rows, mark)])


def label_table_header(header: str) -> str:
    """Return the labels of a header, row by row; labels that span columns appear once."""
    mark = next((mark for mark in FEWEST_CELLS if mark in header), "\t")
    rows = [[" ".join(cell.split()) for cell in _split(line, mark)] for line in header.split("\n")]
    once_each = [[label for label, _ in groupby(row) if label] for row in rows if not _is_rule(row)]
    return BETWEEN_ROWS.join(BETWEEN_LABELS.join(labels) for labels in once_each)[:LONGEST_HEADER]


def spell_out_units(text: str, header: str = "") -> str:
    """Return the text of a table with units after its bare numbers.

    割合(%) makes 22.0 below it 22.0%. `header`: its rows, if they precede the text.
    """
    lines = text.splitlines()
    units = next(filter(None, map(_list_units, reversed(header.splitlines()))), [])
    for place, line in enumerate(lines):
        cells = next((cells for cells in _cut(line) if len(cells) == len(units)), [])
        if cells:
            lines[place] = "\t".join(
                f"{cell.strip()}{unit}" if unit and _BARE_NUMBER.fullmatch(cell) else cell
                for cell, unit in zip(cells, units, strict=True)
            )
        else:
            units = _list_units(line) or units
    return "\n".join(lines)


def may_be_label(label: str) -> bool:
    """Return whether a text may be a column label.

    It is short, not a sentence, and not a figure except a year or a day.
    """
    if len(label) > LONGEST_LABEL or label.endswith(("。", "．")):
        return False
    return _PERIOD.fullmatch(label) is not None or not is_figure(label)


def is_figure(cell: str) -> bool:
    return _FIGURE.fullmatch(cell) is not None


def _read_rows_above(before: str, mark: str) -> Iterator[str]:
    """Yield the rows of the same table, upwards."""
    for line in reversed(before.removesuffix("\n").split("\n")):
        if len(_split(line, mark)) < FEWEST_CELLS[mark]:
            return
        yield line


def _split(line: str, mark: str) -> list[str]:
    if mark == "|":
        cells = line.strip().removeprefix("|").removesuffix("|").split("|")
        return cells if "|" in line.strip().strip("|") else []
    if mark == "\t":
        return line.split("\t")
    try:
        return next(csv.reader([line]), [])
    except csv.Error:  # a cell over the length limit
        return []


def _count_header_rows(rows: Sequence[Row], mark: str) -> int:
    """Return the number of header rows, from the first row on; the last row never counts."""
    ruled = next((place for place, row in enumerate(rows) if _is_rule(row)), 0)
    if 0 < ruled <= MAX_HEADER_ROWS and ruled + 1 < len(rows):
        return ruled
    first, *below = rows
    if not below or not _is_header(first, below[-1], mark):
        return 0
    if (mark == "," or len(first) < FEWEST_LABELS) and 2 * sum(
        _has_figures(row, first, mark) for row in below
    ) < len(below):
        return 0
    count = 1
    while count < min(MAX_HEADER_ROWS, len(below)) and _is_continued(rows, count):
        count += 1
    return count if count > 1 or sum(map(bool, map(str.strip, first))) > 1 else 0


def _is_header(first: Row, quoted: Row, mark: str) -> bool:
    # A line of prose has commas too, but with spaces, and rarely as many as the next line.
    fits = mark != "," or (len(first) == len(quoted) and not any(cell.startswith(" ") for cell in first))
    return fits and all(map(may_be_label, map(str.strip, first)))


def _has_figures(row: Row, header: Row, mark: str) -> bool:
    """Return whether the row has figures (in a CSV, codes) below labels that are words."""
    if any(map(is_figure, row[1:])):
        return True
    pairs = zip(header, row, strict=False)
    return mark == "," and any(_DIGIT.search(cell) and not _DIGIT.search(label) for label, cell in pairs)


def _is_continued(rows: Sequence[Row], count: int) -> bool:
    """Return whether the header includes the row after `count` rows.

    A cell above it spans several columns, it contains labels only, and figures are below it.
    """
    spans = any(
        first.strip() == other.strip() or not other.strip() for first, other in pairwise(rows[count - 1])
    )
    labels = [cell.strip() for cell in rows[count] if cell.strip()]
    return spans and all(map(may_be_label, labels)) and any(is_figure(cell) for cell in rows[-1])


def _is_rule(row: Row) -> bool:
    return len(row) > 1 and all(map(_RULE.fullmatch, row))


def _list_units(line: str) -> list[str]:
    """Return the unit of each cell, "" for none; an empty list if no cell has one."""
    units = []
    for cell in next(_cut(line), []):
        match = _UNIT_LABEL.search(cell)
        unit = fold_figures(match[1]).strip() if match else ""
        units.append(unit if unit in UNITS else "")
    return units if any(units) else []


def _cut(line: str) -> Iterator[list[str]]:
    """Yield the line split into cells by each separator that gives several.

    A comma may belong to a number.
    """
    rows = (separator.split(line.strip()) for separator in _SEPARATORS)
    return (cells for cells in rows if len(cells) > 1)
