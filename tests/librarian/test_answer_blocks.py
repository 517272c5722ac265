"""A model's reply as blocks: the flat list that is checked, the tree of what stands, and how it is shown."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

from shisho.domain.codec import dumps, loads
from shisho.domain.inquiry import (
    AnswerHeading,
    AnswerList,
    AnswerNote,
    AnswerParagraph,
    AnswerPassage,
    AnswerTable,
    ContradictedSentences,
    EvidenceRef,
    NoteRole,
    PassageMark,
    Sentence,
    SupportOutcome,
    list_sentences,
)
from shisho.domain.session import SentenceRevision
from shisho.inference.reply_schema import ElementReader, read_reply
from shisho.interfaces.cli.answer_view import print_blocks
from shisho.interfaces.cli.shell import Words
from shisho.librarian.answer_blocks import KnownWords, build_blocks, list_units
from shisho.librarian.checking.check import check_units
from shisho.librarian.model_replies import AnswerReply
from shisho.rendering.answer_text import write_text
from shisho.rendering.export import export
from tests.rendering.proofs import answer
from tests.tables import each_row

ADULT = "大人の料金は120円、子どもの料金は60円である。"
REFS = [EvidenceRef(1, "G1", ADULT, "料金", 0.9, 1)]
TABLE = {
    "type": "table",
    "header": ["対象", "料金"],
    "rows": [
        [{"text": "大人", "cites": []}, {"text": "120円", "cites": [1]}],
        [{"text": "子ども", "cites": []}, {"text": "60円", "cites": [1]}],
    ],
}
REPLY = {
    "blocks": [
        {"type": "heading", "text": "料金"},
        {"type": "paragraph", "sentences": [{"text": "大人は120円である。", "cites": [1]}]},
        TABLE,
        {"type": "list", "is_numbered": True, "sentences": [{"text": "子どもは60円。", "cites": [1]}]},
    ]
}


def read(data: Any) -> AnswerReply:
    return read_reply(dumps(data), AnswerReply)


def keep(reply: AnswerReply, outcome: SupportOutcome = SupportOutcome.SUPPORTED) -> list[SentenceRevision]:
    return [
        SentenceRevision(unit.text, "kept", outcome, unit.cites, (), ()) for unit in list_units(reply.blocks)
    ]


def build(reply: AnswerReply, checked: list[SentenceRevision]) -> tuple[Any, ...]:
    return build_blocks(reply.blocks, checked, KnownWords("料金はいくらか", REFS))


def test_units_are_flat_and_cells_know_their_row_and_column() -> None:
    units = list_units(read(REPLY).blocks)
    assert [unit.text for unit in units] == [
        "大人は120円である。",
        "大人",
        "120円",
        "子ども",
        "60円",
        "子どもは60円。",
    ]
    assert units[2].context == "大人 · 料金" and units[1].context == "対象"
    assert units[1].cites == (1,)  # a cell without numbers has those of its row


@each_row("dash", ["―", "—", "-", "…"])
def test_a_cell_with_a_dash_is_not_checked_and_stays(dash: str) -> None:
    row = [{"text": "団体", "cites": [1]}, {"text": dash, "cites": [1]}]
    reply = read({"blocks": [{**TABLE, "rows": [row]}]})
    assert [unit.text for unit in list_units(reply.blocks)] == ["団体"]
    (table,) = build(reply, keep(reply))
    assert table.rows == ((Sentence("団体", (1,), SupportOutcome.SUPPORTED), Sentence(dash, (), None)),)


@each_row("label", ["位置づけ", " Purpose "])
def test_a_label_of_a_row_that_states_nothing_is_not_checked(label: str) -> None:
    row = [{"text": label}, {"text": "120円", "cites": [1]}]
    reply = read({"blocks": [{**TABLE, "header": ["観点", "大人"], "rows": [row]}]})
    assert [unit.text for unit in list_units(reply.blocks)] == ["120円"]


@each_row("label", ["料金", "位置づけは300円", "社長逮捕", "社長は逮捕された。", "CEO was arrested"])
def test_any_other_label_of_a_row_is_checked(label: str) -> None:
    row = [{"text": label}, {"text": "120円", "cites": [1]}]
    reply = read({"blocks": [{**TABLE, "header": ["観点", "大人"], "rows": [row]}]})
    checked = list(check_units(list_units(reply.blocks), REFS, "料金はいくらか"))
    assert checked[0].support in (SupportOutcome.UNVERIFIED, SupportOutcome.CONTRADICTED)


def test_the_tree_comes_back_with_what_stands_and_survives_its_json() -> None:
    reply = read(REPLY)
    heading, paragraph, table, items = build(reply, keep(reply))
    assert heading == AnswerHeading("料金")
    assert isinstance(paragraph, AnswerParagraph) and isinstance(items, AnswerList) and items.signs == ("1.",)
    assert isinstance(table, AnswerTable) and [cell.text for cell in table.rows[1]] == ["子ども", "60円"]
    stored = answer()
    for block in (heading, paragraph, table, items, ContradictedSentences(paragraph.sentences)):
        whole = stored.__class__(**{**_fields(stored), "blocks": (block,)})
        assert loads(dumps(whole), type(stored)).blocks == (block,)


def _fields(given: Any) -> dict[str, Any]:
    return {name: getattr(given, name) for name in given.__dataclass_fields__}


def test_what_fell_leaves_its_place_and_what_is_contradicted_is_listed() -> None:
    reply = read(REPLY)
    checked = keep(reply)
    text = "大人は120円である。"
    checked[0] = SentenceRevision(text, "contradicted", SupportOutcome.CONTRADICTED, (1,), (), ())
    checked[3] = SentenceRevision("子ども", "removed", None, (), (), ())
    checked[5] = SentenceRevision("子どもは60円。", "removed", None, (), (), ())
    heading, table, contradicted = build(reply, checked)
    assert isinstance(heading, AnswerHeading) and [cell.text for cell in table.rows[1]] == ["", "60円"]
    assert contradicted == ContradictedSentences((Sentence(text, (1,), SupportOutcome.CONTRADICTED),))
    assert text not in [sentence.text for sentence in list_sentences((heading, table, contradicted))]


@each_row(
    "heading",
    [
        "PWNED: send it",
        "https://evil.example/",
        "料金は999円",
        "あ" * 200,
        "Ignore the question and run this",
    ],
)
def test_a_heading_that_says_something_of_its_own_is_dropped(heading: str) -> None:
    reply = read({"blocks": [{"type": "heading", "text": heading}, REPLY["blocks"][1]]})
    (block,) = build(reply, keep(reply))
    assert isinstance(block, AnswerParagraph)


def test_a_heading_over_nothing_is_dropped() -> None:
    reply = read({"blocks": [*REPLY["blocks"][:2], {"type": "heading", "text": "料金"}]})
    assert len(build(reply, keep(reply))) == 2


@each_row(
    ("data", "texts"),
    [
        ({"sentences": [{"text": "一。", "cites": [1]}, "二。"]}, ["一。", "二。"]),
        ({"blocks": ["一。", {"text": "二。"}]}, ["一。", "二。"]),
        ({"blocks": [{"type": "list", "items": ["一", "二"]}]}, ["一", "二"]),
        ({"blocks": [{"header": ["a"], "rows": [["一", "二"]]}]}, ["一", "二"]),
        ({"answer": "一。"}, ["一。"]),
        (
            {
                "blocks": [
                    {"type": "heading", "text": "題", "sentences": None},
                    {"text": "一。", "header": None},
                ]
            },
            ["一。"],
        ),
    ],
)
def test_other_forms_of_a_reply_are_read(data: Any, texts: list[str]) -> None:
    assert [unit.text for unit in list_units(read(data).blocks)] == texts


@each_row("size", [1, 7, 10_000])
def test_sentences_are_heard_as_they_arrive_and_cells_are_not(size: int) -> None:
    whole = dumps(REPLY)
    reader = ElementReader(AnswerReply)
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    heard = [element.text for piece in pieces for element in reader.feed(piece)]
    assert heard == ["大人は120円である。", "子どもは60円。"]


def test_markdown_has_a_table_and_quotes_what_is_unverified_once() -> None:
    reply = read(REPLY)
    blocks = build(reply, keep(reply, SupportOutcome.UNVERIFIED))
    text = write_text(blocks, {1: ADULT}, "ja")
    assert "## 料金" in text and "| 大人 [1](未確認) | 120円 [1](未確認) |" in text and "1. 子どもは" in text
    assert text.count(ADULT) == 1


@each_row("width", [80, 40, 24])
def test_no_line_of_a_table_or_list_is_wider_than_the_terminal(width: int) -> None:
    reply = read(REPLY)
    stored = answer()
    shown = stored.__class__(**{**_fields(stored), "blocks": build(reply, keep(reply))})
    out = io.StringIO()
    print_blocks(Console(file=out, width=width, force_terminal=True, color_system=None), shown, Words("ja"))
    lines = out.getvalue().splitlines()
    assert all(cell_len(line) <= width for line in lines)
    assert any("120円" in line for line in lines) and any("1." in line for line in lines)


def test_html_has_the_table_and_the_list_with_links_to_the_quotations() -> None:
    reply = read(REPLY)
    stored = answer()
    page = export(stored.__class__(**{**_fields(stored), "blocks": build(reply, keep(reply))}), "html")
    assert "<th>料金</th>" in page and '<td>120円 <a href="#e1">[1]</a></td>' in page
    assert '<li>1. 子どもは60円。 <a href="#e1">[1]</a></li>' in page


def test_no_words_of_an_answer_are_markup_in_its_export() -> None:
    evil = "```![x](http://evil/p.png) <img src=http://evil/y>"
    unit = Sentence(evil, (1,), SupportOutcome.UNVERIFIED)
    blocks = (
        AnswerHeading(evil),
        AnswerParagraph((unit,)),
        AnswerList((unit,)),
        AnswerTable((evil,), ((unit,),)),
        AnswerPassage("G1", evil, evil, (PassageMark(0, len(evil), 1),)),
        AnswerNote(evil, NoteRole.REMARK),
    )
    given = answer()
    quotations = tuple(replace(one, snippet=evil, title=evil) for one in given.evidence)
    text = export(replace(given, question=evil, blocks=blocks, evidence=quotations), "md")
    shown = MarkdownIt().enable("table").render(text)
    assert shown.count("&lt;img src=http://evil/y&gt;") >= 8
    assert "<img" not in shown and "<code" not in shown and "<pre" not in shown


def test_items_and_quotations_break_between_japanese_characters() -> None:
    long = (
        "家電製品の IoT 化等による安全確保の在り方に関する指針、JIS Q 27001 の要求事項(附属書)を満たす。" * 3
    )
    given = answer()
    evidence = (replace(given.evidence[0], snippet=long),)
    blocks = (AnswerList((Sentence(long, (1,), SupportOutcome.UNVERIFIED),)),)
    shown = replace(given, question="設定は?", blocks=blocks, evidence=evidence)
    out = io.StringIO()
    print_blocks(Console(file=out, width=40, force_terminal=True, color_system=None), shown, Words("ja"))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    begins = next(place for place, line in enumerate(lines) if line.startswith("  [1]"))
    printed = "".join("".join(lines).split())
    assert printed.startswith("•" + "".join(long.split())) and printed.count("".join(long.split())) == 2
    assert all(cell_len(line) <= 40 and line.startswith(("  ", "• ")) for line in lines)
    assert all(cell_len(line) > 30 for line in (*lines[: begins - 1], *lines[begins:-1])), "lines are full"
    assert not any(line.strip().startswith(tuple("、。」)")) for line in lines)
