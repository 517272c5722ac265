"""Goals that are asked together, and what stands together in the documents."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Finding
from shisho.language.terms import fold, terms
from shisho.librarian.evaluate import ENOUGH, select, terms_wanted
from shisho.librarian.strategy import strategy

BESIDE = NumberedPassage(
    1,
    "門番の役割は、入口で来客の身分を確かめることである。受付の役割は、来客を案内することである。",
    "来客の扱い",
    0.8,
    title="手引き",
)
# More of the words of the second goal alone.
APART = NumberedPassage(
    2,
    "受付の役割は、毎日の来客を記録することである。",
    "受付の役割",
    0.9,
    title="日誌",
)


def answer(question: str, shown: Sequence[NumberedPassage]) -> list[Finding]:
    goals = strategy(question).goals
    there = set(terms(fold(" ".join(one.heading + one.text for one in shown))))
    rarity = {term: 2.0 if term in there else 6.0 for term in terms_wanted(goals)}
    return select(shown, goals, (), rarity)


def test_what_is_compared_is_quoted_from_where_it_stands_side_by_side() -> None:
    findings = answer("門番と受付の役割の違いは何ですか", (APART, BESIDE))
    first = {finding.goal_id: finding for finding in reversed(findings)}
    assert "身分を確かめる" in first["G1"].snippet
    assert first["G2"].index == first["G1"].index == 1


def test_a_part_with_words_of_grammar_alone_is_answered_by_nothing() -> None:
    rules = NumberedPassage(1, "The manual of the archive must be kept.", "Manual of the archive", 0.9)
    findings = answer('In the manual of the archive, how does "must" differ from "should"?', (rules,))
    assert all(finding.score < ENOUGH for finding in findings if finding.goal_id == "G2")


def test_the_sentence_under_the_name_of_the_thing_says_what_it_is() -> None:
    below = "一覧から、いくつでも項目を選べる。"
    named, exemplified = (
        answer("multiselectとは何か", (NumberedPassage(1, f"型の一覧\n\n{name}\n\n{below}", "型", 0.9),))[0]
        for name in ("multiselect", "multiselectの例")
    )
    assert named.snippet == exemplified.snippet == below
    assert named.score > exemplified.score


def test_a_name_with_dots_is_the_word_that_the_dictionary_has() -> None:
    passage = NumberedPassage(
        1, "トイストーリーの名前を使うことは、当時の代表であった山田太郎が決めた。", "版の名前", 0.9
    )
    (first, *_) = answer("トイ・ストーリーの名前を使うと決めたのは誰ですか", (passage,))
    assert first.score >= ENOUGH
