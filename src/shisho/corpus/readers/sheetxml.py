"""Cells of an XLSX sheet as their program displays them.

openpyxl's row-by-row mode ignores hidden rows and columns, and merged cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.worksheet._reader import COL_TAG, DATA_TAG, ROW_TAG, WorkSheetParser
from openpyxl.xml.functions import iterparse

_COLUMNS = 16_384  # of a sheet
_ON = frozenset(("1", "true"))
_NOTHING = re.compile(r"0+(?:\.0*+)?")  # as a height or a width


@dataclass(frozen=True, slots=True)
class CellRange:
    """The last row and the last column of merged cells."""

    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class VisibleRow:
    """A row by its number from 1, with its visible cells by displayed column.

    `hidden_above`: hidden rows above it.
    """

    number: int
    cells: Mapping[int, Any]
    hidden_above: int


class SheetXml:
    """A sheet that is read once.

    Afterwards `hidden_rows` and `hidden_columns` are the hidden ones with content.
    """

    def __init__(self, sheet: Any, ranges: Mapping[tuple[int, int], CellRange]) -> None:
        self._sheet = sheet
        self._ranges = ranges
        self._is_hidden = bytearray(_COLUMNS + 1)
        self._waiting: dict[int, Any] = {}  # cells of hidden rows that are merged over rows below, by column
        self.hidden_rows: set[int] = set()
        self.hidden_columns: set[int] = set()

    def find_bottom(self, cell: Any) -> int:
        """Return the last of a cell's merged rows, 0 for a cell of one row."""
        merged = self._ranges.get((cell.row, cell.column))
        return merged.bottom if merged is not None and merged.bottom > cell.row else 0

    def read(self) -> Iterator[VisibleRow]:
        with self._sheet._get_source() as part:
            yield from self._read_rows(part)
        self.hidden_rows |= {cell.row for cell in self._waiting.values()}

    def _read_rows(self, part: IO[bytes]) -> Iterator[VisibleRow]:
        book = self._sheet.parent
        parser = WorkSheetParser(
            part,
            self._sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
            rich_text=True,
        )
        last = 0
        hidden = 0
        for _, element in iterparse(part):
            if element.tag == COL_TAG:
                self._take_columns(element)
            elif element.tag == DATA_TAG:
                return  # a million merged ranges may follow, and openpyxl makes an object of each
            elif element.tag == ROW_TAG:
                is_hidden = _is_hidden(element, "ht")
                number, values = parser.parse_row(element)
                parser.row_dimensions.clear()
                element.clear()
                if number <= last:
                    continue
                last = number
                cells = self._find_visible(values)
                if is_hidden:
                    hidden += 1
                    self._keep_waiting(number, cells)
                else:
                    yield VisibleRow(number, self._with_waiting(number, cells), hidden)

    def _take_columns(self, element: Any) -> None:
        first, last = (element.get(name, "") for name in ("min", "max"))
        if first.isdecimal() and last.isdecimal() and _is_hidden(element, "width"):
            begin = max(int(first), 1)
            end = min(int(last), _COLUMNS) + 1
            if begin < end:
                self._is_hidden[begin:end] = b"\1" * (end - begin)

    def _find_visible(self, values: list[dict[str, Any]]) -> dict[int, Any]:
        """Return the cells of a row in visible columns, by displayed column."""
        cells = {}
        for value in values:
            if value["value"] is None:
                continue
            cell = ReadOnlyCell(self._sheet, **value)
            merged = self._ranges.get((cell.row, cell.column))
            right = cell.column if merged is None else max(cell.column, merged.right)
            column = self._is_hidden.find(b"\0", cell.column, right + 1)
            if column > 0:
                cells[column] = cell
            elif cell.column <= _COLUMNS:
                self.hidden_columns.add(cell.column)
        return cells

    def _keep_waiting(self, number: int, cells: Mapping[int, Any]) -> None:
        for column, cell in cells.items():
            merged = self._ranges.get((cell.row, cell.column))
            if merged is not None and merged.bottom > number:
                self._waiting[column] = cell
            else:
                self.hidden_rows.add(number)

    def _with_waiting(self, number: int, cells: dict[int, Any]) -> dict[int, Any]:
        """Return the row with cells merged over hidden rows, which show in the first visible row."""
        for column, cell in self._waiting.items():
            if self._ranges[cell.row, cell.column].bottom < number:
                self.hidden_rows.add(cell.row)
            else:
                cells.setdefault(column, cell)
        self._waiting = {}
        return cells


def _is_hidden(element: Any, size: str) -> bool:
    return element.get("hidden") in _ON or bool(_NOTHING.fullmatch(element.get(size, "")))
