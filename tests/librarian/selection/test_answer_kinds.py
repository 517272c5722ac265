"""Kinds of answers: every wording that asks for a kind, and every wording that gives one."""

from __future__ import annotations

from pathlib import Path

import pytest

from shisho.librarian.selection.answer_kinds import KINDS, AnswerKind, find_kind, gives_kind

LINES = Path(__file__).with_name("answer_kind_cases.tsv").read_text("utf-8").splitlines()


def list_cases(role: str) -> list[tuple[AnswerKind, str]]:
    """Return the wordings of a role. Each fits one alternative of the patterns alone."""
    rows = [line.split("\t") for line in LINES]
    return [(AnswerKind(kind), text) for kind, own, texts in rows if own == role for text in texts.split("|")]


@pytest.mark.parametrize(("kind", "question"), list_cases("asks"))
def test_wording_asks_for_its_kind(kind: AnswerKind, question: str) -> None:
    assert find_kind(question) is kind


@pytest.mark.parametrize(("kind", "sentence"), list_cases("gives"))
def test_wording_gives_its_kind(kind: AnswerKind, sentence: str) -> None:
    assert gives_kind(kind, "", sentence)


@pytest.mark.parametrize(("kind", "sentence"), list_cases("lacks"))
def test_wording_does_not_give_the_kind(kind: AnswerKind, sentence: str) -> None:
    assert not gives_kind(kind, "", sentence)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (AnswerKind.REASON, "ため"),
        (AnswerKind.DEFINITION, "とは"),
        (AnswerKind.NAME, "通称"),
        (AnswerKind.WAY, "設定"),
    ],
)
def test_words_of_the_question_may_give_what_is_no_thing(kind: AnswerKind, text: str) -> None:
    assert gives_kind(kind, text, text)


def test_new_name_is_a_person_without_any_pattern() -> None:
    assert gives_kind(AnswerKind.PERSON, "who wrote it", "it was written by Austen.")
    assert not gives_kind(AnswerKind.TIME, "when was it written", "it was written by Austen.")


def test_first_kind_that_is_asked_for_counts() -> None:
    assert find_kind("なぜいつも誰が") is AnswerKind.REASON
    assert find_kind("いつ誰が") is AnswerKind.TIME
    assert list(KINDS)[-1] is AnswerKind.WAY


def test_any_sentence_answers_an_open_question() -> None:
    assert find_kind("中央値") is AnswerKind.OTHER
    assert gives_kind(AnswerKind.OTHER, "中央値", "")
