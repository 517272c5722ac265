"""XLSX by openpyxl, row by row: a sheet is a page.

Numbers and dates are read as displayed, formulas as their last results.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date, datetime, time, timedelta
from io import BytesIO
from itertools import islice
from typing import IO, Any

import openpyxl
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.utils.datetime import from_excel
from openpyxl.worksheet._reader import COL_TAG, DATA_TAG, ROW_TAG, WorkSheetParser
from openpyxl.xml.functions import iterparse

from shisho.corpus.readers.cellformat import JAPANESE, Value, format_value
from shisho.corpus.readers.described import describe_properties
from shisho.corpus.readers.headings import title_of
from shisho.corpus.readers.office import open_package
from shisho.corpus.readers.sheets import SheetCell, SheetRow, build_sheet_blocks, is_words
from shisho.corpus.readers.symbols import write_placed
from shisho.corpus.readers.text import strip_controls
from shisho.domain.corpus import Block, Reading
from shisho.errors import DocumentUnreadable
from shisho.messages import Message
from shisho.records import dataclass

# A formula without a result: the file was written by a program that does not calculate.
_UNCALCULATED = re.compile(rb"</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_MERGED = re.compile(
    rb"<(?:\w{1,20}:)?mergeCell\s[^<>]{0,100}?\bref\s*=\s*[\"']([A-Z]{1,3}[1-9]\d{0,6}):([A-Z]{1,3}[1-9]\d{0,6})[\"']"
)
_MAX_MERGED = 100_000  # ranges of a sheet
_SLICE = 2**20
_OVERLAP = 200
_SHOWN = "visible"


def read(data: bytes) -> Reading:
    """Read a workbook. Sheets count from 1.

    Hidden sheets are skipped and named in a warning; hidden rows and columns are counted. Links to other
    files are not followed.
    """
    file = open_package(data)
    with closing(_open(file)) as book:
        blocks: list[Block] = []
        hidden = []
        rows = 0
        columns = 0
        # A part is read once, however many sheets of the workbook name it.
        read_parts = set()
        for number, sheet in enumerate(book.worksheets, start=1):
            if sheet._worksheet_path in read_parts:
                continue
            read_parts.add(sheet._worksheet_path)
            if sheet.sheet_state == _SHOWN:
                source = SheetXml(sheet, _read_sheet_ranges(sheet))
                blocks.extend(
                    build_sheet_blocks(_read_rows(source, book.epoch), strip_controls(sheet.title), number)
                )
                rows += len(source.hidden_rows)
                columns += len(source.hidden_columns)
            else:
                hidden.append(strip_controls(sheet.title))
        title = title_of(strip_controls(book.properties.title or ""), ())
        description = describe_properties(book.properties)
        count = len(book.worksheets)
    if not blocks:
        raise DocumentUnreadable("reader.empty_text")
    warnings = []
    if hidden:
        warnings.append(Message("reader.xlsx.hidden_sheets", names=", ".join(hidden[:20])))
    if rows or columns:
        warnings.append(
            Message(
                "reader.xlsx.hidden_cells",
                rows=rows,
                columns=columns,
            )
        )
    if uncalculated := _count_uncalculated(file):
        warnings.append(
            Message(
                "reader.xlsx.formulas_uncomputed",
                count=uncalculated,
            )
        )
    return Reading(tuple(blocks), title, count, warnings=tuple(warnings), description=description)


def _open(file: BytesIO) -> Any:
    return openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False, rich_text=True)


def _read_sheet_ranges(sheet: Any) -> Mapping[tuple[int, int], CellRange]:
    with sheet._get_source() as part:
        return _parse_ranges(part)


def _read_rows(source: SheetXml, epoch: datetime) -> Iterator[SheetRow]:
    for row in source.read():
        cells = [_read_cell(source, row.cells[column], column, epoch) for column in sorted(row.cells)]
        texts = tuple(cell for cell in cells if cell is not None)
        if texts:
            yield SheetRow(row.number, texts, row.hidden_above)


def _parse_ranges(part: IO[bytes]) -> Mapping[tuple[int, int], CellRange]:
    """Return the ranges of merged cells, by the row and column of their first cell.

    They follow the rows in the file.
    """
    ranges: dict[tuple[int, int], CellRange] = {}
    for match in islice(_matches(part, _MERGED), _MAX_MERGED):
        first, last = (coordinate_to_tuple(match[group].decode("ascii")) for group in (1, 2))
        if last > first:
            ranges[first] = CellRange(*last)
    return ranges


def _read_cell(source: SheetXml, cell: Any, column: int, epoch: datetime) -> SheetCell | None:
    if cell.font is not None and cell.font.strike:
        return None
    value = _write_runs(cell.value) if isinstance(cell.value, CellRichText) else cell.value
    form = cell.number_format
    if form is None or form == "General":
        form = JAPANESE.get(cell.style_array.numFmtId, "General")
        if form != "General" and isinstance(value, int | float):
            value = _convert_moment(value, epoch)
    text = strip_controls(format_value(value, form)).strip()
    if not text:
        return None
    words = isinstance(value, str) and is_words(text)
    strong = bool(cell.font is not None and cell.font.b)
    return SheetCell(column, text, words, strong, source.find_bottom(cell))


def _write_runs(runs: CellRichText) -> str:
    return "".join(run if isinstance(run, str) else _write_run(run) for run in runs)


def _write_run(run: TextBlock) -> str:
    """Return the text of a run; struck-through text is deleted text."""
    text = str(run)
    if run.font.strike:
        return ""
    return write_placed(text, run.font.vertAlign)


def _convert_moment(value: int | float, epoch: datetime) -> Value:
    moment = from_excel(value, epoch)
    return moment if isinstance(moment, datetime | date | time | timedelta) else value


def _count_uncalculated(file: BytesIO) -> int:
    """Return the number of formulas without a result. Sizes were checked before."""
    count = 0
    with zipfile.ZipFile(file) as parts:
        for name in parts.namelist():
            if not name.startswith("xl/worksheets/") or not name.endswith(".xml"):
                continue
            with parts.open(name) as part:
                count += sum(1 for _ in _matches(part, _UNCALCULATED))
    return count


def _matches(part: IO[bytes], pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
    """Yield matches slice by slice, including short ones across the end of a slice."""
    tail = b""
    while piece := part.read(_SLICE):
        text = tail + piece
        end = 0
        for match in pattern.finditer(text):
            yield match
            end = match.end()
        tail = text[max(end, len(text) - _OVERLAP) :]


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
