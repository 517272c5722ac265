"""Questions that lean on those before them, and those that stand by themselves."""

from __future__ import annotations

import pytest

from shisho.librarian.follow_up import resolve

LEANING = [
    ("多重共線性とは何か", "それはなぜ困るのか", "多重共線性はなぜ困るのか"),
    ("多重共線性とは何か", "それはなぜ?", "多重共線性はなぜか"),
    ("有給は半年で何日もらえますか", "なぜですか", "なぜか: 有給は半年で何日もらえますか"),
    ("p値とは何か", "その定義は?", "p値の定義は?"),
    ("宮沢賢治とは誰か", "彼はいつ生まれましたか", "宮沢賢治はいつ生まれましたか"),
    ("適合率とは何か", "では再現率は?", "再現率とは何か"),
    ("日本の首都はどこか", "では英国は？", "英国の首都はどこか"),
    ("日本の首都はどこか", "人口は?", "日本の人口は何か"),
    ("東京都の人口は何人か", "では2020年は?", "2020年の東京都の人口は何人か"),
    ("2019年の東京都の人口は何人か", "2020年は?", "2020年の東京都の人口は何人か"),
    ("決定係数とは何か", "0に近いときは？", "決定係数は、0に近いときはどうか"),
    ("BM25とは何か", "もう少し詳しく教えてください", "BM25について、もう少し詳しく"),
    ("就業規則とは何か", "どうして必要なのですか", "就業規則はどうして必要なのですか"),
    ("What is a confounder?", "Why does it matter?", "Why does a confounder matter?"),
    ("What is a confounder?", "Why?", "Why: What is a confounder?"),
    ("What is the slope of a regression?", "And the intercept?", "What is the intercept of a regression?"),
    ("How many people lived there in 2019?", "And in 2020?", "How many people lived there in 2020?"),
    ("How many people live in Seoul?", "What about Tokyo?", "How many people live in Tokyo?"),
]
STANDING = [
    "形態素解析とは何か",
    "その他の指標は何か",
    "この資料の著者は誰か",
    "それぞれ何を表すのか",
    "検出力とは？",
    "What is Simpson's paradox?",
    "Is that lecture about statistics?",
]


@pytest.mark.parametrize(("before", "question", "understood"), LEANING)
def test_a_question_that_points_back_takes_what_it_needs(before: str, question: str, understood: str) -> None:
    assert resolve(question, [before]) == understood


@pytest.mark.parametrize("question", STANDING)
def test_a_question_that_stands_by_itself_is_left_as_it_is(question: str) -> None:
    assert resolve(question, ["What is R-squared?" if question.isascii() else "決定係数とは何か"]) == question
    assert resolve(question, []) == question


def test_both_are_the_last_two_topics() -> None:
    assert resolve("両者の関係は?", ["適合率とは何か", "再現率とは何か"]) == "適合率と再現率の関係は?"
