"""Letters of fonts that are pictures: boxes to tick, arrows, Greek."""

from __future__ import annotations

import docx
import pptx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml import etree

from shisho.corpus.readers import docx as word_reader
from shisho.corpus.readers import html
from shisho.corpus.readers import pptx as slide_reader
from shisho.corpus.readers.symbols import write_symbol, write_symbols
from tests.corpus.readers.making import saved


@pytest.mark.parametrize(
    ("code", "font", "letter"),
    [
        ("F0FE", "Wingdings", "☑"),
        ("00A8", "wingdings", "□"),
        ("F0E0", "Wingdings", "→"),
        ("F081", "Wingdings", "①"),
        ("F052", "Wingdings 2", "☑"),
        ("F062", "Symbol", "β"),
        ("F0B3", "Symbol", "≥"),
        ("F028", "Symbol", "("),
        ("2611", "MS Gothic", "☑"),
        ("F0FE", "Foreign", ""),
        ("110000", "Symbol", ""),
        ("D800", "Symbol", ""),
        ("", None, ""),
        ("f" * 500, None, ""),
    ],
)
def test_symbol_is_the_letter_that_unicode_has_for_it(code: str, font: str | None, letter: str) -> None:
    assert write_symbol(code, font) == letter


def test_other_fonts_and_letters_stay() -> None:
    assert write_symbols("à b 賛成", "Arial") == "à b 賛成"
    assert write_symbols("賛成", "Wingdings") == "賛成"


def test_boxes_of_a_form_are_read_in_word() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph()
    for code, answer in (("F0FE", "賛成 "), ("F0A8", "反対 ")):
        symbol = OxmlElement("w:sym")
        symbol.set(qn("w:font"), "Wingdings")
        symbol.set(qn("w:char"), code)
        paragraph.add_run()._r.append(symbol)
        paragraph.add_run(answer)
    paragraph.add_run("m").font.name = "Symbol"
    paragraph.add_run("m")
    assert [block.text for block in word_reader.read(saved(made)).blocks] == ["☑賛成 □反対 μm"]


def test_arrows_of_slides_are_read_as_they_are_drawn() -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    paragraph = slide.shapes.title.text_frame.paragraphs[0]
    paragraph.text = "申請"
    for tag, text in (("sym", "à a "), ("latin", "ü"), ("ea", "é")):
        run = paragraph.add_run()
        run.text = text
        etree.SubElement(run._r.get_or_add_rPr(), qn(f"a:{tag}"), typeface="Wingdings")
    assert [block.text for block in slide_reader.read(saved(made)).blocks] == ["申請→ a ✓é"]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("<span style='font-family:Wingdings'>à</span>総務課へ", "→総務課へ"),
        ('<font face="Wingdings, serif">þ<b>済</b>ü</font>', "☑済✓"),
        (
            "<span style='font-family:\"Wingdings\"'>l<span style='font:7pt \"Times New Roman\"'>l </span></span>始業",
            "●l 始業",
        ),
        ('10<span style="vertical-align:super;font-size:0.6em">2</span> m', "10² m"),
        ('CO<span style="vertical-align:sub">2</span>', "CO₂"),
        (f'10<span style="vertical-align:super">{"長い文" * 9}</span>', f"10{'長い文' * 9}"),
        ("<span style='font-family:Meiryo'>à</span>", "à"),
    ],
)
def test_letters_that_only_the_style_of_a_page_tells(written: str, text: str) -> None:
    page = f"<html><body><p>{written}</p></body></html>"
    assert [block.text for block in html.read(page.encode()).blocks] == [text]
