"""Rows and columns of a workbook that its program hides are none of what a reader of it sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import openpyxl
import pytest

from shisho.corpus.readers import xlsx
from shisho.domain.corpus import Reading
from shisho.messages.catalogue import render
from tests.corpus.readers.making import saved
from tests.corpus.readers.test_merged_cells import changed

HEAD = ["品目", "原価", "売価"]
ROWS = [HEAD, ["茶", 111, 150], ["菓子", 222, 300], ["弁当", 333, 500]]


def workbook(
    rows: Sequence[Sequence[Any]] = ROWS,
    *,
    hidden_rows: Iterable[int] = (),
    hidden_columns: str = "",
    merged: Sequence[str] = (),
) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for number in hidden_rows:
        book.active.row_dimensions[number].hidden = True
    for name in hidden_columns:
        book.active.column_dimensions[name].hidden = True
    for area in merged:
        book.active.merge_cells(area)
    return saved(book)


def text_of(reading: Reading) -> str:
    return "\n".join(block.text for block in reading.blocks)


def counts(reading: Reading) -> list[tuple[int, ...]]:
    """The hidden rows and columns that are told of."""
    return [tuple(map(int, re.findall(r"\d+", str(warning)))) for warning in reading.warnings]


def test_hidden_rows_are_left_out_and_counted() -> None:
    reading = xlsx.read(workbook(hidden_rows=[2, 4]))
    assert [(block.text, block.place) for block in reading.blocks] == [
        ("品目: 菓子\t原価: 222\t売価: 300", "Sheet!A3:C3")
    ]
    assert counts(reading) == [(2, 0)]


def test_hidden_columns_are_left_out_and_counted() -> None:
    reading = xlsx.read(workbook(hidden_columns="B"))
    assert "原価" not in text_of(reading)
    assert text_of(reading).split("\n")[0] == "品目: 茶\t売価: 150"
    assert counts(reading) == [(0, 1)]


def test_what_is_hidden_and_empty_is_not_told_of() -> None:
    assert not xlsx.read(workbook(hidden_rows=[9], hidden_columns="F")).warnings


def test_warning_is_in_the_language_of_the_reader() -> None:
    (warning,) = xlsx.read(workbook(hidden_rows=[2])).warnings
    assert "非表示のセルは除外しました(行: 1、列: 0)" in render(warning, "ja")


def test_rows_on_both_sides_of_hidden_ones_are_of_one_table() -> None:
    """A filter hides rows: those that it leaves stand below the labels, and are none themselves."""
    rows = [
        ["項目", "係", "人"],
        *([f"窓口{number}", "貸出" if number % 3 else "選書", number] for number in range(2, 12)),
    ]
    hidden = [number for number in range(2, 12) if number % 3]
    reading = xlsx.read(workbook(rows, hidden_rows=hidden))
    assert text_of(reading).split("\n") == [
        f"項目: 窓口{number}\t係: 選書\t人: {number}" for number in range(2, 12) if not number % 3
    ]


def test_what_is_merged_over_hidden_and_visible_rows_is_seen_in_the_first_of_these() -> None:
    rows = [
        ["地域", "県", "市"],
        ["関東", "東京都", "府中"],
        [None, "千葉県", "柏"],
        [None, "埼玉県", "川口"],
    ]
    rows.append(["近畿", "京都府", "宇治"])
    reading = xlsx.read(workbook(rows, hidden_rows=[2, 5, 6], merged=["A2:A4", "A5:A6"]))
    assert text_of(reading).split("\n") == [
        "地域: 関東\t県: 千葉県\t市: 柏",
        "地域: 関東\t県: 埼玉県\t市: 川口",
    ]
    assert counts(reading) == [(2, 0)]


def test_what_is_merged_over_hidden_and_visible_columns_is_seen_in_the_first_of_these() -> None:
    rows = [["項", "上期", None, "計"], ["茶", 1, 2, 3]]
    reading = xlsx.read(workbook(rows, hidden_columns="B", merged=["B1:C1"]))
    assert text_of(reading) == "項: 茶\t上期: 2\t計: 3"
    reading = xlsx.read(workbook(rows, hidden_columns="BC", merged=["B1:C1"]))
    assert text_of(reading) == "項: 茶\t計: 3"


@pytest.mark.parametrize(
    "mark", [b'hidden="true"', b'ht="0" customHeight="1"', b'ht="0.0"', b"hidden = '1' spans='1:3'"]
)
def test_rows_are_hidden_however_it_is_written(mark: bytes) -> None:
    reading = xlsx.read(with_row(mark))
    assert "222" not in text_of(reading) and counts(reading) == [(1, 0)]


@pytest.mark.parametrize("mark", [b'hidden="0"', b'hidden="false"', b'ht="0.75"', b'collapsed="1"'])
def test_rows_that_are_not_hidden_stay(mark: bytes) -> None:
    reading = xlsx.read(with_row(mark))
    assert "222" in text_of(reading) and not reading.warnings


def with_row(mark: bytes) -> bytes:
    return with_sheet(lambda part: part.replace(b'<row r="3"', b'<row r="3" ' + mark))


def with_sheet(change: Callable[[bytes], bytes]) -> bytes:
    return changed(workbook(), change)


@pytest.mark.parametrize(
    "columns",
    [
        b'<col min="2" max="2" width="0" customWidth="1"/>',
        b'<col min="0" max="1" hidden="x"/><col min="2" max="2" hidden="true"/><col min="3" hidden="1"/>',
        b'<col min="2" max="2" hidden="1"/><col min="99999" max="999999" hidden="1"/><col min="3" max="1" hidden="1"/>',
    ],
)
def test_columns_are_hidden_however_it_is_written(columns: bytes) -> None:
    reading = xlsx.read(
        with_sheet(lambda part: part.replace(b"<sheetData>", b"<cols>" + columns + b"</cols><sheetData>"))
    )
    assert text_of(reading).split("\n")[1] == "品目: 菓子\t売価: 300" and counts(reading) == [(0, 1)]


def test_a_last_row_of_a_million_is_no_million_rows() -> None:
    reading = xlsx.read(
        with_sheet(lambda part: part.replace(b'r="4"', b'r="1048576"').replace(b'4"', b'1048576"'))
    )
    assert "弁当" in text_of(reading)
