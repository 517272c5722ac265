"""Questions that refer back to those before them, and those that stand by themselves."""

from __future__ import annotations

from shisho.librarian.splitting import JOINT, refers_back, resolve, split_context
from tests.librarian.asked_questions import read_questions
from tests.tables import each_row

REFERRING = """それはなぜ困るのか
なぜですか
いつですか？
なぜそれは危険ですか
その定義は?
彼はいつ生まれましたか
では英国は？
人口は?
もう少し詳しく教えてください
どうして必要なのですか
どうやって計算するのですか
何年ですか
Why does it matter?
Why?
How often?
And the intercept?
What about Tokyo?
Are there any parking fees?
Tell me more
Who can apply for that one?
This is paid by whom?
Is that true?""".splitlines()
STANDING = """形態素解析とは何か
検出力とは？
その他の指標は何か
この資料の著者は誰か
彼岸花の花言葉は何ですか
ハードディスクとその寿命について教えて
館内でそれらしい人を見たらどこに連絡しますか
ridge regression
What is Simpson's paradox?
Is that lecture about statistics?
What is the form that members sign?
Is it true that the library lends laptops?
How long does it take to renew a passport?
Are there any parking spaces near the east gate?
tell me more about ridge regression
That is fine. Can I file my tax return online?
So what is ridge regression?
What is a tide gauge and how is it read?""".splitlines()


@each_row("question", REFERRING)
def test_a_question_that_refers_back_stands_behind_the_one_before(question: str) -> None:
    assert resolve(question, ["first", "second"]) == f"second → {question}"
    assert resolve(question, []) == question


@each_row("question", STANDING)
def test_a_question_that_stands_by_itself_is_left_as_it_is(question: str) -> None:
    assert resolve(question, ["決定係数とは何か"]) == question


def test_two_earlier_questions_are_enough() -> None:
    chain = ["A", "A → B", "A → B → C"]
    assert resolve("なぜですか", chain[:2]) == "A → B → なぜですか"
    assert resolve("なぜですか", chain) == "B → C → なぜですか"
    assert resolve("両者の関係は?", ["A", "B"]) == "B → 両者の関係は?"


def test_the_context_is_told_from_the_question() -> None:
    assert split_context(JOINT.join("ABC")) == ("A → B", "C")
    assert split_context("C") == ("", "C")


def test_thirty_questions_refer_back_as_they_were_written_to() -> None:
    rows = read_questions("follow")
    assert len(rows) == 30
    assert [row["question"] for row in rows if refers_back(row["question"]) != row["leans"]] == []
