"""What a slide says, in the order in which it is seen."""

from __future__ import annotations

from typing import Any

from lxml import etree
from pptx.oxml import parse_xml
from pptx.util import Inches

from shisho.corpus.readers import pptx as reader
from shisho.domain.corpus import BlockKind
from tests.corpus.readers.making import make_deck, saved

SPACES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def write(slide: Any, text: str, left: float, top: float) -> Any:
    box = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(3), Inches(1))
    box.text_frame.text = text
    return box


def texts(made: Any) -> list[str]:
    return [block.text for block in reader.read(saved(made)).blocks]


def test_number_date_and_footer_of_each_slide_are_no_text() -> None:
    made, slide = make_deck("決算")
    write(slide, "売上は三割増えた。", 1, 2)
    for number, kind in enumerate(("sldNum", "ftr", "dt"), 100):
        field = '<a:fld id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum"><a:t>‹#›</a:t></a:fld>'
        words = field if kind == "sldNum" else "<a:r><a:t>社外秘 2024/5/1</a:t></a:r>"
        slide.shapes._spTree.append(
            parse_xml(
                f'<p:sp {SPACES}><p:nvSpPr><p:cNvPr id="{number}" name="{kind}"/><p:cNvSpPr/><p:nvPr>'
                f'<p:ph type="{kind}" idx="{number}"/></p:nvPr></p:nvSpPr><p:spPr/>'
                f"<p:txBody><a:bodyPr/><a:p>{words}</a:p></p:txBody></p:sp>"
            )
        )
    page = write(slide, "", 8, 7)
    page.text_frame.paragraphs[0]._p.append(
        etree.fromstring(f'<a:fld {SPACES} id="{{1}}" type="slidenum"><a:t>1</a:t></a:fld>')
    )
    assert texts(made) == ["決算", "売上は三割増えた。"]


def test_a_cell_over_several_rows_stands_in_each_of_them_and_one_over_columns_once() -> None:
    made, slide = make_deck("決算")
    rows = [["地域", "県", "人口"], ["関東", "東京", "14"], ["", "千葉", "6"], ["合計", "", "20"]]
    grid = slide.shapes.add_table(4, 3, 0, Inches(3), Inches(6), Inches(2)).table
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            grid.cell(row, column).text = text
    grid.cell(1, 0).merge(grid.cell(2, 0))
    grid.cell(3, 0).merge(grid.cell(3, 1))
    square = grid.cell(1, 2).text_frame.paragraphs[0].add_run()
    square.text = "2"
    square.font._element.set("baseline", "30000")
    (block,) = (block for block in reader.read(saved(made)).blocks if block.kind is BlockKind.TABLE)
    assert block.text == "地域\t県\t人口\n関東\t東京\t14²\n関東\t千葉\t6\n合計\t\t20"


def test_boxes_side_by_side_are_read_from_left_to_right_however_exactly_they_stand() -> None:
    made, slide = make_deck("決算")
    write(slide, "右の列", 5, 2)
    write(slide, "左の列", 1, 2.02)
    write(slide, "下の行", 1, 3.5)
    write(slide, "右の下", 5, 3.45)
    assert texts(made) == ["決算", "左の列", "右の列", "下の行", "右の下"]
