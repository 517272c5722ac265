"""What other programs write: a column left empty in a table of a PDF, formulas in books, pages and slides, sheets with
results and eras. The files follow those of pandoc, LibreOffice and XlsxWriter."""

from __future__ import annotations

import io
from datetime import date

import pptx
import xlsxwriter
from lxml import etree

from shisho.corpus.readers import html, pdf, xlsx
from shisho.corpus.readers import pptx as pptx_reader
from shisho.domain.corpus import BlockKind
from tests.corpus.readers import making

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
    (block,) = html.whole_blocks(f"<p>数式は {MATH} である。</p>")
    assert block.text == "数式は E=mc² である。"
    (block,) = html.whole_blocks(f"<p>平均は {FRACTION} となる。</p>")
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
