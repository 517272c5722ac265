"""The marked sentences of a passage, printed alone."""

from __future__ import annotations

from shisho.domain.inquiry import PassageMark
from shisho.language.marked_text import render_marks

TEXT = "氷は水に浮く。密度が水より低い\nためである。鉄は沈む。"
TABLE = "材料\t密度\n氷\t0.92\n鉄\t7.87"


def mark(text: str, words: str, number: int) -> PassageMark:
    start = text.index(words)
    return PassageMark(start, start + len(words), number)


def test_sentences_stand_alone_each_with_its_number() -> None:
    marks = [mark(TEXT, "密度が水より低い\nためである。", 2), mark(TEXT, "鉄は沈む。", 1)]
    shown = render_marks(TEXT, marks, heading="浮力")
    assert shown == "密度が水より低いためである。[2]\n鉄は沈む。[1]"


def test_a_row_comes_under_the_heading_that_names_its_columns() -> None:
    heading = "表1 › 材料 · 密度"
    shown = render_marks(TABLE, [mark(TABLE, "鉄\t7.87", 1)], heading=heading)
    assert shown == f"▸ {heading}\n鉄 | 7.87[1]"


def test_marked_code_keeps_its_lines() -> None:
    code = "def float(ice):\n    return ice < 1\n\nsink()"
    shown = render_marks(
        code, [mark(code, "def float(ice):\n    return ice < 1", 3)], heading="ice.py", code=True
    )
    assert shown == "```\ndef float(ice):\n    return ice < 1\n```\n[3]"
