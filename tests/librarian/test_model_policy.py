"""The loop with a model in it: what it may cost, what is believed of it, and what becomes of its failures."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisho.domain.answer_news import RunNews, SentenceWritten
from shisho.domain.codec import dumps
from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Answer, Budget, Inquiry, LoopStop, list_contradicted
from shisho.domain.loop_state import Spending
from shisho.domain.model import FATAL_FAULTS, ModelFault, ModelPrompt, ModelUsage, explain_failures
from shisho.domain.requirements import RequestKind
from shisho.domain.team import Grantee, GranteeKind, QuotaResource
from shisho.language import is_in_language
from shisho.librarian.allowance import ModelAllowance, OwnerTokens
from shisho.librarian.loop import run
from shisho.librarian.model_calls import ModelLimits
from shisho.librarian.model_reading import is_cut_list
from shisho.librarian.model_replies import (
    AnswerReply,
    EvaluationReply,
    FindingReply,
    GoalReply,
    GoalStateReply,
    JudgeReply,
    JudgeVerdict,
    PlanReply,
    SentenceReply,
    StrategyReply,
)
from shisho.librarian.policy import EvaluateInput, Policy
from shisho.librarian.strategy import strategy
from shisho.messages.catalogue import render
from shisho.stores.sql.ledger import StoredLedger
from tests.librarian.library import Leaf, Library, Ticking
from tests.librarian.scripted import ScriptedLlm, policy_of, write_paragraph
from tests.librarian.test_loop import LEAVES, OTHERS, TWO
from tests.listening import list_nodes
from tests.queues import SetClock
from tests.tables import each_row
from tests.temporary import new_ledger, new_quotas

pytestmark = pytest.mark.usefixtures("temporary_stores")

QUESTION = "決定係数とは何か"
QUOTATION = "決定係数とは、回帰モデルの当てはまりのよさを表す指標である。"
SENTENCE = "決定係数は、回帰モデルの当てはまりのよさを表す指標である。"
COST = ModelUsage(1, 500, 50)
GOOD: dict[type, Any] = {
    StrategyReply: StrategyReply((GoalReply(QUESTION),), "all", "single"),
    PlanReply: PlanReply(("決定係数", "寄与率"), "決定係数の定義", "定義を探す"),
    EvaluationReply: EvaluationReply((FindingReply(1, "G1", QUOTATION, 0.9),)),
    AnswerReply: write_paragraph((SentenceReply(SENTENCE, (1,)),)),
    JudgeReply: JudgeReply((JudgeVerdict(1, "supported"),)),
}
PARAPHRASE = "決定係数は、回帰の式がどれほど良く合うかを告げる目安だ。"  # rules cannot be sure of it


def scripted(**changed: Any) -> ScriptedLlm:
    """A model that replies well, but for the shapes that are named."""
    replies = {**GOOD, **{shape: changed[shape.__name__] for shape in GOOD if shape.__name__ in changed}}
    return ScriptedLlm(lambda prompt, shape: (replies[shape], COST))


def read_text(answer: Answer) -> str:
    """The answer without the sentences that were taken out and are listed under it."""
    return answer.text.partition("引用と食い違うため")[0]


def written_lines(told: Sequence[RunNews]) -> list[str]:
    return [news.text for news in told if isinstance(news, SentenceWritten)]


async def asked(
    policy: Policy | None, question: str = QUESTION, budget: Budget | None = None, **given: Any
) -> Answer:
    library = given.pop("library", None) or Library(LEAVES, 3)
    ledger = given.pop("ledger", None) or new_ledger()
    inquiry = Inquiry("run", question, budget=budget or Budget())
    return await run(inquiry, library.opener("run"), ledger, Ticking(), policy=policy, **given)


async def test_a_model_plans_reads_and_writes_and_the_answer_says_what_it_used() -> None:
    told: list[RunNews] = []
    answer = await asked(policy_of(scripted()), notify=told.append)
    assert answer.loop_stop is LoopStop.CONDITION_MET and answer.model == "test/scripted"
    assert [quotation.snippet for quotation in answer.evidence] == [QUOTATION]
    assert f"{SENTENCE} [1]" in answer.text and written_lines(told) == [f"{SENTENCE} [1]"]
    assert "モデルが書き" in answer.text.splitlines()[0]
    assert [use.node for use in answer.model_uses] == ["evaluate", "answer", "judge"]
    assert all(use.fault is None and len(use.prompt_sha256) == 64 for use in answer.model_uses)
    assert answer.budget_used["model_calls"] == 3 and answer.budget_used["tokens"] == 3 * 550


async def test_replies_and_hashes_of_prompts_are_in_the_ledger_and_not_in_the_answer() -> None:
    ledger = new_ledger()
    answer = await asked(policy_of(scripted()), ledger=ledger)
    steps = {step.node: step.output.text for step in await ledger.list_steps("run")}
    assert "FindingReply" in steps["evaluate"] and answer.model_uses[0].prompt_sha256 in steps["evaluate"]
    assert all(use.reply == "" for use in answer.model_uses)


async def test_a_run_that_is_replayed_asks_the_model_nothing_again() -> None:
    ledger = new_ledger()
    library = Library(LEAVES, 3)
    llm = scripted()
    first = await asked(policy_of(llm), ledger=ledger, library=library)
    count = len(llm.prompts)
    again = await asked(policy_of(llm), ledger=ledger, library=library)
    assert len(llm.prompts) == count and dumps(again) == dumps(first)


@pytest.mark.parametrize("fault", [fault for fault in ModelFault if fault is not ModelFault.BUDGET])
async def test_a_model_that_fails_loses_no_evidence_and_the_answer_says_so(fault: ModelFault) -> None:
    llm = ScriptedLlm(lambda prompt, shape: (fault, ModelUsage(1)))
    answer = await asked(policy_of(llm))
    by_rules = await asked(None)
    assert [quotation.snippet for quotation in answer.evidence] == [
        quotation.snippet for quotation in by_rules.evidence
    ]
    assert {use.fault for use in answer.model_uses} == {fault} and len(answer.model_uses) == 2
    assert answer.model == "none" and "モデルが回答を書けませんでした" in answer.text.splitlines()[0]
    failure = render(explain_failures(answer.model_uses) or "", "ja")
    assert answer.text.splitlines()[1:] == [*by_rules.text.splitlines()[1:], "", failure]
    assert len(llm.prompts) == (1 if fault in FATAL_FAULTS else 2)


async def test_one_node_that_fails_leaves_the_others_their_model() -> None:
    answer = await asked(policy_of(scripted(EvaluationReply=ModelFault.TIMEOUT)))
    faults = {use.node: use.fault for use in answer.model_uses}
    assert faults == {"evaluate": ModelFault.TIMEOUT, "answer": None, "judge": None}
    assert answer.evidence and "モデルが書き" in answer.text


@pytest.mark.parametrize(
    ("finding", "kept"),
    [
        (FindingReply(1, "G1", "決定係数とは、魔法の指標である。", 0.9), False),
        (FindingReply(99, "G1", QUOTATION, 0.9), False),
        (FindingReply(1, "G7", QUOTATION, 0.9), False),
        (FindingReply(1, "G1", "", 0.9), False),
        (FindingReply(1, "G1", QUOTATION, float("nan")), False),
        (FindingReply(1, "G1", QUOTATION.replace("、", ","), 0.9), True),
        (FindingReply(1, "G1", QUOTATION, 7.5), True),
    ],
)
async def test_only_words_of_what_was_shown_become_evidence(finding: FindingReply, kept: bool) -> None:
    answer = await asked(policy_of(scripted(EvaluationReply=EvaluationReply((finding,)))))
    texts = {leaf.name: leaf.text for leaf in LEAVES}
    for quotation in answer.evidence:
        assert texts[quotation.document][quotation.start : quotation.end] == quotation.snippet
    use = next(use for use in answer.model_uses if use.node == "evaluate")
    assert (use.dropped == 0 and answer.level == "answered") is kept or finding.score != finding.score
    assert all(0 <= quotation.score <= 1 for quotation in answer.evidence)


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        (SentenceReply("詳しくは https://evil.example/r2 を見よ。", (1,)), False),
        (SentenceReply("詳しくは evil.example を見よ。", (1,)), False),
        (SentenceReply("写真 ![x](http://evil.example/?q=1)", (1,)), False),
        (SentenceReply("猫は肉を好む。", ()), False),
        (SentenceReply("猫は肉を好む。", (42,)), False),
        (SentenceReply(SENTENCE + "あ" * 2_000, (1,)), False),
        (SentenceReply(SENTENCE, ()), True),
        (SentenceReply(f"{SENTENCE} [1][77]", ()), True),
    ],
)
async def test_no_sentence_tells_what_its_quotations_do_not(sentence: SentenceReply, told: bool) -> None:
    sentences = (SentenceReply("回帰モデルの当てはまりのよさを表す指標である。", (1,)), sentence)
    answer = await asked(policy_of(scripted(AnswerReply=write_paragraph(sentences))))
    assert (sentence.text.removesuffix(" [1][77]") in answer.text) is told
    assert "evil" not in answer.text and "[77]" not in answer.text and "[42]" not in answer.text
    use = next(use for use in answer.model_uses if use.node == "answer")
    assert use.dropped + use.rewritten == (0 if told else 1)
    numbers = {quotation.number for quotation in answer.evidence}
    assert all(numbers.issuperset(kept.evidence) for kept in answer.sentences)


async def test_a_sentence_that_cites_nothing_gets_one_search_for_support() -> None:
    """Carried by a passage of the library it is given that quotation; what nothing carries is searched for
    once and taken out."""
    library = Library(LEAVES, 3)
    sentences = (
        SentenceReply(SENTENCE, (1,)),
        *(SentenceReply(f"猫は{food}を好む。", ()) for food in "魚肉"),
    )
    before = Library(LEAVES, 3)
    await asked(policy_of(scripted()), library=before)
    answer = await asked(policy_of(scripted(AnswerReply=write_paragraph(sentences))), library=library)
    assert len(library.requests) == len(before.requests) + 2
    added = answer.evidence[-1]
    assert f"猫は魚を好む。 [{added.number}]" in answer.text and added.snippet == "猫は魚を好む。"
    assert "猫は肉" not in answer.text
    use = next(use for use in answer.model_uses if use.node == "answer")
    assert (use.supplied, use.dropped, use.rewritten) == (1, 1, 0)


@pytest.mark.parametrize(
    ("verdict", "support", "by", "told"),
    [
        ("supported", "supported", "judge", True),
        ("partly", "unverified", None, True),
        ("not in the quotation", "unverified", None, True),
        ("contradicted", "contradicted", None, False),
        (None, "unverified", None, True),
    ],
)
async def test_all_sentences_but_quotations_are_judged_in_one_call(
    verdict: str | None, support: str, by: str | None, told: bool
) -> None:
    sentences = tuple(
        SentenceReply(text, (1,)) for text in (QUOTATION, PARAPHRASE, f"{PARAPHRASE[:-2]}である。")
    )
    verdicts = () if verdict is None else tuple(JudgeVerdict(number, verdict) for number in (1, 2))  # type: ignore[arg-type]
    llm = scripted(AnswerReply=write_paragraph(sentences), JudgeReply=JudgeReply(verdicts))
    told_news: list[RunNews] = []
    answer = await asked(policy_of(llm), notify=told_news.append)
    units = [*answer.sentences, *list_contradicted(answer.blocks)]
    assert [(unit.support, unit.by) for unit in units] == [
        ("supported", "quotation"),
        (support, by),
        (support, by),
    ]
    head, _, listed = answer.text.partition("引用と食い違うため、回答から除いた文:")
    assert (PARAPHRASE in head) is told and (PARAPHRASE in listed) is not told
    assert any(PARAPHRASE in line for line in written_lines(told_news)) is told
    uses = [use for use in answer.model_uses if use.node == "judge"]
    assert len(uses) == 1 and uses[0].rewritten == (0 if told else 2)
    asked_text = llm.prompts[-1].text
    assert asked_text.count(PARAPHRASE[:-2]) == 2 and f"\n{QUOTATION}\n" in asked_text


@pytest.mark.parametrize("numbers", [(0, 1), (1, 2, 3)])
async def test_a_judge_that_numbers_sentences_otherwise_is_not_believed(numbers: tuple[int, ...]) -> None:
    sentences = (SentenceReply(PARAPHRASE, (1,)), SentenceReply(f"{PARAPHRASE[:-2]}である。", (1,)))
    verdicts = tuple(JudgeVerdict(number, "contradicted") for number in numbers)
    llm = scripted(AnswerReply=write_paragraph(sentences), JudgeReply=JudgeReply(verdicts))
    answer = await asked(policy_of(llm))
    assert [sentence.support for sentence in answer.sentences] == ["unverified"] * 2


async def test_two_verdicts_on_a_sentence_cancel_each_other() -> None:
    written = write_paragraph((SentenceReply(PARAPHRASE, (1,)),))
    verdicts = (JudgeVerdict(1, "contradicted"), JudgeVerdict(1, "supported"))
    answer = await asked(policy_of(scripted(AnswerReply=written, JudgeReply=JudgeReply(verdicts))))
    assert [sentence.support for sentence in answer.sentences] == ["unverified"]


async def test_a_foreign_figure_stays_only_if_a_judge_excuses_it_and_is_marked() -> None:
    sentences = (SentenceReply(QUOTATION, (1,)), SentenceReply("決定係数は0から9の値をとる。", (1,)))
    for verdict, support in (("supported", "unverified"), ("partly", "contradicted"), (None, "unverified")):
        verdicts = () if verdict is None else (JudgeVerdict(1, verdict),)  # type: ignore[arg-type]
        llm = scripted(AnswerReply=write_paragraph(sentences), JudgeReply=JudgeReply(verdicts))
        answer = await asked(policy_of(llm))
        units = [*answer.sentences, *list_contradicted(answer.blocks)]
        assert [unit.support for unit in units] == ["supported", support]
        assert "(suspect: 9)" in llm.prompts[-1].text


@pytest.mark.parametrize(("calls", "fault"), [(1, ModelFault.BUDGET), (2, None), (3, None)])
async def test_a_judge_is_not_asked_beyond_the_budget(calls: int, fault: ModelFault | None) -> None:
    written = write_paragraph((SentenceReply(PARAPHRASE, (1,)),))
    llm = scripted(AnswerReply=written, JudgeReply=JudgeReply(()))
    answer = await asked(policy_of(llm), budget=Budget(max_model_calls=calls))
    assert [use.fault for use in answer.model_uses if use.node == "judge"] == [fault]
    assert [sentence.support for sentence in answer.sentences] == ["unverified"]


PARTS = [
    Leaf("a", "決定係数の条件は三つある。一つ目は線形である。二つ目は独立である。"),
    Leaf("b", "決定係数の条件の三つ目は等分散である。"),
]
LIST = "決定係数の条件をすべて挙げてください"


def judged(
    state: str, missing: str = "", status: str = "", *findings: FindingReply, **given: Any
) -> EvaluationReply:
    goals = (GoalStateReply("G1", state, missing),)  # type: ignore[arg-type]
    return EvaluationReply(findings, goals, status=status, **given)  # type: ignore[arg-type]


def one_by_one(*evaluations: EvaluationReply, **changed: Any) -> ScriptedLlm:
    """A model that replies with each of these to one round after the other."""
    left = iter(evaluations)
    replies = {**GOOD, **{shape: changed[shape.__name__] for shape in GOOD if shape.__name__ in changed}}
    replies[StrategyReply] = changed.get(
        "StrategyReply", StrategyReply((GoalReply(LIST),), "G1", "single", "list")
    )
    return ScriptedLlm(
        lambda prompt, shape: (next(left) if shape is EvaluationReply else replies[shape], COST)
    )


async def read_verdicts(ledger: StoredLedger) -> list[Any]:
    routed = [json.loads(step.output.text) for step in await ledger.list_steps("run") if step.node == "route"]
    return [route["state"]["verdicts"][0] for route in routed]


async def test_one_finding_closes_no_goal_of_which_something_is_missing() -> None:
    """The model calls the search complete with two of three items; the condition does not hold."""
    first = judged("partial", "三つ目の条件", "COMPLETE", FindingReply(1, "G1", "一つ目は線形である。", 0.95))
    second = judged(
        "complete", "", "COMPLETE", FindingReply(2, "G1", PARTS[1].text, 0.95), judgment_reason="三つそろった"
    )
    llm = one_by_one(first, second)
    ledger = new_ledger()
    library = Library(PARTS, 1)
    answer = await asked(policy_of(llm), LIST, library=library, ledger=ledger)
    verdicts = await read_verdicts(ledger)
    assert [verdict["status"] for verdict in verdicts] == ["CONTINUE", "COMPLETE"]
    assert answer.loop_stop is LoopStop.CONDITION_MET and answer.rounds == 2 and len(answer.evidence) == 2
    assert (answer.goal_status[0].state, answer.goal_status[0].missing) == ("complete", "")
    assert "三つそろった" in verdicts[1]["judgment_reason"]
    planning = next(prompt for prompt in llm.prompts if "This is round 2." in prompt.text)
    assert "三つ目の条件" in planning.text and "G1: " in planning.text


async def test_a_model_that_wants_more_is_given_more_though_its_goals_are_complete() -> None:
    enough = judged(
        "complete", "", "CONTINUE", FindingReply(1, "G1", "一つ目は線形である。", 0.95), next_focus="等分散"
    )
    ledger = new_ledger()
    plan = PlanReply(("線形と独立",), "決定係数の条件は独立である。")
    llm = one_by_one(enough, judged("complete", "", "COMPLETE"), PlanReply=plan)
    library = Library([*PARTS, *OTHERS], 1)
    answer = await asked(policy_of(llm), LIST, library=library, ledger=ledger)
    verdicts = await read_verdicts(ledger)
    assert [verdict["status"] for verdict in verdicts] == ["CONTINUE", "COMPLETE"]
    assert verdicts[0]["next_focus"] == "等分散" and answer.loop_stop is LoopStop.CONDITION_MET
    assert "This is round 2. Open goals, the most urgent first:\nG1: " in "".join(
        prompt.text for prompt in llm.prompts
    )


@pytest.mark.parametrize("around", [(1,), (1, 99), ()])
async def test_the_neighbours_that_a_model_asks_for_are_searched_next_without_a_plan(
    around: tuple[int, ...],
) -> None:
    first = judged(
        "partial", "残り", "CONTINUE", FindingReply(1, "G1", "一つ目は線形である。", 0.95), read_around=around
    )
    llm = one_by_one(first, judged("complete", "", "COMPLETE"))
    library = Library([*PARTS, *OTHERS], 1)
    answer = await asked(policy_of(llm), LIST, library=library)
    assert [request.read_around for _, _, request in library.requests[:2]] == [(), (1,) if around else ()]
    plans = [use for use in answer.model_uses if use.node == "plan"]
    assert len(plans) == (1 if around else 2)


async def test_neighbours_are_read_though_the_rules_have_no_query_left() -> None:
    found = (FindingReply(1, "G1", "一つ目は線形である。", 0.95), FindingReply(2, "G1", PARTS[1].text, 0.95))
    partly = [judged("partial", "残り", "CONTINUE", each, read_around=(each.passage,)) for each in found]
    library = Library([*PARTS, *OTHERS], 1)
    await asked(policy_of(one_by_one(*partly, judged("complete"))), LIST, library=library)
    assert [request.read_around for _, _, request in library.requests] == [(), (1,), (2,)]


async def test_a_goal_stays_partial_when_its_last_rounds_show_nothing_and_the_answer_says_so() -> None:
    library = Library([*PARTS, *OTHERS], 1)
    finding = FindingReply(1, "G1", "一つ目は線形である。", 0.95)
    llm = one_by_one(judged("partial", "残り", "CONTINUE", finding, read_around=(1,)))
    answers = llm.reply

    def reply(prompt: ModelPrompt, shape: type) -> Any:
        if shape is EvaluationReply:
            library.k = 0  # what is around it was read before
        return answers(prompt, shape)

    llm.reply = reply
    answer = await asked(policy_of(llm), LIST, library=library)
    assert answer.rounds > 1 and answer.loop_stop is not LoopStop.CONDITION_MET
    assert (answer.goal_status[0].state, answer.goal_status[0].missing) == ("partial", "残り")
    assert answer.missing == (LIST,) and f"一部しか見つかりませんでした: {LIST}" in answer.text


@each_row(
    ("text", "after", "quotation", "is_cut"),
    [
        ("条件は次のとおり。\n・線形\n・独立", "\n・等分散", "・線形\n・独立", True),
        ("条件は次のとおり。\n・線形\n・独立", "\n\n次の節である。", "・線形\n・独立", False),
        ("条件は次のとおり。\n・線形\n・独立", "\n・等分散", "・線形", False),
        ("1. linear\n2. independent", "\n3. equal variance", "2. independent", True),
        ("甲\t1\n乙\t2", "\n丙\t3", "乙\t2", True),
        ("甲\t1\n乙\t2", "\n丙は三である。", "乙\t2", False),
    ],
)
def test_a_list_is_cut_where_its_next_item_follows(
    text: str, after: str, quotation: str, is_cut: bool
) -> None:
    assert is_cut_list(NumberedPassage(1, text, "", 1.0, after=after), quotation) is is_cut
    assert is_cut_list(NumberedPassage(1, text, "", 1.0, overleaf=after), quotation) is is_cut


@pytest.mark.parametrize(
    ("kind", "state", "around"),
    [(RequestKind.LIST, "partial", (1, 7)), (RequestKind.FACT, "complete", ())],
)
async def test_a_cut_list_is_not_complete_and_its_neighbours_are_read(
    kind: RequestKind, state: str, around: tuple[int, ...]
) -> None:
    passage = NumberedPassage(1, "条件は次のとおり。\n・線形\n・独立", "", 1.0, after="\n・等分散")
    aim = replace(strategy(LIST), kind=kind)
    reply = judged(
        "complete",
        "",
        "COMPLETE",
        FindingReply(1, "G1", "・線形\n・独立", 0.95),
        read_around=(7, 99) if around else (),
    )
    other = replace(passage, temp_index=7, after="")
    inputs = EvaluateInput(aim, aim.goals, (passage, other), {}, ())
    allowance = ModelAllowance(Budget(), Spending())
    result = (await policy_of(scripted(EvaluationReply=reply)).evaluate(inputs, allowance)).value
    assert result.judgment is not None and result.judgment.goals[0].state == state
    assert result.judgment.read_around == around


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        (QUESTION, "The coefficient of determination says how well a regression model fits.", False),
        (QUESTION, SENTENCE, True),
        (QUESTION, "R squared", True),
        (
            "決定係数を英語で説明して",
            "It says how well a regression model fits the data it was made of.",
            True,
        ),
        ("What is the coefficient of determination?", SENTENCE, False),
        ("What is the coefficient of determination?", "It says how well a model fits (決定係数).", True),
    ],
)
async def test_an_answer_in_another_language_is_replaced_by_the_passages(
    question: str, text: str, fits: bool
) -> None:
    assert is_in_language(text, question) is fits
    if question == QUESTION and not fits:
        answer = await asked(policy_of(scripted(AnswerReply=write_paragraph((SentenceReply(text, (1,)),)))))
        assert text not in answer.text and answer.passages and QUOTATION in answer.text
        assert answer.model_uses[-1].fault is ModelFault.UNUSABLE


async def test_a_model_that_finds_nothing_leaves_the_passages_of_the_rules() -> None:
    answer = await asked(policy_of(scripted(EvaluationReply=EvaluationReply(()))))
    by_rules = await asked(None)
    assert by_rules.level == "answered" and answer.level == "related"
    assert QUOTATION in answer.text and answer.passages and not answer.model_uses[0].fault
    assert by_rules.evidence[0].snippet in {row.snippet for row in answer.evidence}


async def test_the_words_of_a_plan_are_added_to_those_of_the_question() -> None:
    plan = PlanReply(("R二乗", "寄与率", "決定係数の値"), "決定係数は1に近いほどよい。", "別名")
    library = Library(LEAVES, 2)
    llm = scripted(PlanReply=plan, StrategyReply=ModelFault.TIMEOUT)
    await asked(policy_of(llm), TWO, library=library)
    first = library.requests[0][2]
    assert first.keyword_query[:2] == ("決定係数", "相関係数") and set(plan.keywords) < {*first.keyword_query}
    assert first.vector_query.startswith(TWO) and plan.meaning in first.vector_query


@pytest.mark.parametrize(
    "plan",
    [PlanReply(("猫", "魚"), "猫は魚を好む。"), PlanReply((), "決定係数"), PlanReply(("　",), "決定係数")],
)
async def test_a_plan_without_words_of_the_question_is_the_rules(plan: PlanReply) -> None:
    library = Library(LEAVES, 2)
    llm = scripted(PlanReply=plan, StrategyReply=ModelFault.TIMEOUT)
    answer = await asked(policy_of(llm), TWO, library=library)
    assert library.requests[0][2].keyword_query == ("決定係数", "相関係数")
    assert next(use.fault for use in answer.model_uses if use.node == "plan") is ModelFault.UNUSABLE


async def test_two_calls_are_kept_for_writing_and_checking() -> None:
    written = write_paragraph((SentenceReply(PARAPHRASE, (1,)),))
    for calls in range(2, 7):
        llm = scripted(AnswerReply=written)
        answer = await asked(policy_of(llm), TWO, budget=Budget(max_model_calls=calls))
        nodes = [use.node for use in answer.model_uses if use.fault is None]
        assert {"answer", "judge"} <= {*nodes} or "answer" not in [use.node for use in answer.model_uses], (
            calls
        )
        assert answer.budget_used["model_calls"] <= calls


async def test_a_slow_model_leaves_the_rules_their_time() -> None:
    """Each call takes all the seconds it may."""
    llm = scripted()
    await asked(policy_of(llm, ModelLimits(8_192, 1_000.0)), TWO, budget=Budget(max_seconds=100.0))
    assert llm.prompts and all(prompt.seconds <= 90.0 for prompt in llm.prompts)


@pytest.mark.parametrize(
    ("condition", "kept", "met"),
    [
        ("G1 and (G2 or G3)", "G1 and (G2 or G3)", False),
        ("G1 and not G2", "G1 and not G2", True),
        (" at_least(1, G1, G2) ", "at_least(1, G1, G2)", True),
        ("(G2 ∧ G3) || G1", "(G2 ∧ G3) || G1", True),
        ("any", "G1 or G2 or G3", True),
        ("all", "G1 and G2 and G3", False),
        ("G1 and (G2", "G1 and G2 and G3", False),
        ("G1 or G9", "G1 and G2 and G3", False),
    ],
)
async def test_a_models_condition_is_a_full_expression(condition: str, kept: str, met: bool) -> None:
    """The first goal is answered. What cannot be read is that all are needed."""
    goals = (GoalReply(QUESTION), GoalReply("月とは何か"), GoalReply("月の違いは何か"))
    llm = scripted(StrategyReply=StrategyReply(goals, condition, "several"))
    budget = Budget(max_model_calls=100, max_tokens=10**6)
    answer = await asked(policy_of(llm), "決定係数と月の違いは何か", budget)
    assert (answer.condition, answer.loop_stop is LoopStop.CONDITION_MET) == (kept, met)


@pytest.mark.parametrize(
    "reply",
    [
        StrategyReply((), "all", "single"),
        StrategyReply((GoalReply("　"),), "all", "single"),
        StrategyReply((GoalReply("あ" * 3_000),), "all", "single"),
        StrategyReply((GoalReply("猫は何を好むか"),), "all", "single"),
        StrategyReply((GoalReply("決定係数とは何か"), GoalReply("猫は何を好むか")), "all", "single"),
    ],
)
async def test_a_strategy_that_cannot_be_used_is_the_rules(reply: StrategyReply) -> None:
    question = "決定係数が高いのはなぜですか"
    answer = await asked(policy_of(scripted(StrategyReply=reply)), question)
    assert [goal.question for goal in answer.goals] == [question]
    assert answer.model_uses[0].fault is ModelFault.UNUSABLE


async def test_a_plan_that_repeats_a_search_is_the_rules() -> None:
    llm = scripted(EvaluationReply=EvaluationReply(()))
    library = Library(LEAVES, 2)
    await asked(policy_of(llm), library=library, budget=Budget(max_model_calls=50, max_tokens=10**6))
    queries = [frozenset(request.keyword_query) for _, _, request in library.requests]
    assert len(queries) == len(set(queries)) > 1


async def test_page_text_is_fenced_by_a_boundary_of_its_own_request() -> None:
    llm = scripted()
    for _ in range(2):
        await asked(policy_of(llm))
    reading = [prompt for prompt in llm.prompts if "Passages:" in prompt.text]
    fences = [prompt.instructions.split("begin with ")[1].split()[0] for prompt in reading]
    assert len(set(fences)) == 2
    for prompt, fence in zip(reading, fences, strict=True):
        inside = prompt.text.split("Passages:")[1]
        assert inside.count(f"{fence} passage") == inside.count(f"{fence} end of passage") == 3


async def test_a_stopped_run_asks_no_model_for_its_answer() -> None:
    llm = scripted()
    told: list[RunNews] = []
    answer = await asked(policy_of(llm), notify=told.append, stop=lambda: "search" in list_nodes(told))
    assert answer.loop_stop is LoopStop.STOPPED and not llm.prompts and not answer.model_uses
    assert answer.text.splitlines()[0] == "見つかりません · モデルは文書を読んでいません"


async def test_a_model_that_has_nothing_to_read_is_not_called_missing() -> None:
    answer = await asked(policy_of(scripted()), library=Library((), 3))
    assert answer.text.splitlines()[0] == "見つかりません · モデルは文書を読んでいません"
    assert (await asked(None, library=Library((), 3))).text.startswith("見つかりません · 言語モデルなし")


@settings(max_examples=40, deadline=None)
@given(
    calls=st.integers(0, 12),
    tokens=st.integers(0, 80_000),
    rounds=st.integers(1, 4),
    seed=st.integers(0, 10**6),
)
async def test_reserved_and_spent_never_exceed_the_budget_and_an_answer_comes_back(
    calls: int, tokens: int, rounds: int, seed: int
) -> None:
    budget = Budget(max_rounds=rounds, max_model_calls=calls, max_tokens=tokens)
    dice = random.Random(seed)
    allowances: list[ModelAllowance] = []
    reserve = ModelAllowance.reserve

    def watched(self: ModelAllowance, calls: int, tokens: int) -> Spending | None:
        reservation = reserve(self, calls, tokens)
        allowances.append(self)
        both = self.spent + self.reserved
        assert both.model_calls <= budget.max_model_calls and both.tokens <= budget.max_tokens
        return reservation

    def reply(prompt: ModelPrompt, shape: type) -> tuple[Any, ModelUsage]:
        bound = len((prompt.instructions + prompt.text).encode()) + prompt.max_output_tokens
        assert prompt.repairs < budget.max_model_calls and bound <= budget.max_tokens
        usage = ModelUsage(dice.randint(0, 3), dice.randint(0, 40_000), dice.randint(0, 40_000))
        return (GOOD[shape] if dice.random() < 0.7 else dice.choice([*ModelFault])), usage

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelAllowance, "reserve", watched)
        answer = await asked(policy_of(ScriptedLlm(reply)), TWO, budget)
    assert answer.text and answer.evidence
    assert answer.budget_used["model_calls"] <= calls and answer.budget_used["tokens"] <= tokens
    assert all(allowance.reserved == Spending() for allowance in allowances)


async def test_tokens_of_a_model_are_counted_by_the_day_and_rules_think_when_they_are_used_up() -> None:
    """Two runs at once, whose reservations alone would exceed the quota."""
    hanako = Grantee(GranteeKind.USER, "hanako")
    quotas = new_quotas(SetClock())
    await quotas.set(hanako, {QuotaResource.TOKENS: 60_000})
    llm = scripted()
    policy = policy_of(llm).with_meter(OwnerTokens(quotas, "hanako"))
    await asked(policy)
    (quota,) = await quotas.list_quotas()
    assert quota.used == COST.tokens * len(llm.prompts) > 0
    await quotas.set(hanako, {QuotaResource.TOKENS: quota.used + 10})
    for answer in await asyncio.gather(asked(policy, TWO), asked(policy, TWO)):
        assert answer.evidence and {use.fault for use in answer.model_uses} == {ModelFault.QUOTA}
    assert (await quotas.list_quotas())[0].used == quota.used


async def test_a_quotation_for_two_goals_has_one_number() -> None:
    both = EvaluationReply((FindingReply(1, "G1", QUOTATION, 0.9), FindingReply(1, "G2", QUOTATION, 0.8)))
    goals = (GoalReply(QUESTION), GoalReply("決定係数は何を表すか"))
    llm = scripted(StrategyReply=StrategyReply(goals, "all", "single"), EvaluationReply=both)
    answer = await asked(policy_of(llm), "決定係数とは何か。決定係数は何を表すか")
    assert [(row.number, row.snippet, row.goal_ids) for row in answer.evidence] == [
        (1, QUOTATION, ("G1", "G2"))
    ]
    assert all(status.met for status in answer.goal_status)
    (written,) = [prompt.text for prompt in llm.prompts if prompt.text.count("quotation 1 for G1, G2")]
    assert written.count(f"\n{QUOTATION}\n") == 1
