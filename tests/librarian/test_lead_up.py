"""What is told before anything is asked: what is asked decides on the kind of answer, what is told on the
place."""

from __future__ import annotations

import pytest

from shisho.librarian.answer_kinds import AnswerKind
from shisho.librarian.lead_up import split_lead_up
from shisho.librarian.questions import read
from shisho.librarian.strategy import strategy

SPLIT = [
    ("新しい端末を足した。普通どのくらい待つもの？", "新しい端末を足した。", "普通どのくらい待つもの？"),
    (
        "双子を妊娠中です。 産前は何週前から休めますか。産後は？",
        "双子を妊娠中です。 ",
        "産前は何週前から休めますか。産後は？",
    ),
    (
        "帳票を半分に折る話です。注意点を教えてください。",
        "帳票を半分に折る話です。",
        "注意点を教えてください。",
    ),
    ("門番の説明を読みました。役割を挙げてください。", "門番の説明を読みました。", "役割を挙げてください。"),
    (
        "When I fold it the page tears. What should I do?",
        "When I fold it the page tears. ",
        "What should I do?",
    ),
    (
        "Our gate, e.g. the north one, is shut. Who opens it?",
        "Our gate, e.g. the north one, is shut. ",
        "Who opens it?",
    ),
    ("gatekeeper: which port does it use?", "gatekeeper: ", "which port does it use?"),
    ("なぜ紙は黄ばむのか。", "", "なぜ紙は黄ばむのか。"),
    ("紙は黄ばみますか。理由も教えてください。", "", "紙は黄ばみますか。理由も教えてください。"),
    ("Stone vs. brick: the difference", "", "Stone vs. brick: the difference"),
    ("Explain the moat. Keep it short.", "", "Explain the moat. Keep it short."),
    ("門が閉まった。雨も降った。", "", "門が閉まった。雨も降った。"),
]


@pytest.mark.parametrize(("question", "lead_up", "asking"), SPLIT)
def test_what_is_told_first_is_told_from_what_is_asked(question: str, lead_up: str, asking: str) -> None:
    assert split_lead_up(question) == (lead_up, asking)


def test_the_kind_is_of_what_is_asked() -> None:
    assert read("When I fold it the page tears. Who mends it?").kind is AnswerKind.PERSON
    assert read("何人かが門を通りました。なぜ鍵は開いていたのですか。").kind is AnswerKind.REASON
    assert read("門番を三人に増やしました。どう書けばよいですか。").asks_for_a_way


def test_what_is_told_says_where_to_look_but_for_its_names() -> None:
    parsed = read("古い倉庫から Quillbox を運び出しました。鍵を替える手続きの費用はいくらですか。")
    assert {"倉庫", "運ぶ"} <= parsed.frame
    assert parsed.frame.isdisjoint({"quillbox", "鍵", "手続き", "費用"})
    # Nothing but what was told says what this is of.
    assert not read("倉庫の鍵をなくしました。どうすればいいですか。").frame


def test_parts_are_told_the_same_first() -> None:
    goals = [goal.question for goal in strategy("倉庫の鍵をなくした。誰に言うのか、いくらかかるのか。").goals]
    assert goals == [
        "倉庫の鍵をなくした。誰に言うのか",
        "倉庫の鍵をなくした。いくらかかるのか。",
    ]


def test_what_announces_questions_goes_with_each_of_them() -> None:
    question = "川の発電のことで三つ教えてください。今ある発電所はいくつか、誰が建てたのか、工事で亡くなったのは何人か。"
    announced = "川の発電のことで三つ教えてください。"
    assert [goal.question for goal in strategy(question).goals] == [
        f"{announced}今ある発電所はいくつか",
        f"{announced}今ある発電所は誰が建てたのか",
        f"{announced}工事で亡くなったのは何人か。",
    ]


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("山彦試験というのが手引きの話に出てきますが、そもそも何なのでしょうか。", "山彦試験"),
        ("楽譜でよく見る比例記譜、要はどういう書き方？", "比例記譜"),
    ],
)
def test_what_comes_up_is_what_is_to_be_defined(question: str, thing: str) -> None:
    parsed = read(question)
    assert parsed.defined is not None and parsed.defined.text == thing
    assert parsed.kind is AnswerKind.DEFINITION


def test_a_decade_is_no_number_that_must_stand_there() -> None:
    assert not read("90年代に結んだ宣言は何か").figures.measures
    assert read("90年に結んだ宣言は何か").figures.measures


@pytest.mark.parametrize(
    "question",
    [
        "紙の説明で「目潰し」という言い方を見かけました。紙がどういう状態にあることを言うのでしょうか。",
        'In the log I came across the word "目潰し" next to a sheet. What sort of sheet is that?',
    ],
)
def test_a_word_that_was_met_is_what_is_to_be_defined(question: str) -> None:
    parsed = read(question)
    assert parsed.defined is not None and parsed.defined.text == "目潰し"
    assert parsed.kind is AnswerKind.DEFINITION
    assert not parsed.lists
