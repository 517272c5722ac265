"""What a model reads and how its answer is told: abstentions, stances, copies, context, and what is worked
out."""

from __future__ import annotations

from typing import Any

import pytest

from shisho.domain.answer_news import RunNews, SentenceWritten
from shisho.domain.inquiry import Budget, Goal
from shisho.domain.model import ModelFault
from shisho.librarian.model_reading import limit_findings, list_claims
from shisho.librarian.model_replies import (
    EvaluationReply,
    FindingReply,
    SentenceReply,
)
from tests.librarian.library import Leaf, Library
from tests.librarian.scripted import policy_of, write_paragraph
from tests.librarian.test_loop import LEAVES
from tests.librarian.test_model_policy import PARAPHRASE, QUESTION, QUOTATION, asked, scripted


def finding(quotation: str, index: int, stance: str = "answers") -> FindingReply:
    return FindingReply(index, "G1", quotation, 0.9, stance)  # type: ignore[arg-type]


def test_claims_are_those_that_a_model_finds_related_best_first() -> None:
    scores = [0.02, 0.03, float("nan"), 0.9, float("inf"), -1.0, 0.5]
    reply = EvaluationReply(tuple(FindingReply(1, "G1", QUOTATION, score) for score in scores))
    assert [claim.score for claim in list_claims(reply)] == [0.9, 0.5, 0.03]


async def test_an_empty_list_of_a_model_is_no_answer_and_the_answer_says_who_read() -> None:
    policy = policy_of(scripted(EvaluationReply=EvaluationReply(())))
    answer = await asked(policy, budget=Budget(max_rounds=1))
    assert answer.level == "related"
    assert answer.text.splitlines()[0].endswith("モデルが読んだ箇所に回答はありません")
    answer = await asked(policy, budget=Budget(max_rounds=1), library=Library([], 1))
    assert answer.level == "nothing" and not answer.evidence


@pytest.mark.parametrize("made_up", ["決定係数は常に1である。", ""])
async def test_a_reply_of_which_nothing_was_shown_is_read_by_the_rules(made_up: str) -> None:
    reply = EvaluationReply((FindingReply(1, "G1", made_up, 0.9), FindingReply(77, "G1", QUOTATION, 0.9)))
    llm = scripted(EvaluationReply=reply, AnswerReply=ModelFault.TIMEOUT)
    answer = await asked(policy_of(llm), budget=Budget(max_rounds=1))
    assert [quotation.snippet for quotation in answer.evidence] == [QUOTATION]
    (use,) = [use for use in answer.model_uses if use.node == "evaluate"]
    assert (use.fault, use.dropped) == (ModelFault.UNUSABLE, 2)


async def test_a_reply_of_which_something_was_shown_counts_without_the_rest() -> None:
    reply = EvaluationReply((finding("決定係数は常に1である。", 1), finding(QUOTATION, 1)))
    llm = scripted(EvaluationReply=reply, AnswerReply=ModelFault.TIMEOUT)
    answer = await asked(policy_of(llm), budget=Budget(max_rounds=1))
    assert [quotation.snippet for quotation in answer.evidence] == [QUOTATION]
    (use,) = [use for use in answer.model_uses if use.node == "evaluate"]
    assert (use.fault, use.dropped) == (None, 1)


@pytest.mark.parametrize(
    ("changed", "first_line"),
    [
        (
            {"EvaluationReply": ModelFault.TIMEOUT, "AnswerReply": ModelFault.TIMEOUT},
            "回答を書けませんでした",
        ),
        (
            {"EvaluationReply": ModelFault.TIMEOUT, "question": "江戸幕府の初代将軍は誰か"},
            "文書を読んでいません",
        ),
    ],
)
async def test_where_the_model_failed_rules_read_and_the_answer_says_so(
    changed: dict[str, Any], first_line: str
) -> None:
    question = changed.pop("question", QUESTION)
    answer = await asked(
        policy_of(scripted(**changed)), question, Budget(max_rounds=1), library=Library(LEAVES, 1)
    )
    assert first_line in answer.text.splitlines()[0] and "モデル未設定" not in answer.text


@pytest.mark.parametrize(
    ("stances", "words"),
    [
        (("says_unknown",), "文書には、この点は不明、または非公表と書かれています"),
        (("conflicts", "conflicts"), "文書どうしの記述が食い違い、どちらが正しいか判断できません"),
        (("answers", "conflicts"), "文書どうしの記述が食い違い、どちらが正しいか判断できません"),
        (("says_unknown", "answers"), ""),
    ],
)
async def test_what_is_unknown_or_contradicted_is_not_answered(stances: tuple[str, ...], words: str) -> None:
    leaves = [Leaf("a", "決定係数は甲である。"), Leaf("b", "決定係数の値は公表されていない。")]
    findings = tuple(
        finding(leaf.text, index, stance)
        for index, (leaf, stance) in enumerate(zip(leaves, stances, strict=False), 1)
    )
    llm = scripted(EvaluationReply=EvaluationReply(findings), AnswerReply=ModelFault.TIMEOUT)
    answer = await asked(policy_of(llm), budget=Budget(max_rounds=1), library=Library(leaves, 3))
    assert (answer.level == "related") is bool(words) and words in answer.text
    shown_stances = {quotation.snippet: str(quotation.stance) for quotation in answer.evidence}
    assert [shown_stances[leaf.text] for leaf, _ in zip(leaves, stances, strict=False)] == list(stances)


async def test_near_duplicates_are_shown_once_and_the_other_documents_are_further_sources() -> None:
    text = "決定係数とは、回帰モデルの当てはまりのよさを表す指標である。1に近いほどよい。"
    leaves = [
        Leaf(name, text.replace("1に", f"{mark}1に")) for name, mark in (("a", ""), ("b", "、"), ("c", ""))
    ]
    library = Library([*leaves, Leaf("d", "決定係数は0から1までの値をとる。")], 5)
    reply = EvaluationReply((finding(text.split("。")[0] + "。", 1),))
    llm = scripted(EvaluationReply=reply)
    answer = await asked(policy_of(llm), library=library)
    passages = next(prompt.text for prompt in llm.prompts if "Passages:" in prompt.text).split("Passages:")[1]
    assert passages.count("回帰モデル") == 1 and "0から1" in passages
    assert [(row.document, row.same_as) for row in answer.evidence] == [("a", 0), ("b", 1), ("c", 1)]
    assert answer.goal_status[0].evidence == 1 and "※ [1] の文は [2][3] にもあります。" in answer.text
    written = next(prompt.text for prompt in llm.prompts if "Quotations:" in prompt.text)
    assert written.count("回帰モデル") == 1


async def test_a_goal_may_have_as_many_quotations_as_it_needs() -> None:
    leaves = [
        Leaf(str(number), f"決定係数の材料{number}は{number}00グラムである。") for number in range(1, 7)
    ]
    findings = tuple(finding(leaf.text, number) for number, leaf in enumerate(leaves, 1))
    policy = policy_of(scripted(EvaluationReply=EvaluationReply(findings)))
    assert len((await asked(policy, library=Library(leaves, 6))).evidence) == 6
    assert [limit_findings([Goal(str(number), "") for number in range(count)]) for count in (1, 2, 8)] == [
        12,
        6,
        3,
    ]


async def test_a_quotation_is_shown_to_the_writer_with_what_stands_before_it() -> None:
    leaves = [
        Leaf("a", "決定係数の表\n名前\t値(%)\t年\n甲\t22.0\t2020\n乙\t31.0\t2021"),
        Leaf("b", "決定係数は便利である。これは1に近いほどよい。"),
    ]
    findings = (finding("乙\t31.0\t2021", 1), finding("これは1に近いほどよい。", 2))
    llm = scripted(EvaluationReply=EvaluationReply(findings))
    await asked(policy_of(llm), library=Library(leaves, 2))
    written = next(prompt.text for prompt in llm.prompts if "Quotations:" in prompt.text)
    assert (
        "(before it: 名前 | 値(%) | 年)\n乙" in written
        and "(before it: 決定係数は便利である。)\nこれ" in written
    )


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        (QUESTION, False),
        ("決定係数と標準偏差はそれぞれ何ですか", True),
        ("決定係数が高いのはなぜですか", True),
        ("決定係数とは何か。また、いつから使われているか", True),
        (f"{'とても' * 20}長い問いの決定係数とは何か", True),
    ],
)
async def test_a_short_question_for_one_fact_is_split_by_rules(question: str, is_asked: bool) -> None:
    answer = await asked(policy_of(scripted()), question)
    assert ("strategy" in [use.node for use in answer.model_uses]) is is_asked


async def test_a_figure_may_be_worked_out_in_another_sentence() -> None:
    leaves = [Leaf("a", "決定係数の本は1冊165円である。8冊で一組である。")]
    sentences = (
        SentenceReply("一組は1,320円である。", (1,)),
        SentenceReply("一組は 165円 × 8 = 1,320円である。", (1,)),
    )
    reply = EvaluationReply((finding(leaves[0].text, 1),))
    told: list[RunNews] = []
    answer = await asked(
        policy_of(scripted(EvaluationReply=reply, AnswerReply=write_paragraph(sentences))),
        library=Library(leaves, 1),
        notify=told.append,
    )
    assert [sentence.text for sentence in answer.sentences] == [sentence.text for sentence in sentences]
    assert "contradicted" not in {sentence.support for sentence in answer.sentences}
    assert not any(isinstance(news, SentenceWritten) and "置き換え" in news.text for news in told)


async def test_a_quotation_of_several_sentences_is_printed_once() -> None:
    sentences = tuple(
        SentenceReply(f"{PARAPHRASE[:-2]}{end}", (1,)) for end in ("だ。", "である。", "でしょう。")
    )
    wrong = tuple(SentenceReply(f"決定係数は{number}を表す。", (1,)) for number in (7, 8))
    answer = await asked(policy_of(scripted(AnswerReply=write_paragraph((*sentences, *wrong)))))
    assert answer.text.count(QUOTATION) == 1
    assert all(sentence.text in answer.text for sentence in sentences)
