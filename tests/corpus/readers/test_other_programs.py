"""What other programs write: a column left empty in a table of a PDF, formulas in books, pages and slides,
sheets with results and eras. The files follow those of pandoc, LibreOffice and XlsxWriter."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date
from pathlib import Path

import docx as python_docx
import pptx
import pytest
import xlsxwriter
from docx.enum.style import WD_STYLE_TYPE
from lxml import etree

from shisho.corpus.readers import docx, epub, html, notebook, pdf, rtf, xlsx
from shisho.corpus.readers import pptx as pptx_reader
from shisho.domain.corpus import Block, BlockKind, Reading
from tests.corpus.readers import making

WRITTEN = Path(__file__).with_name(
    "other_programs"
)  # one text of ours, written by the programs they are called by
PROSE = "一人が一度に借りられる本は十冊までである。貸出の期間は二週間とする。"
Reader = Callable[[bytes], Reading]
ROWS = "資料\t冊数\t期間\n図書\t10\t14日\n雑誌\t3\t7日"
CODE = "def due(day):\n    return day + 14"
MATH = (
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi>'
    '<mn>2</mn></msup></mrow><annotation encoding="application/x-tex">E=mc^2</annotation></semantics></math>'
)
FRACTION = (
    "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><mo>≥</mo>"
    "<msub><mi>x</mi><mn>1</mn></msub></math>"
)
SLIDE_FORMULA = (
    '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    '<mc:Choice Requires="a14">{shape}</mc:Choice><mc:Fallback/></mc:AlternateContent>'
)
OMML = (
    '<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"><m:oMath '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r>'
    "<m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a14:m>"
)


def test_a_cell_left_empty_keeps_the_others_in_their_columns() -> None:
    rows = [
        ("惑星", "衛星", "直径"),
        ("水星", "", "4879 km"),
        ("木星", "95", "139820 km"),
        ("", "146", "116460 km"),
        ("金星", "", ""),
    ]
    lefts = (72, 220, 360)
    page = [("表の前にある本文の段落である。ここに惑星の大きさを示す。", 10.5, 72, 100)]
    for number, row in enumerate(rows):
        cells = zip(row, lefts, strict=True)
        page += [(text, 10.5, left, 140 + 18 * number) for text, left in cells if text]
    (table,) = [block for block in pdf.read(making.pdf([page])).blocks if block.kind is BlockKind.TABLE]
    assert table.text.splitlines()[:4] == [
        "惑星\t衛星\t直径",
        "水星\t\t4879 km",
        "木星\t95\t139820 km",
        "\t146\t116460 km",
    ]
    assert [table.text[line.start : line.end] for line in table.lines] == table.text.splitlines()


def test_formulas_of_pages_and_books_are_kept_once_and_in_their_place() -> None:
    (block,) = html.read_whole_blocks(f"<p>数式は {MATH} である。</p>")
    assert block.text == "数式は E=mc² である。"
    (block,) = html.read_whole_blocks(f"<p>平均は {FRACTION} となる。</p>")
    assert block.text == "平均は (a+b)/2≥x₁ となる。"
    body = "<p>" + "回帰直線を当てはめる。" * 30 + "</p>"
    page = html.read(
        f"<html><body><article>{body}<p>質量は {MATH} に等しい。</p>{body}</article></body></html>".encode()
    )
    assert "質量は E=mc² に等しい。" in [block.text for block in page.blocks]


def test_a_shape_with_a_formula_is_read_as_the_newer_program_shows_it() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    box = slide.shapes.add_textbox(0, 0, 4_000_000, 900_000)
    box.text_frame.text = "質量は"
    box.text_frame.paragraphs[0]._p.append(etree.fromstring(OMML))
    shape = etree.tostring(box._element).decode()
    tree = slide.shapes._spTree
    tree.replace(box._element, etree.fromstring(SLIDE_FORMULA.format(shape=shape)))
    data = io.BytesIO()
    deck.save(data)
    assert [block.text for block in pptx_reader.read(data.getvalue()).blocks] == ["質量はE=mc²"]


def test_a_sheet_of_another_program_opens_on_its_cells() -> None:
    data = io.BytesIO()
    book = xlsxwriter.Workbook(data)
    sheet = book.add_worksheet("売上")
    yen = book.add_format({"num_format": '#,##0"円"'})
    era = book.add_format({"num_format": '[$-411]ggge"年"m"月"d"日"'})
    sheet.write_row(0, 0, ["品目", "", "売上", "日付"])
    sheet.write_row(1, 0, ["りんご"])
    sheet.write(1, 2, 1234, yen)
    sheet.write_datetime(1, 3, date(2024, 4, 1), era)
    sheet.write(2, 0, "合計")
    sheet.write_formula(2, 2, "=SUM(C2:C2)", yen, 1234)
    book.close()
    reading = xlsx.read(data.getvalue())
    (block,) = reading.blocks
    assert (block.place, reading.warnings) == ("売上!A2:D3", ())
    assert block.text == "品目: りんご\t売上: 1,234円\t日付: 令和6年4月1日\n品目: 合計\t売上: 1,234円"


def of_kind(blocks: tuple[Block, ...], kind: BlockKind) -> list[tuple[str, str]]:
    return [(block.text, block.place) for block in blocks if block.kind is kind]


@pytest.mark.parametrize(
    ("read", "name", "places"),
    [
        (epub.read, "pandoc.epub", ("貸出", "予約")),
        (docx.read, "pandoc.docx", ("", "")),
        (notebook.read, "pandoc.ipynb", ("cell 1", "cell 1")),
    ],
)
def test_what_pandoc_writes_has_its_table_and_its_code(
    read: Reader, name: str, places: tuple[str, str]
) -> None:
    blocks = read((WRITTEN / name).read_bytes()).blocks
    assert (PROSE, places[0]) in of_kind(blocks, BlockKind.PARAGRAPH)
    assert of_kind(blocks, BlockKind.TABLE) == [(ROWS, places[0])]
    assert of_kind(blocks, BlockKind.CODE) == [(CODE, places[1])]
    assert [text for text, _ in of_kind(blocks, BlockKind.HEADING)][-2:] == ["貸出", "予約"]


@pytest.mark.parametrize("name", ["pandoc.rtf", "libreoffice.rtf"])
def test_rows_of_rtf_are_whole_though_cells_hold_paragraphs(name: str) -> None:
    blocks = rtf.read((WRITTEN / name).read_bytes()).blocks
    assert of_kind(blocks, BlockKind.TABLE) == [(ROWS, "")]
    assert (PROSE, "") in of_kind(blocks, BlockKind.PARAGRAPH)


def test_a_cell_of_rtf_with_two_paragraphs_is_one_cell() -> None:
    row = rb"\trowd\cellx900\cellx1800\pard\intbl one\par two\cell \\par C\line D\cell\row"
    body = rb"{\rtf1\ansi first\par " + row + rb"\pard after\par last\par \trowd open\par end}"
    blocks = rtf.read(body).blocks
    assert [block.text for block in blocks] == ["first", "one two\t\\par C D", "after", "last", "open", "end"]


def test_sheet_of_libreoffice_says_its_cells() -> None:
    (block,) = xlsx.read((WRITTEN / "libreoffice.xlsx").read_bytes()).blocks
    assert block.place == "stock!A2:D3"
    assert block.text.splitlines()[1] == "書名: こころ, 上\t著者: 夏目漱石\t所蔵数: 12\t購入日: 2023-11-15"


def test_lines_of_code_of_a_word_processor_are_one_block() -> None:
    document = python_docx.Document()
    document.styles.add_style("HTML Preformatted", WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("前。")
    for line in CODE.split("\n"):
        document.add_paragraph(line, style="HTML Preformatted")
    document.add_paragraph("後。")
    data = io.BytesIO()
    document.save(data)
    blocks = docx.read(data.getvalue()).blocks
    assert [(block.text, block.kind) for block in blocks] == [
        ("前。", BlockKind.PARAGRAPH),
        (CODE, BlockKind.CODE),
        ("後。", BlockKind.PARAGRAPH),
    ]
