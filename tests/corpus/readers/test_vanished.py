"""Text that a word processor keeps and does not show: nobody may quote it."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import docx
import pptx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml

from shisho.corpus.readers import docx as word_reader
from shisho.corpus.readers import pptx as slide_reader
from tests.corpus.readers.making import saved

NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def word_of(*paragraphs: str) -> bytes:
    return saved(with_paragraphs(docx.Document(), *paragraphs))


def with_paragraphs(document: Any, *paragraphs: str) -> Any:
    for content in paragraphs:
        document.element.body.insert(-1, parse_xml(f"<w:p {NAMESPACE} {MATH}>{content}</w:p>"))
    return document


def texts(data: bytes) -> list[str]:
    return [block.text for block in word_reader.read(data).blocks]


@pytest.mark.parametrize(
    "mark",
    ["<w:vanish/>", '<w:vanish w:val="1"/>', '<w:vanish w:val="true"/>', '<w:b/><w:vanish w:val="on"/>'],
)
def test_hidden_run_is_left_out(mark: str) -> None:
    assert texts(word_of(run("会費は") + run("五百円", mark) + run("千円である。"))) == ["会費は千円である。"]


@pytest.mark.parametrize("mark", ["<w:strike/>", "<w:dstrike/>", '<w:strike w:val="true"/>'])
def test_struck_out_run_is_left_out(mark: str) -> None:
    """The old figure would be glued to the new one."""
    assert texts(word_of(run("会費は") + run("五百円", mark) + run("千円である。"))) == ["会費は千円である。"]


def test_run_that_is_set_not_struck_stays() -> None:
    assert texts(word_of(run("会費は") + run("千円。", '<w:strike w:val="0"/>'))) == ["会費は千円。"]


def test_struck_out_run_of_a_slide_is_left_out() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    paragraph = slide.shapes.title.text_frame.paragraphs[0]
    for text, strike in (("会費は", "noStrike"), ("五百円", "sngStrike"), ("千円", "")):
        piece = paragraph.add_run()
        piece.text = text
        if strike:
            piece._r.get_or_add_rPr().set("strike", strike)
    (block,) = slide_reader.read(saved(deck)).blocks
    assert block.text == "会費は千円"


@pytest.mark.parametrize("value", ["0", "false", "off"])
def test_run_that_is_set_not_hidden_stays(value: str) -> None:
    assert texts(word_of(run("会費は") + run("千円。", f'<w:vanish w:val="{value}"/>'))) == ["会費は千円。"]


def test_what_was_hidden_before_a_change_and_a_paragraph_whose_mark_alone_is_hidden_stay() -> None:
    change = "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>"
    mark = "<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>"
    assert texts(word_of(mark + run("会費は") + run("千円。", change))) == ["会費は千円。"]


def test_paragraph_cell_and_formula_that_are_hidden_leave_nothing() -> None:
    document = docx.Document()
    document.add_heading("", 1).add_run("秘密の見出し").font.hidden = True
    row = document.add_table(1, 2).rows[0]
    row.cells[0].paragraphs[0].add_run("秘").font.hidden = True
    row.cells[1].text = "公"
    formula = "<m:r><w:rPr><w:vanish/></w:rPr><m:t>x=1</m:t></m:r><m:r><m:t>y=2</m:t></m:r>"
    blocks = word_reader.read(saved(with_paragraphs(document, f"<m:oMath>{formula}</m:oMath>"))).blocks
    assert [(block.text, block.headings) for block in blocks] == [("\t公", ()), ("y=2", ())]


def test_what_was_moved_stands_where_it_went_alone() -> None:
    source = f'<w:moveFrom w:id="1" w:author="a">{run("移した文。")}</w:moveFrom>'
    target = f'<w:moveTo w:id="2" w:author="a">{run("移した文。")}</w:moveTo>'
    removed = '<w:del w:id="3" w:author="a"><w:r><w:delText>消した文。</w:delText></w:r></w:del>'
    assert texts(word_of(run("前。") + source + removed, run("後。") + target)) == ["前。", "後。移した文。"]


def styled(document: Any) -> Any:
    """A document with a style of paragraphs and one of letters that hide, and one based on each."""
    for kind, name in ((WD_STYLE_TYPE.PARAGRAPH, "Aside"), (WD_STYLE_TYPE.CHARACTER, "Secret")):
        base = document.styles.add_style(name, kind)
        base.font.hidden = True
        document.styles.add_style(f"{name} below", kind).base_style = base
    document.styles.add_style("Aside again", WD_STYLE_TYPE.PARAGRAPH).base_style = document.styles["Aside"]
    document.styles["Aside again"].font.hidden = False
    return document


def test_style_hides_what_is_set_in_it_and_in_those_based_on_it() -> None:
    document = styled(docx.Document())
    for style in ("Aside", "Aside below", "Aside again", "Normal"):
        document.add_paragraph(f"{style}.", style=style)
    paragraph = document.add_paragraph("Open")
    for style in ("Secret", "Secret below"):
        paragraph.add_run(f" {style}").style = style
    document.add_paragraph("", style="Aside").add_run("Both.").style = "Secret"
    document.add_paragraph("", style="Aside").add_run("By hand.").font.hidden = False
    assert texts(saved(document)) == ["Aside again.", "Normal.", "Open", "Both.", "By hand."]


def test_styles_based_on_each_other_and_a_long_chain_of_them_end() -> None:
    document = styled(docx.Document())
    document.styles["Aside"].font.hidden = None
    document.styles["Aside"].base_style = document.styles["Aside below"]
    document.add_paragraph("Round.", style="Aside")
    hidden = "<w:rPr><w:vanish/></w:rPr>"
    for number in range(20_000):
        below = f'<w:basedOn w:val="s{number + 1}"/>' if number < 19_999 else hidden
        style = f'<w:style {NAMESPACE} w:type="paragraph" w:styleId="s{number}">{below}</w:style>'
        document.styles.element.append(parse_xml(style))
    hides = '<w:pPr><w:pStyle w:val="s0"/></w:pPr>'
    assert texts(saved(with_paragraphs(document, hides + run("Chain.")))) == ["Round."]


def test_hidden_part_of_a_note_is_left_out() -> None:
    note = f'<w:footnote w:id="2"><w:p>{run("注である。")}{run("秘密。", "<w:vanish/>")}</w:p></w:footnote>'
    relation = (
        '<Relationship Id="rId99" Target="footnotes.xml" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"/></Relationships>'
    )
    kind = (
        '<Override PartName="/word/footnotes.xml" ContentType="application/'
        'vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/></Types>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(word_of(run("本文。")))) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            part = old.read(name).decode("utf-8", "replace")
            part = part.replace("</Relationships>", relation) if "document.xml.rels" in name else part
            part = part.replace("</Types>", kind) if name == "[Content_Types].xml" else part
            new.writestr(name, part)
        new.writestr("word/footnotes.xml", f"<w:footnotes {NAMESPACE}>{note}</w:footnotes>")
    assert texts(file.getvalue()) == ["本文。", "注である。"]


def test_style_without_a_name_hides_nothing_and_ends_nothing() -> None:
    document = with_paragraphs(
        docx.Document(), '<w:pPr><w:pStyle w:val="X"/></w:pPr>' + run("会費は千円である。")
    )
    document.styles.element.append(parse_xml(f'<w:style {NAMESPACE} w:type="paragraph" w:styleId="X"/>'))
    assert texts(saved(document)) == ["会費は千円である。"]
