"""CSV and TSV by the standard library: a record is a row of a sheet without a name."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

from shisho.corpus.readers import text as text_reader
from shisho.corpus.readers.sheets import SheetCell, SheetRow, build_sheet_blocks, is_words
from shisho.corpus.readers.text import decode, strip_controls
from shisho.domain.corpus import Reading
from shisho.errors import DocumentUnreadable

SEPARATORS = "\t,;|"  # in case of a tie, the first
LOOKED_AT = 50  # lines
_NAMED_SEPARATOR = re.compile(r"\ufeff?\"?sep=([^\n\"])\"?\n", re.IGNORECASE)
_FIGURE_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
LONGEST = 200_000  # characters of a cell; a longer one means that a quotation mark was not closed


def read(data: bytes, charset: str | None = None) -> Reading:
    """Read a table whose first row of words contains the labels.

    A file without columns is read as plain text. `charset`: the encoding that the server named.
    """
    text, separator = _split_separator(strip_controls(decode(data, charset)))
    csv.field_size_limit(LONGEST)
    try:
        blocks = tuple(build_sheet_blocks(_read_rows(text, separator), "", None)) if separator else ()
    except csv.Error:
        separator = ""
    if not separator:
        return text_reader.read(data, charset)
    if not blocks:
        raise DocumentUnreadable("reader.empty_text")
    return Reading(blocks)


def _split_separator(text: str) -> tuple[str, str]:
    """Return the table and its separator.

    The first line may name the separator, as Excel writes it: it is not a row, and spreadsheet programs count
    from the next one.
    """
    match = _NAMED_SEPARATOR.match(text)
    return (text[match.end() :], match[1]) if match else (text, _find_separator(text))


def _find_separator(text: str) -> str:
    """Return the separator that most lines contain equally often.

    It is "" if none splits most of them.
    """
    looked_at = text[: LOOKED_AT * 2_000].split("\n")[:LOOKED_AT]
    lines = [_drop_figure_commas(line) for line in looked_at if line.strip()]
    best = ""
    most = 0
    for separator in SEPARATORS:
        counts = Counter(line.count(separator) for line in lines)
        counts.pop(0, None)
        agreeing = max(counts.values(), default=0)
        if agreeing > most and 2 * counts.total() > len(lines):
            best = separator
            most = agreeing
    return best


def _drop_figure_commas(line: str) -> str:
    """Return the line without decimal commas: next to a semicolon, `1,50;2,25` has two figures."""
    return _FIGURE_COMMA.sub(".", line) if ";" in line else line


def _read_rows(text: str, separator: str) -> Iterator[SheetRow]:
    records = csv.reader(io.StringIO(text), delimiter=separator)
    for number, record in enumerate(records, start=1):
        cells = tuple(
            # By custom the first line names the columns (RFC 4180).
            SheetCell(column, value, is_words(value), strong=number == 1)
            for column, value in enumerate(record, start=1)
            if value.strip()
        )
        if cells:
            yield SheetRow(number, cells)
