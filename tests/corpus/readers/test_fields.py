"""Fields of Word that draw ruby, signs in circles, fractions and boxes to tick."""

from __future__ import annotations

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from shisho.corpus.readers import docx as reader
from shisho.corpus.readers.docx import write_equation
from tests.corpus.readers.making import saved
from tests.machine import grows_in_line

BEGIN = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
STAMP = r"\o\ac(○,印)"
UNTICKED = '<w:default w:val="0"/>'
END = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'


@pytest.mark.parametrize(
    ("code", "drawn"),
    [
        (r" eq \o\ac(○,印)", "印"),
        (r' EQ \* jc2 \* "Font:ＭＳ 明朝" \* hps10 \o\ad(\s\up 9(かいこう),邂逅)', "邂逅(かいこう)"),
        (r"EQ \f(1,2)", "1/2"),
        (r"EQ \f(a+b;2)", "(a+b)/2"),
        (r"EQ \r(,25)", "√25"),
        (r"EQ \r(3,x)", "³√x"),
        (r"EQ 10\s\up 5(2) - a\s\do3(1)", "10² - a₁"),
        (r"EQ \b\bc\{(\f(\f(1,2),3))", "((1/2)/3)"),
        (r"EQ \i\su(1,9,x)", "∑₁⁹ x"),
        (r"EQ \x(枠\,内)", "枠,内"),
        (r"EQ f(x,y)", "f(x,y)"),
        ("EQ \\", ""),
        (r"EQ \o(", ""),
        ("PAGE", ""),
        ("EQUAL 1", ""),
    ],
)
def test_what_a_field_draws_stands_in_one_line(code: str, drawn: str) -> None:
    assert write_equation(code) == drawn


def test_fields_stand_in_their_sentence_and_only_drawn_ones_do() -> None:
    def box(state: str) -> str:
        data = f'<w:ffData><w:name w:val="c"/><w:checkBox><w:sizeAuto/>{state}</w:checkBox></w:ffData>'
        mark = f'<w:r><w:fldChar w:fldCharType="begin">{data}</w:fldChar></w:r>'
        return f"{mark}<w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r>{END}"

    def field(*codes: str) -> str:
        return BEGIN + "".join(f"<w:r><w:instrText>{code}</w:instrText></w:r>" for code in codes) + END

    inside = (
        f"<w:r><w:t>氏名</w:t></w:r>{field(' EQ ', STAMP)}{field(' PAGE ')}"
        f"<w:r><w:t>：</w:t></w:r>{box('<w:checked/>')}<w:r><w:t>可</w:t></w:r>"
        f"{box(UNTICKED)}<w:r><w:t>否</w:t></w:r>{END}"
    )
    made = docx.Document()
    made.add_paragraph()._p.addnext(parse_xml(f"<w:p {nsdecls('w')}>{inside}</w:p>"))
    assert [block.text for block in reader.read(saved(made)).blocks] == ["氏名印：☒可☐否"]


@pytest.mark.parametrize("unit", [r"\f(", r"\o", r'\* "', "(", r"\s\up("])
def test_an_equation_is_read_in_linear_time(unit: str) -> None:
    assert grows_in_line(write_equation, lambda size: f"EQ {unit * size}", 5_000)
