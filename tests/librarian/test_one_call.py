"""A fact is read and written in one call; a reply that lacks something is followed by the usual calls."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Answer, Budget, Finding, GoalJudgment, GoalState, Judgment
from shisho.domain.loop_state import Spending
from shisho.domain.model import ModelFault
from shisho.domain.requirements import RequestKind
from shisho.inference.reply_schema import read_reply
from shisho.language import estimate_tokens
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.model_policy import FACT_ROOM, ModelPolicy
from shisho.librarian.model_reading import cite_findings
from shisho.librarian.model_replies import (
    BlockReply,
    FactReply,
    FindingReply,
    GoalStateReply,
    SentenceReply,
)
from shisho.librarian.policy import EvaluateInput
from shisho.librarian.prompting import load_prompt, size_reply
from shisho.librarian.strategy import strategy
from tests.librarian.library import Leaf, Library
from tests.librarian.scripted import LIMITS, NODES, ScriptedLlm
from tests.librarian.test_loop import LEAVES
from tests.librarian.test_model_policy import COST, GOOD, QUESTION, QUOTATION, SENTENCE, asked
from tests.tables import each_row
from tests.temporary import new_ledger

pytestmark = pytest.mark.usefixtures("temporary_stores")

ENGLISH = "The coefficient is an indicator that shows how well a regression model fits its data."
FOUND = FindingReply(1, "G1", QUOTATION, 0.9)
COMPLETE = GoalStateReply("G1", "complete")


def write(text: str, *cites: int) -> tuple[BlockReply, ...]:
    return (BlockReply(sentences=(SentenceReply(text, cites),)),)


WELL = FactReply((FOUND,), (COMPLETE,), blocks=write(SENTENCE, 1))


def model(reply: Any = WELL, **others: Any) -> ScriptedLlm:
    replies = {
        **GOOD,
        FactReply: reply,
        **{shape: others[shape.__name__] for shape in GOOD if shape.__name__ in others},
    }
    return ScriptedLlm(lambda prompt, shape: (replies[shape], COST))


async def asked_at_once(llm: ScriptedLlm, **given: Any) -> Answer:
    return await asked(ModelPolicy(dict.fromkeys((*NODES, "fact"), llm), LIMITS), **given)


def nodes(answer: Answer) -> list[str]:
    return [use.node for use in answer.model_uses]


async def test_a_fact_takes_two_calls() -> None:
    answer = await asked_at_once(model())
    assert nodes(answer) == ["fact", "judge"] and answer.budget_used["model_calls"] == 2
    assert f"{SENTENCE} [1]" in answer.text and "モデルが書き" in answer.text.splitlines()[0]
    assert [quotation.snippet for quotation in answer.evidence] == [QUOTATION]


async def test_a_fact_that_is_quoted_takes_one_call() -> None:
    answer = await asked_at_once(model(replace(WELL, blocks=write(QUOTATION, 1))))
    assert nodes(answer) == ["fact"] and f"{QUOTATION} [1]" in answer.text


async def test_a_replay_writes_the_same_without_asking() -> None:
    ledger = new_ledger()
    library = Library(LEAVES, 3)
    llm = model()
    first = await asked_at_once(llm, ledger=ledger, library=library)
    count = len(llm.prompts)
    again = await asked_at_once(llm, ledger=ledger, library=library)
    assert len(llm.prompts) == count and again == first


@pytest.mark.parametrize("state", ["partial", "open"])
async def test_a_fact_that_is_not_complete_is_looked_for_on(state: str) -> None:
    reply = replace(WELL, goals=(GoalStateReply("G1", state, "値の範囲"),))  # type: ignore[arg-type]
    answer = await asked_at_once(model(reply), library=Library(LEAVES, 1))
    assert nodes(answer)[:3] == ["fact", "plan", "evaluate"] and nodes(answer)[-2:] == ["answer", "judge"]


@pytest.mark.parametrize(
    "blocks",
    [
        (),
        write(SENTENCE),
        write(SENTENCE, 2),
        write(ENGLISH, 1),
    ],
    ids=["none", "no number", "unknown number", "other language"],
)
async def test_an_answer_that_is_missing_or_cites_no_finding_is_written_later(blocks: Any) -> None:
    answer = await asked_at_once(model(replace(WELL, blocks=blocks)))
    assert nodes(answer) == ["fact", "answer", "judge"] and f"{SENTENCE} [1]" in answer.text


async def test_a_quotation_that_was_made_up_is_cited_by_no_sentence() -> None:
    made_up = FindingReply(1, "G1", "決定係数は常に1である。", 0.95)
    reply = replace(WELL, findings=(made_up, FOUND), blocks=write(SENTENCE, 1))
    answer = await asked_at_once(model(reply))
    assert nodes(answer) == ["fact", "answer", "judge"] and answer.model_uses[0].dropped == 1
    answer = await asked_at_once(model(replace(reply, blocks=write(SENTENCE, 2))))
    assert nodes(answer) == ["fact", "judge"] and f"{SENTENCE} [1]" in answer.text


def test_numbers_follow_quotations_that_are_put_in_order_of_their_score() -> None:
    passage = NumberedPassage(7, "甲は一である。乙は二である。", "", 1.0)
    replies = (FindingReply(7, "G1", "甲は一である。", 0.6), FindingReply(7, "G1", "乙は二である。", 0.9))
    findings = [Finding(7, "G1", "乙は二である。", 0.9), Finding(7, "G1", "甲は一である。", 0.6)]
    inputs = EvaluateInput(strategy("甲と乙は何か"), (), (passage,), {}, ())
    reply = FactReply(replies, blocks=write("甲は一だ。", 1))
    (block,) = cite_findings(inputs, reply, findings, Judgment())
    assert block.sentences[0].cites == (2,)
    open_goal = Judgment((GoalJudgment("G1", GoalState.OPEN),))
    assert cite_findings(inputs, reply, findings, open_goal) == ()


@pytest.mark.parametrize("fault", [ModelFault.MALFORMED, ModelFault.TRUNCATED, ModelFault.ONLY_THINKING])
async def test_a_model_that_misses_the_longer_form_is_asked_in_the_plain_one(fault: ModelFault) -> None:
    answer = await asked_at_once(model(fault))
    assert nodes(answer) == ["fact", "evaluate", "answer", "judge"] and f"{SENTENCE} [1]" in answer.text
    assert str(fault) == answer.model_uses[0].fault and "test/scripted" not in answer.text


async def test_a_model_that_fails_otherwise_leaves_the_reading_to_rules() -> None:
    answer = await asked_at_once(model(ModelFault.TIMEOUT, AnswerReply=ModelFault.TIMEOUT))
    assert nodes(answer) == ["fact", "answer"] and [row.snippet for row in answer.evidence] == [QUOTATION]


async def test_a_list_is_read_and_written_in_two_calls() -> None:
    answer = await asked_at_once(model(), question="決定係数の別名をすべて挙げて")
    assert "fact" not in nodes(answer) and "evaluate" in nodes(answer)


async def test_the_first_reading_of_a_fact_leaves_the_reply_within_its_target() -> None:
    """At most 4,000 tokens in, with the judge: the prompts' own words count."""
    leaves = [
        Leaf(f"r{number}", f"決定係数の話{number}。{'それは当てはまりを表す。' * 40}") for number in range(30)
    ]
    llm = model()
    answer = await asked_at_once(llm, library=Library((*LEAVES[:1], *leaves), 30))
    assert nodes(answer) == ["fact", "judge"]
    read = sum(estimate_tokens(prompt.instructions + prompt.text) for prompt in llm.prompts)
    assert FACT_ROOM < read <= 4_000


async def test_a_reading_in_a_small_context_is_smaller() -> None:
    inputs = EvaluateInput(strategy(QUESTION), strategy(QUESTION).goals, (), {}, ())
    allowance = ModelAllowance(Budget(max_tokens=80_000, max_model_calls=9), Spending())
    rooms = [
        ModelPolicy({"fact": model()}, replace(LIMITS, context=context)).measure_room(inputs, allowance)
        for context in (4_096, 8_192, 128_000)
    ]
    assert rooms[0] < rooms[1] == rooms[2] == FACT_ROOM


@each_row("blocks", [None, "text", 3, [{"type": "poem"}], [{"sentences": [{"cites": [1]}]}], [[["x"]]]])
def test_unreadable_blocks_spoil_no_quotation(blocks: Any) -> None:
    data = {
        "findings": [{"passage": 1, "goal": "G1", "quotation": QUOTATION, "score": 0.9}],
        "blocks": blocks,
    }
    reply = read_reply(json.dumps(data), FactReply)
    assert reply.findings[0].quotation == QUOTATION and not any(
        unit.cites for block in reply.blocks for unit in block.sentences
    )


@each_row(
    ("question", "kind", "context", "tokens_out"),
    [
        ("決定係数とは何か", RequestKind.FACT, 8_192, 1_600),
        ("割合を表にまとめて", RequestKind.FACT, 32_000, 3_200),
        ("割合を表にまとめて", RequestKind.FACT, 8_192, 8_192 // 3),
        ("表について教えて", RequestKind.FACT, 32_000, 1_600),
        ("すべて挙げて", RequestKind.LIST, 32_000, 3_200),
        ("3000字で説明して", RequestKind.EXPLAIN, 32_000, 6_000),
        ("Explain it in 1,500 words", RequestKind.EXPLAIN, 32_000, 4_500),
        ("Explain it in 1,500 words", RequestKind.EXPLAIN, 2_048, 1_600),
    ],
)
def test_a_reply_has_room_for_what_is_asked(
    question: str, kind: RequestKind, context: int, tokens_out: int
) -> None:
    aim = replace(strategy(question), kind=kind)
    assert size_reply(load_prompt("answer"), aim, context).max_output_tokens == tokens_out


async def test_a_long_form_is_written_with_its_room() -> None:
    llm = model()
    await asked_at_once(llm, question="決定係数を2,000字で説明して")
    written = [prompt for prompt in llm.prompts if prompt.sha256 == load_prompt("answer").sha256]
    assert [prompt.max_output_tokens for prompt in written] == [8_192 // 3]
