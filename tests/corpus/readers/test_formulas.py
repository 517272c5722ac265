"""Formulas of office files in one line, and in the text around them."""

from __future__ import annotations

import docx
import pytest
from lxml import etree

from shisho.corpus.readers import docx as word_reader
from shisho.corpus.readers.formulas import write_formula
from tests.corpus.readers.making import saved

SPACE = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def part(name: str, inside: str) -> str:
    return f"<m:{name}>{inside}</m:{name}>"


QUARTER = part("f", part("num", run("1")) + part("den", run("4")))
ROOT = part("rad", "<m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/>" + part("e", run("25")))


@pytest.mark.parametrize(
    ("inside", "line"),
    [
        (QUARTER, "1/4"),
        (part("f", part("num", run("a+b")) + part("den", run("2"))), "(a+b)/2"),
        (ROOT, "√25"),
        (part("rad", part("deg", run("3")) + part("e", run("x+1"))), "³√(x+1)"),
        (
            part(
                "d",
                "<m:dPr><m:begChr m:val='['/><m:sepChr m:val=','/><m:endChr m:val=']'/></m:dPr>"
                + part("e", run("0"))
                + part("e", run("1")),
            ),
            "[0,1]",
        ),
        (part("d", part("e", run("x"))), "(x)"),
        (part("d", "<m:dPr><m:begChr m:val='{'/><m:endChr m:val=''/></m:dPr>" + part("e", run("x"))), "{x"),
        (part("sSup", part("e", run("10")) + part("sup", run("2"))), "10²"),
        (part("sSubSup", part("e", run("x")) + part("sub", run("1")) + part("sup", run("2"))), "x₁²"),
        (
            part(
                "nary",
                "<m:naryPr><m:chr m:val='∑'/></m:naryPr>"
                + part("sub", run("i=1"))
                + part("sup", run("n"))
                + part("e", run("i")),
            ),
            "∑_i=1ⁿ i",
        ),
        (part("func", part("fName", run("sin")) + part("e", run("x"))), "sin x"),
        (
            part(
                "m",
                part("mr", part("e", run("1")) + part("e", run("0")))
                + part("mr", part("e", run("0")) + part("e", run("1"))),
            ),
            "[1, 0; 0, 1]",
        ),
        (part("acc", part("e", run("x"))), "x"),
        (part("f", part("num", QUARTER) + part("den", ROOT)), "(1/4)/√25"),
    ],
)
def test_what_stands_over_what_is_told(inside: str, line: str) -> None:
    element = etree.fromstring(f'<m:oMath xmlns:m="{SPACE}">{inside}</m:oMath>')
    assert write_formula(element) == line


def test_a_formula_stands_in_its_sentence() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("許容応力は引張強さの")
    paragraph._p.append(etree.fromstring(f'<m:oMath xmlns:m="{SPACE}">{QUARTER}</m:oMath>'))
    paragraph.add_run("とする。")
    (block,) = word_reader.read(saved(document)).blocks
    assert block.text == "許容応力は引張強さの1/4とする。"
