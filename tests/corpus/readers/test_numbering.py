"""Automatic numbers of Word: counted as Word counts them, and a part of what is quoted."""

from __future__ import annotations

from typing import Any

import docx
import pytest
from docx.oxml import parse_xml

from shisho.corpus.readers import docx as word_reader
from shisho.corpus.readers.docx import ParagraphCounter
from shisho.domain.corpus import BlockKind
from tests.corpus.readers.making import saved

SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def level(depth: int, form: str, text: str, more: str = "") -> str:
    return f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


def definition(*levels: str) -> str:
    return f'<w:abstractNum {SPACE} w:abstractNumId="99">{"".join(levels)}</w:abstractNum>'


def instance(number: int, more: str = "") -> str:
    return f'<w:num {SPACE} w:numId="{number}"><w:abstractNumId w:val="99"/>{more}</w:num>'


def counted(*parts: str) -> ParagraphCounter:
    return ParagraphCounter(parse_xml(f"<w:numbering {SPACE}>{''.join(parts)}</w:numbering>"))


ARTICLES = definition(
    level(0, "decimal", "第%1条"), level(1, "decimal", "%1.%2"), level(2, "japaneseCounting", "(%3)")
)


def test_levels_count_by_themselves_and_anew_below_one_above() -> None:
    numbering = counted(ARTICLES, instance(1))
    depths = (0, 1, 1, 0, 1, 2, 2)
    numbers = [numbering.count("1", depth, "") for depth in depths]
    assert numbers == ["第1条", "1.1", "1.2", "第2条", "2.1", "(一)", "(二)"]


def test_two_lists_of_one_rule_go_on_unless_one_begins_anew() -> None:
    anew = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    numbering = counted(ARTICLES, instance(1), instance(2), instance(3, anew))
    assert [numbering.count(name, 0, "") for name in "112133"] == [
        "第1条",
        "第2条",
        "第3条",
        "第4条",
        "第1条",
        "第2条",
    ]


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("decimal", ["1", "2", "3"]),
        ("decimalZero", ["01", "02", "03"]),
        ("upperRoman", ["I", "II", "III"]),
        ("lowerLetter", ["a", "b", "c"]),
        ("decimalFullWidth", ["１", "２", "３"]),
        ("decimalEnclosedCircle", ["①", "②", "③"]),
        ("ideographDigital", ["一", "二", "三"]),
        ("aiueoFullWidth", ["ア", "イ", "ウ"]),
        ("irohaFullWidth", ["イ", "ロ", "ハ"]),
        ("somethingElse", ["1", "2", "3"]),
        ("bullet", ["", "", ""]),
    ],
)
def test_forms(form: str, numbers: list[str]) -> None:
    numbering = counted(definition(level(0, form, "%1")), instance(1))
    assert [numbering.count("1", 0, "") for _ in numbers] == numbers


def test_twelve_and_twenty_are_counted_in_kanji() -> None:
    numbering = counted(definition(level(0, "japaneseCounting", "第%1章")), instance(1))
    numbers = [numbering.count("1", 0, "") for _ in range(21)]
    assert (numbers[9], numbers[11], numbers[19], numbers[20]) == (
        "第十章",
        "第十二章",
        "第二十章",
        "第二十一章",
    )


def test_what_is_in_no_list_has_no_number() -> None:
    numbering = counted(ARTICLES, instance(1))
    assert numbering.count("0", 0, "") is None and numbering.count("7", 0, "") is None
    assert ParagraphCounter(None).count("1", 0, "") is None
    assert counted(ARTICLES, instance(1)).count("1", 10**9, "") == ""


def numbered(document: Any, text: str, depth: int, list_id: int = 99) -> None:
    rule = f'<w:numPr {SPACE}><w:ilvl w:val="{depth}"/><w:numId w:val="{list_id}"/></w:numPr>'
    document.add_paragraph(text)._p.get_or_add_pPr().append(parse_xml(rule))


def test_articles_of_a_contract_are_quoted_with_their_numbers() -> None:
    document = docx.Document()
    rules = document.part.numbering_part._element
    by_style = level(0, "upperRoman", "%1 部", '<w:pStyle w:val="Heading1"/>')
    rules.insert(0, parse_xml(ARTICLES))
    rules.insert(0, parse_xml(definition(by_style).replace('"99"', '"98"')))
    rules.append(parse_xml(instance(99)))
    rules.append(parse_xml(instance(98).replace('val="99"', 'val="98"')))
    heading = document.styles["Heading 1"].element.get_or_add_pPr()
    heading.append(parse_xml(f'<w:numPr {SPACE}><w:numId w:val="98"/></w:numPr>'))
    document.add_heading("総則", 1)
    numbered(document, "賃料は月額十万円とする。", 0)
    numbered(document, "敷金は賃料の二か月分とする。", 0)
    numbered(document, "退去の際に返還する。", 1)
    numbered(document, "番号のない段落である。", 0, 0)
    document.add_paragraph("最初", style="List Number")
    document.add_paragraph("点", style="List Bullet")
    blocks = word_reader.read(saved(document)).blocks
    assert [(block.kind, block.text) for block in blocks] == [
        (BlockKind.HEADING, "I 部 総則"),
        (BlockKind.LIST, "第1条 賃料は月額十万円とする。"),
        (BlockKind.LIST, "第2条 敷金は賃料の二か月分とする。"),
        (BlockKind.LIST, "2.1 退去の際に返還する。"),
        (BlockKind.PARAGRAPH, "番号のない段落である。"),
        (BlockKind.LIST, "1. 最初"),
        (BlockKind.LIST, "• 点"),
    ]
    assert blocks[1].headings == ("I 部 総則",)
