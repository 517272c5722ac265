"""Workbooks and files with separators: each row under its labels, figures as the sheet shows them, its cells
as its place."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import date, datetime, time, timedelta
from typing import Any

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.xml.constants import SHARED_STRINGS, SHEET_MAIN_NS

from shisho.corpus.chunk import cut
from shisho.corpus.layout import lay_out
from shisho.corpus.readers import delimited, media, xlsx
from shisho.corpus.readers.cellformat import Value, format_value
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import BlockKind, Reading, Source
from shisho.errors import DocumentEncrypted, DocumentUnreadable, TooLarge, UnusableDocument
from tests.corpus.readers.making import saved
from tests.faults.children import LONG


@pytest.fixture
async def reader() -> AsyncIterator[KillableReader]:
    made = KillableReader(20, 1024, 50 * 2**20)
    yield made
    await made.close()


def workbook(fill: Callable[[Any], None]) -> bytes:
    book = openpyxl.Workbook()
    fill(book)
    return saved(book)


def sales(book: Any) -> None:
    sheet = book.active
    sheet.title = "売上"
    sheet.append(["2024年度 地域別売上"])
    sheet.append(["地域", "売上", "前年比", "更新日"])
    sheet.append(["関東", 1234567, 0.125, date(2024, 4, 1)])
    sheet.append(["関西", 987654, -0.031, datetime(2024, 4, 2)])
    for row in (3, 4):
        sheet.cell(row, 2).number_format = '#,##0"円"'
        sheet.cell(row, 3).number_format = "0.0%"
        sheet.cell(row, 4).number_format = 'yyyy"年"m"月"d"日"'
    sheet["A6"] = "注 消費税を含む。"


def rows(reading: Reading) -> list[tuple[str, str, tuple[str, ...], str]]:
    return [(block.kind.value, block.text, block.headings, block.place) for block in reading.blocks]


def test_a_row_has_its_labels_its_title_and_its_cells() -> None:
    reading = xlsx.read(workbook(sales))
    above = ("売上", "2024年度 地域別売上")
    assert rows(reading) == [
        ("heading", "2024年度 地域別売上", ("売上",), "売上!A1"),
        (
            "table",
            "地域: 関東\t売上: 1,234,567円\t前年比: 12.5%\t更新日: 2024年4月1日\n"
            "地域: 関西\t売上: 987,654円\t前年比: -3.1%\t更新日: 2024年4月2日",
            above,
            "売上!A3:D4",
        ),
        ("paragraph", "注 消費税を含む。", above, "売上!A6"),
    ]
    assert reading.page_count == 1
    assert {block.page for block in reading.blocks} == {1}


def test_a_passage_of_a_long_sheet_has_the_cells_of_its_own_rows() -> None:
    def fill(book: Any) -> None:
        book.active.title = "在庫"
        book.active.append(["品番", "品名", "数量"])
        for number in range(1, 301):
            book.active.append([f"P{number:03}", f"部品{number}", number])

    layout = lay_out(xlsx.read(workbook(fill)))
    pieces = cut(layout)
    for piece in pieces:
        texts = layout.text[piece.start : piece.end].split("\n")
        first = int(texts[0].split("品番: P")[1][:3]) + 1
        assert piece.place == f"在庫!A{first}:C{first + len(texts) - 1}"
    assert "品番: P300\t品名: 部品300\t数量: 300" in layout.text[pieces[-1].start : pieces[-1].end]


def test_labels_in_two_rows_are_put_together() -> None:
    def fill(book: Any) -> None:
        book.active.append(["部署", "2023年", None, "2024年", None])
        book.active.append([None, "上期", "下期", "上期", "下期"])
        book.active.append(["営業", 10, 11, 12, 13])

    (block,) = xlsx.read(workbook(fill)).blocks
    assert block.text == "部署: 営業\t2023年 上期: 10\t2023年 下期: 11\t2024年 上期: 12\t2024年 下期: 13"
    assert block.place == "Sheet!A3:E3"


def read_rows(*table: list[object]) -> list[tuple[str, tuple[str, ...], str]]:
    def fill(book: Any) -> None:
        book.active.title = "表"
        for row in table:
            book.active.append(row)

    return [(kind, above, text) for kind, text, above, _ in rows(xlsx.read(workbook(fill)))]


def test_a_unit_above_a_table_heads_it_below_its_title_and_ends_with_it() -> None:
    first = ("表", "支店別売上")
    assert read_rows(
        ["支店別売上"],
        [None, None, None, None, "（単位：千円）"],
        ["支店", "上期", None, "下期", None],
        [None, "計画", "実績", "計画", "実績"],
        ["東京", 100, 120, 110, 130],
        [],
        ["支店", "人数"],
        ["東京", 12],
    ) == [
        ("heading", ("表",), "支店別売上"),
        ("heading", first, "（単位：千円）"),
        (
            "table",
            (*first, "（単位：千円）"),
            "支店: 東京\t上期 計画: 100\t上期 実績: 120\t下期 計画: 110\t下期 実績: 130",
        ),
        ("table", first, "支店: 東京\t人数: 12"),
    ]


def test_lines_of_text_above_a_table_are_none_of_its_rows() -> None:
    assert read_rows(["支店の一覧を示す。"], ["2024年現在"], ["支店", "人数"], ["東京", 12]) == [
        ("paragraph", ("表",), "支店の一覧を示す。\n2024年現在"),
        ("table", ("表",), "支店: 東京\t人数: 12"),
    ]


@pytest.mark.parametrize(
    "table",
    [
        [["氏名", "山田太郎", None, "所属", "営業部"], ["出張先", "札幌支店"], ["日当", 3000]],
        [["氏名", "山田太郎", None, "所属", "営業部"], ["期間", "5月1日", "～", "5月3日"]],
        [["会社名", "例株式会社"], ["所在地", "東京都千代田区"], ["社員", "120人"]],
    ],
)
def test_the_first_row_of_a_form_labels_none_of_the_others(table: list[list[object]]) -> None:
    (block,) = read_rows(*table)
    assert block[2] == "\n".join("\t".join(str(cell) for cell in row if cell) for row in table)


def test_a_name_in_bold_before_its_value_labels_no_column() -> None:
    def fill(book: Any) -> None:
        for row in (["氏名", "山田太郎"], ["年齢", 35]):
            book.active.append(row)
        for row in (1, 2):
            book.active.cell(row, 1).font = openpyxl.styles.Font(bold=True)

    (block,) = xlsx.read(workbook(fill)).blocks
    assert block.text == "氏名\t山田太郎\n年齢\t35"


def share_strings(data: bytes) -> bytes:
    """The workbook as Excel writes it: texts with several fonts stand apart from the sheet too."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        parts = {name: old.read(name).decode() for name in old.namelist()}
    shared: list[str] = []

    def share(match: re.Match[str]) -> str:
        shared.append(f"<si>{match[2]}</si>")
        return f'{match[1]}t="s"><v>{len(shared) - 1}</v></c>'

    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = re.sub(r'(<c [^>]*)t="inlineStr"><is>(.*?)</is></c>', share, parts[sheet])
    parts["xl/sharedStrings.xml"] = f'<sst xmlns="{SHEET_MAIN_NS}">{"".join(shared)}</sst>'
    types = "[Content_Types].xml"
    part = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{SHARED_STRINGS}"/></Types>'
    parts[types] = parts[types].replace("</Types>", part)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as new:
        for name, part in parts.items():
            new.writestr(name, part)
    return file.getvalue()


@pytest.mark.parametrize("write", [bytes, share_strings])
def test_raised_figures_of_a_cell_are_not_glued_and_what_is_struck_out_is_left_out(
    write: Callable[[bytes], bytes],
) -> None:
    def fill(book: Any) -> None:
        raised = TextBlock(InlineFont(vertAlign="superscript"), "2")
        struck = TextBlock(InlineFont(strike=True), "500円")
        for row in (["項目", "値", "注"], [CellRichText("面積 m", raised), 10, "済"], ["料金", 600, "旧"]):
            book.active.append(row)
        book.active["C3"] = CellRichText(struck, "税込")
        book.active["C2"].font = openpyxl.styles.Font(strike=True)

    (block,) = xlsx.read(write(workbook(fill))).blocks
    assert block.text == "項目: 面積 m²\t値: 10\n項目: 料金\t値: 600\t注: 税込"


def test_years_may_label_columns() -> None:
    (block,) = delimited.read("区分,2022,2023,2024年度\n人口,125,124,123\n".encode()).blocks
    assert block.text == "区分: 人口\t2022: 125\t2023: 124\t2024年度: 123"


def test_a_table_of_words_keeps_the_first_row_as_labels_and_a_second_table_has_its_own() -> None:
    text = "質問,回答\n開館は,9時から\n閉館は,20時まで\n\n係,内線\n貸出,1234\n"
    assert [block.text for block in delimited.read(text.encode()).blocks] == [
        "質問: 開館は\t回答: 9時から\n質問: 閉館は\t回答: 20時まで",
        "係: 貸出\t内線: 1234",
    ]


def test_hidden_sheets_and_formulas_without_results_are_told() -> None:
    def fill(book: Any) -> None:
        book.active.append(["a", 1])
        book.active["B2"] = "=SUM(B1:B1)"
        book.create_sheet("秘").append(["内緒の話"])
        book["秘"].sheet_state = "hidden"

    reading = xlsx.read(workbook(fill))
    assert "内緒" not in str(reading.blocks)
    assert [warning.partition(":")[0] for warning in reading.warnings] == [
        "Hidden sheets were left out",
        "Formulas without a result",
    ]


def test_results_of_formulas_and_formats_known_by_number_are_read_from_another_writer() -> None:
    import xlsxwriter

    file = io.BytesIO()
    book = xlsxwriter.Workbook(file)
    sheet = book.add_worksheet("予算")
    month = book.add_format({"num_format": 55})
    sheet.write_row(0, 0, ["項目", "月", "計"])
    sheet.write(1, 0, "設備")
    sheet.write_number(1, 1, 45383, month)
    sheet.write_formula(1, 2, "=1+1", None, 2)
    book.close()
    (block,) = xlsx.read(file.getvalue()).blocks
    assert block.text == "項目: 設備\t月: 2024年4月\t計: 2"


NOON = datetime(2024, 4, 1, 18, 5, 9)


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        ("General", 0.1 + 0.2, "0.3"),
        ("General", 1234567.125, "1234567.125"),
        ('General"円"', 100, "100円"),
        ("#,##0", -1234, "-1,234"),
        ("#,##0", 0, "0"),
        ("#,###.00", 1234.5, "1,234.50"),
        ("0.0", 2.25, "2.3"),
        ("0.0", -0.04, "0.0"),
        ("0.##", 2.5, "2.5"),
        ("0%", 0.295, "30%"),
        ("00000", 42, "00042"),
        ("000\\-0000", 1234567, "123-4567"),
        ('"第"0"回"', 3, "第3回"),
        ('#,##0;"△"#,##0', -30, "△30"),
        ("#,##0_);(#,##0)", -5, "(5)"),
        ("[$¥-411]#,##0", 5000, "¥5,000"),
        ("#,##0,", 1234567, "1,235"),
        ("# ?/?", 0.25, "0.25"),
        ("0.00E+00", 12345, "12345"),
        (";;;", 5, ""),
        ("0" * 1000, 5, "5"),
        ("yyyy/m/d", NOON, "2024/4/1"),
        ("mm-dd-yy", NOON, "2024/4/1"),
        ("yyyy/mm/dd hh:mm:ss", NOON, "2024/04/01 18:05:09"),
        ("yyyy/m/d(aaa)", NOON, "2024/4/1(月)"),
        ('[$-411]ggge"年"m"月"d"日";@', NOON, "令和6年4月1日"),
        ("[$-411]ge.m.d", date(2019, 4, 30), "H31.4.30"),
        ("h:mm AM/PM", NOON, "6:05 PM"),
        ("mm:ss", NOON, "05:09"),
        ("h:mm", time(9, 5), "9:05"),
        ("[h]:mm", timedelta(hours=36), "36:00"),
        ("@", "文字", "文字"),
        ("General", True, "TRUE"),
        ('0.0,,"百万円"', 1234567890, "1234.6百万円"),
        ('#,##0.0,"千円"', 98765, "98.8千円"),
        ("[<=999]000;[<=9999]000-00;000-0000", 1000001, "100-0001"),
        ("[<=999]000;[<=9999]000-00;000-0000", 12, "012"),
        ("[<=99999999]####-####;(00) ####-####", 312345678, "(03) 1234-5678"),
        ('[>=10000]0.0,"千円";0"円"', 500, "500円"),
        ('[>=10000]0.0,"千円";0"円"', 12345, "12.3千円"),
        ("[Red][<0]0.0;0", -3, "-3.0"),
        ('[mm]"分"', timedelta(minutes=75), "75分"),
        ('[h]"時間"mm"分"', timedelta(hours=30, minutes=5), "30時間05分"),
        ('[$-411]m"月"d"日"dddd', datetime(2024, 4, 1), "4月1日月曜日"),
        ("[$-409]dddd", datetime(2024, 4, 1), "Monday"),
        ('[$-ja-JP]AM/PM h"時"mm"分"', time(15, 5), "午後 3時05分"),
        ('@"商店"', "山田", "山田商店"),
        ('0;-0;0;@"様"', "山田", "山田様"),
        ("0.00", "山田", "山田"),
    ],
)
def test_values_are_shown_by_their_formats(form: str, value: Value, text: str) -> None:
    assert format_value(value, form) == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932"])
@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_separated_values_in_any_encoding_have_their_rows_and_labels(encoding: str, separator: str) -> None:
    table = '氏名,部署,内線\n山田太郎,総務部,1234\n"佐藤\n花子",営業部,5678\n'.replace(",", separator)
    (block,) = delimited.read(table.encode(encoding)).blocks
    assert block.text.split("\n") == [
        "氏名: 山田太郎\t部署: 総務部\t内線: 1234",
        "氏名: 佐藤 花子\t部署: 営業部\t内線: 5678",
    ]
    assert block.place == "A2:C3"
    assert block.kind is BlockKind.TABLE


@pytest.mark.parametrize(
    ("first_line", "separator"),
    [("sep=;", ";"), ("SEP=,", ","), ('"sep=;"', ";"), ("sep=\t", "\t"), ("sep=^", "^")],
)
def test_a_first_line_that_names_the_separator_is_no_row(first_line: str, separator: str) -> None:
    table = "氏名,部署,内線\n山田太郎,総務部,1234\n佐藤花子,営業部,5678\n".replace(",", separator)
    for mark, line_end in (("", "\n"), ("\ufeff", "\r\n")):
        data = f"{mark}{first_line}\n{table}".replace("\n", line_end).encode()
        (block,) = delimited.read(data).blocks
        assert block.text.split("\n")[0] == "氏名: 山田太郎\t部署: 総務部\t内線: 1234"
        assert (block.place, block.headings, block.kind) == ("A2:C3", (), BlockKind.TABLE)


@pytest.mark.parametrize(
    ("table", "cells"),
    [
        ("Apfel;1,50;2,25\nBirne;2,75;3,10\nKirsche;4,20;5,00\n", ["Apfel", "1,50", "2,25"]),
        ("1,50;2,25\n2,75;3,10\n", ["1,50", "2,25"]),
        ("Apfel\t1,50\nBirne\t2,75\n", ["Apfel", "1,50"]),
        ("Apfel,1,2;25\nBirne,2,3;10\n", ["Apfel", "1", "2;25"]),
        ("1,2,3\n4,5,6\n", ["1", "2", "3"]),
    ],
)
def test_a_comma_inside_figures_parts_no_cells_where_another_sign_does(table: str, cells: list[str]) -> None:
    (block,) = delimited.read(table.encode()).blocks
    assert block.text.split("\n")[0].split("\t") == cells


def test_a_separator_that_parts_nothing_leaves_no_row_out() -> None:
    (block,) = delimited.read("sep=;\n氏名,部署\n".encode()).blocks
    assert block.text == "氏名,部署"
    (block,) = delimited.read("sep=品,数\n4,5\n6,7\n".encode()).blocks
    assert "sep=品: 4" in block.text
    with pytest.raises(DocumentUnreadable):
        delimited.read(b"sep=;\n")


def test_what_has_no_columns_is_read_as_text() -> None:
    assert [block.text for block in delimited.read("一行目\n二行目\n".encode()).blocks] == ["一行目\n二行目"]
    unclosed = 'a,b\n"' + "字,\n" * 150_000
    assert delimited.read(unclosed.encode()).blocks[0].place == ""


def test_the_kind_is_told_by_what_the_bytes_are() -> None:
    assert media.sniff("表.pdf", workbook(sales)) == media.XLSX
    assert media.sniff("a.csv", b"a,b\n1,2\n") == media.CSV
    assert media.sniff("a.tsv", b"a\tb\n") == media.TSV
    assert media.sniff("a", b"a,b\n1,2\n", "text/csv; charset=utf-8") == media.CSV
    locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(DocumentEncrypted):
        media.sniff("a.xlsx", locked)
    with pytest.raises(DocumentUnreadable):
        media.sniff("a.xlsx", b"a,b\n1,2\n")


def remade(change: Callable[[str, bytes], bytes]) -> bytes:
    """The workbook with parts of it changed."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook(sales))) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return file.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
ENTITIES = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + b"".join(
    b'<!ENTITY %c "%s">' % (98 + level, b"&%c;" % (97 + level) * 10) for level in range(9)
)
HOSTILE: dict[str, Callable[[str, bytes], bytes]] = {
    "bomb": lambda name, data: b" " * 60_000_000 if name == SHEET else data,
    "entities": lambda name, data: (
        data.replace(b"<worksheet", ENTITIES + b"]><worksheet", 1).replace(b"</v>", b"&j;</v>")
        if name == SHEET
        else data
    ),
    "cut": lambda name, data: data[: len(data) // 2] if name == SHEET else data,
    "no sheets": lambda name, data: b"<workbook/>" if name == "xl/workbook.xml" else data,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
async def test_hostile_workbooks_end_in_a_reason(reader: KillableReader, kind: str) -> None:
    with pytest.raises(UnusableDocument) as refused:
        await reader.read(Source("a.xlsx", remade(HOSTILE[kind])))
    assert type(refused.value) in (DocumentUnreadable, TooLarge)
    assert (await reader.read(Source("b.xlsx", workbook(sales)))).blocks  # and the next one is read


async def test_claimed_dimensions_and_a_lone_far_cell_cost_nothing(reader: KillableReader) -> None:
    def far(name: str, data: bytes) -> bytes:
        row = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>遠い所</t></is></c></row></sheetData>'
        data = data.replace(b'<dimension ref="A1:D6"', b'<dimension ref="A1:XFD1048576"')
        return data.replace(b"</sheetData>", row.encode()) if name == SHEET else data

    reading = await reader.read(Source("a.xlsx", remade(far)))
    assert reading.blocks[-1].place == "売上!XFD1048576"


@pytest.mark.slow
async def test_very_many_rows_are_read_or_refused(reader: KillableReader) -> None:
    rows = 1_000_000 if LONG else 100_000
    text = "番号,値\n" + "".join(f"{number},a\n" for number in range(rows))
    try:
        reading = await reader.read(Source("a.csv", text.encode()))
    except TooLarge as reason:
        assert len(reason.message) > 20
    else:
        assert reading.blocks[-1].place.endswith(f"B{rows + 1}")


def test_broken_workbooks_are_read_as_far_as_they_go_or_refused() -> None:
    good = workbook(sales)
    whole = sum(len(block.text) for block in xlsx.read(good).blocks)
    outcomes = Counter[str]()
    for at in range(0, len(good), 97):
        broken = bytearray(good)
        broken[at] ^= 0xFF
        try:
            reading = xlsx.read(bytes(broken))
        except (MemoryError, RecursionError, SystemExit) as fatal:
            pytest.fail(f"byte {at}: {fatal!r}")
        except Exception:
            outcomes["refused"] += 1
        else:
            outcomes["read"] += 1
            assert sum(len(block.text) for block in reading.blocks) < 2 * whole, at
    print(outcomes)
    assert outcomes["read"] and outcomes["refused"]
