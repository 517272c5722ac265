"""Kinds of answers: every wording that asks for a kind, and every wording that gives one."""

from __future__ import annotations

from pathlib import Path

from shisho.librarian.selection.question import (
    KINDS,
    AnswerKind,
    find_kind,
    find_quantity,
    gives_kind,
    measure_kind,
)
from tests.tables import each_row

LINES = Path(__file__).with_name("answer_kind_cases.tsv").read_text("utf-8").splitlines()


def list_cases(role: str) -> list[tuple[AnswerKind, str]]:
    """Return the wordings of a role. Each fits one alternative of the patterns alone."""
    rows = [line.split("\t") for line in LINES]
    return [(AnswerKind(kind), text) for kind, own, texts in rows if own == role for text in texts.split("|")]


@each_row(("kind", "question"), list_cases("asks"))
def test_wording_asks_for_its_kind(kind: AnswerKind, question: str) -> None:
    assert find_kind(question) is kind


@each_row(("kind", "sentence"), list_cases("gives"))
def test_wording_gives_its_kind(kind: AnswerKind, sentence: str) -> None:
    assert gives_kind(kind, "", sentence)


@each_row(("kind", "sentence"), list_cases("lacks"))
def test_wording_does_not_give_the_kind(kind: AnswerKind, sentence: str) -> None:
    assert not gives_kind(kind, "", sentence)


@each_row(
    ("kind", "text"),
    [
        (AnswerKind.TIME, "2022年"),
        (AnswerKind.PERSON, "山田"),
        (AnswerKind.AMOUNT, "500"),
        (AnswerKind.PLACE, "千葉県"),
    ],
)
def test_thing_of_the_question_itself_is_no_answer(kind: AnswerKind, text: str) -> None:
    assert not gives_kind(kind, f"{text}の話", f"{text}の話")
    assert gives_kind(kind, "別の話", f"{text}の話")


@each_row(
    ("kind", "text"),
    [
        (AnswerKind.REASON, "ため"),
        (AnswerKind.DEFINITION, "とは"),
        (AnswerKind.WAY, "設定"),
    ],
)
def test_words_of_the_question_may_give_what_is_no_thing(kind: AnswerKind, text: str) -> None:
    assert gives_kind(kind, text, text)


def test_first_kind_that_is_asked_for_counts() -> None:
    assert find_kind("なぜいつも誰が") is AnswerKind.REASON
    assert find_kind("いつ誰が") is AnswerKind.TIME
    assert list(KINDS)[-1] is AnswerKind.WAY


def test_open_question_asks_for_no_kind() -> None:
    assert find_kind("中央値") is AnswerKind.OTHER


QUANTITY_ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("quantity_cases.tsv").read_text("utf-8").splitlines()
]


def list_quantity_cases(column: int) -> list[tuple[str, str]]:
    """Return the first question of each row with the texts of a column: 0 asks, 1 gives, 2 lacks."""
    return [(row[0].split("|")[0], sentence) for row in QUANTITY_ROWS for sentence in row[column].split("|")]


@each_row(("first", "question"), list_quantity_cases(0))
def test_each_wording_asks_for_its_quantity(first: str, question: str) -> None:
    pattern = find_quantity(question)
    assert pattern is not None
    assert pattern == find_quantity(first)


@each_row(("question", "sentence"), list_quantity_cases(1))
def test_quantity_of_its_unit_or_form_is_given(question: str, sentence: str) -> None:
    assert measure_kind(find_kind(question), question, sentence) == 1.0
    assert measure_kind(find_kind(question), question + sentence, sentence) == 0.0  # the question says it


@each_row(("question", "sentence"), list_quantity_cases(2))
def test_figure_of_another_unit_is_no_quantity(question: str, sentence: str) -> None:
    assert measure_kind(find_kind(question), question, sentence) == 0.0


@each_row(
    ("question", "sentence"),
    [
        ("何人いるか", "三人がいる"),
        ("何人いるか", "12人がいる"),
        ("何か月かかるか", "3か月かかる"),
        ("何十台あるか", "30台ある"),
        ("how many weeks is it", "it is 12 long weeks"),
        ("how many more weeks is it", "two weeks"),
        ("how many people came", "hundreds of people came"),
        ("how many other rooms are there", "two rooms"),
        ("how many different rooms are there", "two rooms"),
        ("how many full days is it", "two days"),
        ("how many boxes are there", "one box"),
    ],
)
def test_counted_noun_stands_behind_its_number(question: str, sentence: str) -> None:
    assert measure_kind(find_kind(question), question, sentence) == 1.0


@each_row(
    ("question", "sentence"),
    [
        ("何人いるか", "12台がある"),
        ("何台あるか", "台がある"),
        ("how many weeks is it", "it is 12 days"),
        ("how many weeks is it", "some weeks"),
        ("how many cats are there", "two cars"),
    ],
)
def test_number_of_other_things_is_no_count(question: str, sentence: str) -> None:
    assert measure_kind(find_kind(question), question, sentence) == 0.0


def test_without_a_quantity_the_kind_decides() -> None:
    assert find_quantity("開館の案内") is None
    assert measure_kind(AnswerKind.OTHER, "開館の案内", "何か") == 0.5
    assert measure_kind(AnswerKind.PLACE, "どこか", "千葉県である") == 1.0
    assert measure_kind(AnswerKind.PLACE, "どこか", "よい") == 0.0
