"""Diagrams and charts, whose words and numbers stand beside the slide or page."""

from __future__ import annotations

from typing import Any

import docx
import pytest
from docx.opc.packuri import PackURI as WordURI
from docx.opc.part import Part as WordPart
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml
from pptx.util import Inches

from shisho.corpus.readers import docx as word_reader
from shisho.corpus.readers import pptx as slide_reader
from shisho.corpus.readers.office import read_drawings
from shisho.domain.corpus import BlockKind
from tests.corpus.readers.making import make_deck, saved

SPACES = (
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
POINT = '<dgm:pt modelId="{}"><dgm:t><a:bodyPr/><a:p><a:r><a:t>{}</a:t></a:r></a:p></dgm:t></dgm:pt>'
POINTS = POINT.format(1, "監査委員会") + POINT.format(2, "委員長は佐藤花子")
MODEL = f"<dgm:dataModel {SPACES}><dgm:ptLst>{POINTS}</dgm:ptLst></dgm:dataModel>"
KIND = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
FRAME = (
    "<p:graphicFrame {spaces}><p:nvGraphicFramePr><p:cNvPr id='9' name='d'/><p:cNvGraphicFramePr/><p:nvPr/>"
    "</p:nvGraphicFramePr><p:xfrm><a:off x='0' y='1000'/><a:ext cx='5000' cy='3000'/></p:xfrm><a:graphic>"
    "<a:graphicData uri='http://schemas.openxmlformats.org/drawingml/2006/diagram'><dgm:relIds r:dm='{name}'/>"
    "</a:graphicData></a:graphic></p:graphicFrame>"
)


def add_diagram(slide: Any, model: str) -> None:
    part = Part(PackURI("/ppt/diagrams/data1.xml"), KIND, slide.part.package, model.encode())
    name = slide.part.relate_to(part, RELATION)
    slide.shapes._spTree.append(parse_xml(FRAME.format(spaces=SPACES, name=name)))


def test_a_diagram_of_a_slide_is_read() -> None:
    presentation, slide = make_deck("組織と売上")
    add_diagram(slide, MODEL)
    blocks = slide_reader.read(saved(presentation)).blocks
    assert [(block.kind, block.text, block.page) for block in blocks] == [
        (BlockKind.HEADING, "組織と売上", 1),
        (BlockKind.PARAGRAPH, "監査委員会\n委員長は佐藤花子", 1),
    ]


def test_a_chart_of_a_slide_has_its_title_its_labels_and_its_figures() -> None:
    presentation, slide = make_deck("組織と売上")
    data = CategoryChartData(number_format="0.0")
    data.categories = ["東日本", "西日本"]
    data.add_series("売上(億円)", (10, 20.25))
    data.add_series("前年", (9, None))
    place = (Inches(1), Inches(4), Inches(4), Inches(3))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "地域別売上の推移"
    _, title, figures = slide_reader.read(saved(presentation)).blocks
    assert title.text == "地域別売上の推移"
    assert figures.kind is BlockKind.TABLE
    assert figures.text.split("\n") == ["\t売上(億円)\t前年", "東日本\t10.0\t9.0", "西日本\t20.3\t"]


def test_a_diagram_of_a_document_is_read_where_it_stands() -> None:
    document = docx.Document()
    document.add_heading("組織", 1)
    paragraph = document.add_paragraph("図のとおりである。")
    package = document.part.package
    part = WordPart(WordURI("/word/diagrams/data1.xml"), KIND, MODEL.encode(), package)
    name = document.part.relate_to(part, RELATION)
    paragraph._p.append(parse_xml(f"<dgm:relIds {SPACES} r:dm='{name}'/>"))
    blocks = word_reader.read(saved(document)).blocks
    assert [block.text for block in blocks] == ["組織", "監査委員会\n委員長は佐藤花子", "図のとおりである。"]
    assert blocks[1].headings == ("組織",)


@pytest.mark.parametrize("model", ["", "no xml", "<a><b></a>", MODEL[:-20]])
def test_a_part_that_cannot_be_read_keeps_nothing_else_out(model: str) -> None:
    presentation, slide = make_deck("組織と売上")
    add_diagram(slide, model)
    (block,) = slide_reader.read(saved(presentation)).blocks
    assert block.text == "組織と売上"


def test_a_relationship_that_leads_nowhere_says_nothing() -> None:
    frame = parse_xml(FRAME.format(spaces=SPACES, name="rId9"))
    assert list(read_drawings(frame, lambda name: {}[name])) == []
