"""Conversion of rows of cells to blocks, for workbooks and delimited files.

Each row is a line, with every cell after the label of its column, so that a row alone explains its figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from shisho.corpus.readers.headings import Headings
from shisho.domain.corpus import Block, BlockKind
from shisho.domain.place import format_cells
from shisho.records import dataclass

ROWS = 100  # of a block: a long sheet can be stored part by part
TITLE = 60  # characters of a single cell above a table
LABEL = 100  # characters of a cell over several rows that is repeated in each of them
# Repeated characters, in total and for each character of a row: a small file stays small.
REPEATED = 10_000
REPEATED_FOR_EACH = 20
_FIGURE = re.compile(r"(?=.*\d)[\s\d.,:/年月日時分%％¥￥$€円△▲+\-()()~〜]+", re.S)
# A period may be a column label.
_PERIOD = re.compile(r"\s*(?:(?:19|20)\d\d|\d{1,4}年度?|\d{1,2}月|\d{1,4}年\d{1,2}月)\s*")
_UNIT = re.compile(r"[（(【\[［]?\s*(?:単位|unit)", re.I)
# Levels of headings: the name of the sheet, titles, and the unit, which ends with its table.
_NAME_LEVEL = 1
_LOWEST_TITLE = 3
_UNIT_LEVEL = 4
_SENTENCE_END = re.compile(r"[。.!?！？]\s*$")


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A non-empty cell.

    Its column from 1, its displayed text, and whether it is words rather than a figure or a date. `strong`:
    it looks like a label, as in bold type. `bottom`: the last of its merged rows, 0 for a cell of one row.
    """

    column: int
    text: str
    is_words: bool
    strong: bool = False
    bottom: int = 0


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row by its number from 1.

    `hidden_above`: hidden rows above it, which do not split a table.
    """

    number: int
    cells: tuple[SheetCell, ...]
    hidden_above: int = 0

    @property
    def position(self) -> int:
        """The index of the row among the visible rows."""
        return self.number - self.hidden_above


def is_words(text: str) -> bool:
    """Return False for a figure, a date or an amount of money."""
    return not _FIGURE.fullmatch(text)


def build_sheet_blocks(rows: Iterable[SheetRow], name: str, page: int | None) -> Iterator[Block]:
    """Yield the blocks of one sheet, under its name."""
    walk = _SheetWalk(name, page)
    for row, following in _with_following(rows):
        yield from walk.take(row, following)
    yield from walk.flush()


def _with_following(rows: Iterable[SheetRow]) -> Iterator[tuple[SheetRow, SheetRow | None]]:
    last: SheetRow | None = None
    for row in rows:
        if last is not None:
            yield last, row
        last = row
    if last is not None:
        yield last, None


class _SheetWalk:
    """The state of a pass down a sheet: the title above, and the labels of the columns."""

    def __init__(self, name: str, page: int | None) -> None:
        self._name = name
        self._page = page
        self._headings = Headings()
        if name:
            self._headings.open(name, _NAME_LEVEL)
        self._labels: dict[int, str] = {}
        self._rows: list[SheetRow] = []
        self._last = 0  # position of the last non-empty row
        self._fresh = True  # no row of several cells since the last gap or title
        self._level = _NAME_LEVEL  # of the heading above the next row
        self._second: SheetRow | None = None  # the lower row of a two-row header
        self._tall: dict[int, SheetCell] = {}  # cells of the table that reach into rows below, by column
        self._allowance = REPEATED

    def take(self, row: SheetRow, following: SheetRow | None) -> Iterator[Block]:
        if row is self._second:
            self._last = row.position
            return
        if row.position > self._last + 1:
            yield from self.flush()
            if not self._fresh:
                self._headings.close(_UNIT_LEVEL)
            self._fresh = True
            self._level = _NAME_LEVEL
        self._last = row.position
        below = following if following is not None and following.position == row.position + 1 else None
        if self._fresh and not self._rows and _is_title(row, below):
            self._labels = {}
            yield self._title(row)
            return
        if self._fresh and len(row.cells) > 1:
            yield from self.flush()  # lines of text above the table
            self._fresh = False
            if below is not None and self._may_be_label_row(row, below):
                self._open_labels(row, below)
                return
        if len(self._rows) == ROWS:
            yield from self.flush()
        self._rows.append(self._with_tall_cells(row))

    def flush(self) -> Iterator[Block]:
        """Yield the collected rows as one block."""
        rows = self._rows
        self._rows = []
        if not rows:
            return
        alone = all(len(row.cells) == 1 for row in rows)
        yield Block(
            "\n".join(self._format_line(row) for row in rows),
            BlockKind.PARAGRAPH if alone else BlockKind.TABLE,
            self._page,
            self._headings.path,
            place=self._format_place(rows),
        )

    def _title(self, row: SheetRow) -> Block:
        text = _flatten(row.cells[0].text)
        self._level = _UNIT_LEVEL if _UNIT.match(text) else min(self._level + 1, _LOWEST_TITLE)
        path = self._headings.open(text, self._level)
        return Block(text, BlockKind.HEADING, self._page, path, place=self._format_place([row]))

    def _may_be_label_row(self, row: SheetRow, below: SheetRow) -> bool:
        """Return whether a row contains labels.

        It has words only, and a non-word is below one of them, or it is bold, or it is the first such row of
        a table.
        """
        if len(row.cells) < 2 or not all(map(_may_name, row.cells)):
            return False
        columns = {cell.column for cell in row.cells}
        if not all(cell.is_words for cell in row.cells):
            parted = any(cell.column not in columns for cell in below.cells)
            return parted or not all(map(_may_name, below.cells))
        if all(cell.strong for cell in row.cells):
            return True
        if _is_filled_in(row, below):
            return False
        return not self._labels or any(not cell.is_words and cell.column in columns for cell in below.cells)

    def _open_labels(self, row: SheetRow, below: SheetRow) -> None:
        self._labels = {cell.column: _flatten(cell.text) for cell in row.cells}
        columns = {cell.column for cell in below.cells}
        parted = columns - self._labels.keys()
        # 「2024年」 over 「上期」 and 「下期」: the upper label is over the first of its columns only.
        whole = self._labels.keys() - columns  # a label over both rows
        if not (parted and whole and all(cell.is_words for cell in below.cells)):
            return
        self._second = below
        lower = {cell.column: _flatten(cell.text) for cell in below.cells}
        above = ""
        for column in range(min(self._labels), max(*self._labels, *lower) + 1):
            above = self._labels.get(column, above)
            if column in lower:
                self._labels[column] = f"{above} {lower[column]}".strip()

    def _with_tall_cells(self, row: SheetRow) -> SheetRow:
        """Return the row with the merged cells that start in rows above.

        They are stored in their uppermost row only.
        """
        columns = {cell.column for cell in row.cells}
        self._allowance += REPEATED_FOR_EACH * sum(len(cell.text) for cell in row.cells)
        repeated = []
        past = []
        for column, cell in self._tall.items():
            if cell.bottom < row.number:
                past.append(column)
            elif column not in columns:
                if len(cell.text) > self._allowance:
                    break
                self._allowance -= len(cell.text)
                repeated.append(cell)
        for column in past:
            del self._tall[column]
        for cell in row.cells:
            if cell.bottom > row.number and len(cell.text) <= LABEL:
                self._tall[cell.column] = cell
        return replace(row, cells=tuple(sorted((*row.cells, *repeated), key=lambda cell: cell.column)))

    def _format_line(self, row: SheetRow) -> str:
        parts = []
        for cell in row.cells:
            label = self._labels.get(cell.column, "") if len(row.cells) > 1 else ""
            parts.append(f"{label}: {_flatten(cell.text)}" if label else _flatten(cell.text))
        return "\t".join(parts)

    def _format_place(self, rows: Sequence[SheetRow]) -> str:
        left = min(row.cells[0].column for row in rows)
        right = max(row.cells[-1].column for row in rows)
        return format_cells(self._name, left, rows[0].number, right, rows[-1].number)


def _is_title(row: SheetRow, below: SheetRow | None) -> bool:
    """Return whether a row is a title.

    It is a short single cell, above a table, nothing, or one cell in another column.
    """
    if len(row.cells) != 1 or not row.cells[0].is_words:
        return False
    text = row.cells[0].text
    if len(text) > TITLE or _SENTENCE_END.search(text):
        return False
    return below is None or len(below.cells) > 1 or below.cells[0].column != row.cells[0].column


def _is_filled_in(row: SheetRow, below: SheetRow) -> bool:
    """Return whether a row is the first of a form.

    For example 氏名 before a name and 所属 before a department. The row below has other columns, or is
    another pair of words; or only the name of the first pair is bold.
    """
    first = row.cells[0]
    if first.strong:
        return True
    names = {cell.column for cell in row.cells}
    columns = {cell.column for cell in below.cells}
    if first.column not in columns:  # a label over two rows
        return False
    are_others = bool(names - columns and columns - names)
    is_pair = len(names) == 2 and all(cell.is_words for cell in below.cells)
    return are_others or is_pair or 2 * len(names & columns) <= len(names)


def _may_name(cell: SheetCell) -> bool:
    return cell.is_words or bool(_PERIOD.fullmatch(cell.text))


def _flatten(text: str) -> str:
    return " ".join(text.split())
