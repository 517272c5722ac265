"""An answer in a terminal, on a page and on paper: widths of columns, nested items, dates."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pypdfium2
import pytest
from rich.cells import cell_len
from rich.console import Console

from shisho.domain.inquiry import Answer, AnswerBlock, AnswerHeading, AnswerList, AnswerTable, Sentence
from shisho.interfaces.cli.answer_view import print_blocks
from shisho.interfaces.cli.shell import Words
from shisho.language.display import split_item
from shisho.rendering.answer_text import write_text
from shisho.rendering.export import export
from shisho.rendering.printable import make_printable
from shisho.system.typesetting import TypstTypesetter, check_japanese
from tests.fonts import japanese_fonts
from tests.rendering.proofs import answer
from tests.tables import each_row

CONDITION = (
    "営利を目的とする利用は、あらかじめ館長の許可を受けた場合に限り、"
    "通常の料金の2倍を納めて利用することができる。"
)
STEP = "申し込みから7日以内に料金を納める。納めないときは申し込みを取り消したものとみなす。"
ITEMS = ("- 係員の指示に従うこと。", "・火気を使わないこと。", "（1）販売しないこと。\n  - 福祉団体は除く。")


def say(text: str) -> Sentence:
    return Sentence(text, (1,), None)


def make_answer(*blocks: AnswerBlock, question: str = "会議室の料金は") -> Answer:
    return replace(answer(), question=question, blocks=blocks)


TABLE = AnswerTable(
    ("会議室", "定員", "料金", "条件"),
    (
        tuple(map(say, ("第一会議室", "30名", "1,500円", CONDITION))),
        tuple(map(say, ("和室", "12名", "800円", "なし"))),
    ),
)


@each_row(
    ("text", "lines"),
    [
        ("- 甲", ["甲"]),
        ("・甲", ["甲"]),
        ("* first\n  continued", ["first continued"]),
        ("甲：\n- 乙\n  - 丙", ["甲：", "乙", "丙"]),
        ("- 40℃で保つ。", ["- 40℃で保つ。"]),
        ("* 印は必須。", ["* 印は必須。"]),
        ("1. 甲", ["1. 甲"]),
        ("-x is negative", ["-x is negative"]),
    ],
)
def test_an_item_loses_its_own_bullet_and_keeps_nested_items(text: str, lines: list[str]) -> None:
    assert split_item(text) == lines


def test_no_form_of_a_list_has_two_bullets() -> None:
    given = make_answer(AnswerList(tuple(map(say, ITEMS))))
    assert write_text(given.blocks, {}, "ja").split("\n") == [
        "- 係員の指示に従うこと。 [1]",
        "- 火気を使わないこと。 [1]",
        "- （1）販売しないこと。",
        "  - 福祉団体は除く。 [1]",
    ]
    assert "<li>• 係員の指示" in export(given, "html") and "\n◦ 福祉団体" in export(given, "html")
    lines = print_in_terminal(given, 40)
    assert [line.split(" ")[0] for line in lines] == ["•", "•", "•", ""]
    assert not any("• -" in line or "• ・" in line for line in lines)


def print_in_terminal(given: Answer, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    print_blocks(console, given, Words("ja"))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


@each_row("width", [40, 80])
def test_a_long_item_is_folded_and_not_cut(width: int) -> None:
    lines = print_in_terminal(make_answer(AnswerList((say(STEP),), ("1.",))), width)
    assert STEP in "".join(line[3:].strip() for line in lines) and all(
        cell_len(line) <= width for line in lines
    )


def test_short_columns_are_as_wide_as_their_content() -> None:
    (block,) = make_printable(make_answer(TABLE)).blocks
    *short, long = block.shares
    assert short == [0, 0, 0] and long > 0


def test_columns_with_much_text_share_the_width_by_their_length() -> None:
    rows = (tuple(map(say, ("甲", "い" * 60, "ろ" * 300))),)
    (block,) = make_printable(make_answer(AnswerTable(("名", "短い", "長い"), rows))).blocks
    first, middle, last = block.shares
    assert first == 0 < middle <= last


def test_a_long_column_has_room_on_a_small_page() -> None:
    assert "<th class=long>条件</th>" in export(make_answer(TABLE), "html")


@each_row(
    ("question", "day"),
    [("会議室の料金は", "{0.year}年{0.month}月{0.day}日"), ("What is the fee?", "{0.day} January 2026")],
)
def test_the_day_is_written_as_people_write_it(question: str, day: str) -> None:
    given = make_answer(TABLE, question=question)
    made = replace(given, created_at="2026-01-15T12:00:00.000000Z")  # type: ignore[arg-type]
    local = datetime.fromisoformat(made.created_at).astimezone()
    assert day.format(local) in make_printable(made).facts[-1]
    assert made.created_at not in export(made, "html")


def test_a_pdf_gives_the_columns_the_width_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typst = pytest.importorskip("typst")
    for name, value in japanese_fonts(tmp_path / "data").items():
        monkeypatch.setenv(name, value)
    check_japanese(typst.Fonts())
    blocks = (AnswerHeading("比較"), TABLE, AnswerList(tuple(map(say, ITEMS))))
    given = make_answer(*blocks, question="会議室の一覧")
    page = pypdfium2.PdfDocument(TypstTypesetter().typeset(make_printable(given)))[0]
    letters = page.get_textpage()
    text = letters.get_text_range()
    lefts = [letters.get_charbox(text.index(label))[0] for label in ("定員", "料金", "条件")]
    assert lefts[2] - lefts[1] < 90 and lefts[1] - lefts[0] < 90
    assert "• ・" not in text and "◦" in text
