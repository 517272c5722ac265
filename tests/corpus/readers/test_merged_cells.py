"""Cells of a workbook that are merged over several rows: they belong to each of them."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl
import pytest

from shisho.corpus.chunk import cut
from shisho.corpus.layout import lay_out
from shisho.corpus.readers import xlsx
from shisho.corpus.readers.xlsx import CellRange
from tests.corpus.readers.making import saved

SHEET = "xl/worksheets/sheet1.xml"
HEAD = ["地域", "県", "人口"]


def workbook(rows: Sequence[Sequence[Any]], *ranges: str) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for area in ranges:
        book.active.merge_cells(area)
    return saved(book)


def blocks(rows: Sequence[Sequence[Any]], *ranges: str) -> list[tuple[str, str]]:
    return [(block.text, block.place) for block in xlsx.read(workbook(rows, *ranges)).blocks]


def changed(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The workbook with its sheet changed."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, change(part) if name == SHEET else part)
    return file.getvalue()


def test_label_over_several_rows_stands_in_each_of_them() -> None:
    rows = [HEAD, ["関東", "東京都", 14], [None, "千葉県", 6], ["関西", "大阪府", 9], [None, "京都府", 3]]
    assert blocks([*rows, [None, "兵庫県", 5]], "A2:A3", "A4:A6") == [
        (
            "地域: 関東\t県: 東京都\t人口: 14\n地域: 関東\t県: 千葉県\t人口: 6\n"
            "地域: 関西\t県: 大阪府\t人口: 9\n地域: 関西\t県: 京都府\t人口: 3\n地域: 関西\t県: 兵庫県\t人口: 5",
            "Sheet!A2:C6",
        )
    ]


def test_labels_within_labels_and_those_over_columns_too() -> None:
    rows = [["課", "係", "仕事", "人"], ["総務", None, "受付", 2], [None, None, "経理", 3]]
    rows += [["図書", "貸出", "窓口", 4], [None, None, "配架", 5], [None, "選書", "購入", 1]]
    ((text, place),) = blocks(rows, "A2:B3", "A4:A6", "B4:B5")
    assert text.split("\n") == [
        "課: 総務\t仕事: 受付\t人: 2",
        "課: 総務\t仕事: 経理\t人: 3",
        "課: 図書\t係: 貸出\t仕事: 窓口\t人: 4",
        "課: 図書\t係: 貸出\t仕事: 配架\t人: 5",
        "課: 図書\t係: 選書\t仕事: 購入\t人: 1",
    ]
    assert place == "Sheet!A2:D6"


def test_cell_on_the_right_is_repeated_behind_the_others_and_in_the_range_of_each_row() -> None:
    rows = [["県", "人口", "担当"], ["東京都", 14, "山田"], ["千葉県", 6, None]]
    assert blocks(rows, "C2:C3") == [
        ("県: 東京都\t人口: 14\t担当: 山田\n県: 千葉県\t人口: 6\t担当: 山田", "Sheet!A2:C3")
    ]


def test_rows_after_the_range_and_empty_cells_that_are_not_merged_have_no_label() -> None:
    rows = [HEAD, ["関東", "東京都", 14], [None, "千葉県", 6], [None, "大阪府", 9]]
    ((text, _),) = blocks(rows, "A2:A3")
    assert text.split("\n")[-1] == "県: 大阪府\t人口: 9"
    assert blocks(rows)[0][0].count("関東") == 1


def test_merged_labels_of_columns_and_titles_stay_as_they_are() -> None:
    rows = [
        ["報告", None, None],
        [None] * 3,
        ["部署", "2024年", None],
        [None, "上期", "下期"],
        ["営業", 12, 13],
    ]
    merged = blocks(rows, "A1:C2", "A3:A4", "B3:C3")
    assert merged == blocks(rows)
    assert merged == [
        ("報告", "Sheet!A1"),
        ("部署: 営業\t2024年 上期: 12\t2024年 下期: 13", "Sheet!A5:C5"),
    ]


def test_passage_has_the_cells_of_its_own_rows() -> None:
    rows = [HEAD, *(["関東" if number == 1 else None, f"町{number}", number] for number in range(1, 301))]
    layout = lay_out(xlsx.read(workbook(rows, "A2:A301")))
    for piece in cut(layout):
        texts = layout.text[piece.start : piece.end].split("\n")
        assert all(text.startswith("地域: 関東\t県: 町") for text in texts)
        first = int(texts[0].rpartition(" ")[2]) + 1
        assert piece.place == f"Sheet!A{first}:C{first + len(texts) - 1}"


def with_ranges(rows: Sequence[Sequence[Any]], ranges: str) -> bytes:
    written = f"</sheetData><mergeCells>{ranges}</mergeCells>".encode()
    return changed(workbook(rows), lambda part: part.replace(b"</sheetData>", written))


@pytest.mark.parametrize(
    "ranges",
    [
        "<x:mergeCell xmlns:x='http://schemas.openxmlformats.org/spreadsheetml/2006/main' ref=\"A2:A3\"/>",
        "<mergeCell\n ref = 'A2:A3' />",
        '<mergeCell ref="A1:XFD1048576"/><mergeCell ref="A2:XFD1048576"/>',
        '<mergeCell ref="A2:A2"/><mergeCell ref="B2:C2"/><mergeCell ref="A2:B1048576"/>',
    ],
)
def test_ranges_are_read_however_they_are_written(ranges: str) -> None:
    (block,) = xlsx.read(with_ranges([HEAD, ["関東", "東京都", 14], [None, "千葉県", 6]], ranges)).blocks
    assert block.text.split("\n")[1] == "地域: 関東\t県: 千葉県\t人口: 6"


def test_what_is_no_range_is_passed_over_and_one_across_slices_is_not() -> None:
    refs = ("A0:A2", "A2", "", "A2:A3:A4", "ZZZZ1:ZZZZ2", "A2:A99999999", "あ1:あ2", "A3:A1")
    strange = "".join(f'<mergeCell ref="{ref}"/>' for ref in refs).encode()
    written = b'<mergeCell ref="B2:C4"/>'
    for gap in range(2**20 - len(strange) - len(written), 2**20 - len(strange) + 1):
        assert xlsx._parse_ranges(io.BytesIO(strange + b" " * gap + written)) == {(2, 2): CellRange(4, 3)}


@pytest.mark.slow
def test_million_ranges_cost_little() -> None:
    part = b"".join(b'<mergeCell ref="A%d:A%d"/>' % (number, number + 1) for number in range(1, 1_000_000))
    start = time.process_time()
    assert len(xlsx._parse_ranges(io.BytesIO(part))) == xlsx._MAX_MERGED
    assert len(xlsx._parse_ranges(io.BytesIO(b"<mergeCell " * 1_000_000))) == 0
    assert time.process_time() - start < 5


@pytest.mark.slow
def test_sheet_does_not_grow_by_what_is_merged_over_its_rows() -> None:
    width = 200
    rows = [["見出し", "値"], ["あ" * 90] * width, *([None] * width + [number] for number in range(2_000))]
    names = [openpyxl.utils.get_column_letter(column) for column in range(1, width + 1)]
    ranges = "".join(f'<mergeCell ref="{name}2:{name}9999"/>' for name in names)
    whole = sum(len(block.text) for block in xlsx.read(with_ranges(rows, ranges)).blocks)
    assert whole < 30 * sum(len(block.text) for block in xlsx.read(workbook(rows)).blocks)


def test_long_cell_over_several_rows_stands_once() -> None:
    rows = [HEAD, ["長" * 200, "東京都", 14], [None, "千葉県", 6]]
    assert blocks(rows, "A2:A3")[0][0].count("長" * 200) == 1


@pytest.mark.slow
def test_a_sheet_of_a_million_ranges_costs_what_its_rows_cost() -> None:
    """As many again would cost as much again, were an object made of each."""
    rows = [HEAD, ["関東", "東京都", 14], [None, "千葉県", 6]]

    def count_seconds(ranges: int) -> float:
        written = "".join(f'<mergeCell ref="A{row}:A{row + 1}"/>' for row in range(2, 2 * ranges + 2, 2))
        data = with_ranges(rows, written)
        start = time.process_time()
        (block,) = xlsx.read(data).blocks
        assert block.text.split("\n")[1] == "地域: 関東\t県: 千葉県\t人口: 6"
        return time.process_time() - start

    count_seconds(1)
    of_the_most_looked_at = count_seconds(xlsx._MAX_MERGED)
    assert count_seconds(5 * xlsx._MAX_MERGED) < 2 * of_the_most_looked_at
