"""What a prompt holds fits into what the model reads and writes at once, however much was found."""

from __future__ import annotations

from typing import Any

import pytest

from shisho.domain.conversation import EarlierTurn, Surroundings
from shisho.domain.corpus import Complexity, NumberedPassage
from shisho.domain.inquiry import Budget, EvidenceRef, Goal, Strategy
from shisho.domain.loop_state import Spending
from shisho.domain.model import ModelFault, ModelPrompt, ModelUsage
from shisho.language import estimate_tokens
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.checking.check import AnswerUnit, read_units
from shisho.librarian.model_calls import MESSAGE_TOKENS, SCHEMA_TOKENS, ModelCalls, ModelLimits
from shisho.librarian.model_writing import AnswerWriter, ask_judge
from shisho.librarian.policy import AnswerInput, EvaluateInput, PlanInput, StrategyInput
from tests.librarian.scripted import NODES, ScriptedLlm, policy_of

GOALS = (Goal("G1", "決定係数とは何か"), Goal("G2", "残差とは何か"))
STRATEGY = Strategy("決定係数と残差とは何か", GOALS, "G1 and G2", Complexity.SEVERAL)
EVIDENCE = tuple(
    EvidenceRef(
        number,
        "G1",
        f"{number}番目の記録では、決定係数は当てはまりのよさを表す指標である。" * 8,
        "記録",
        0.9,
        1,
    )
    for number in range(1, 25)
)
PASSAGES = tuple(
    NumberedPassage(number, f"{number}の残差は誤差である。" * 20, "残差", 0.9) for number in range(1, 6)
)
TURNS = tuple(EarlierTurn(f"{number}番目の質問とは何か", "答えは長い。" * 200) for number in range(9))


async def recall_much() -> Surroundings:
    return Surroundings(TURNS, ())


async def ask_all(limits: ModelLimits) -> list[ModelPrompt]:
    """The prompts of all nodes, each with much to say."""
    llm = ScriptedLlm(lambda prompt, shape: (ModelFault.TIMEOUT, ModelUsage(1)))
    policy = policy_of(llm, limits)
    calls = ModelCalls(dict.fromkeys(NODES, llm), limits)
    room = ModelAllowance(Budget(max_model_calls=99, max_tokens=10_000_000), Spending())
    plans = PlanInput(STRATEGY, GOALS, (), EVIDENCE)
    question = StrategyInput(
        "それはなぜか", "それはなぜか", ("決定係数とは何か",), lambda: "2026-11-28", recall_much
    )
    verdict: Any = None
    await policy.split(question, room)
    await policy.plan(plans, room)
    await policy.evaluate(EvaluateInput(STRATEGY, GOALS, PASSAGES, {}, EVIDENCE), room)
    units = [AnswerUnit(f"{ref.snippet}とされる", (ref.number,)) for ref in EVIDENCE]
    await ask_judge(calls, room, STRATEGY.question, [*read_units(units, EVIDENCE, "")])
    inputs = AnswerInput(STRATEGY, (), EVIDENCE, verdict, (), STRATEGY.question)
    with pytest.raises(AttributeError):  # rules would write it now, with a verdict that is none
        await AnswerWriter(calls, inputs, room, print, verdict).write()
    return llm.prompts


@pytest.mark.parametrize("context", [3_072, 4_096, 8_192])
async def test_every_prompt_leaves_room_for_its_reply(context: int) -> None:
    prompts = await ask_all(ModelLimits(context, 60.0))
    assert len(prompts) == len(NODES)
    for prompt in prompts:
        sent = (
            estimate_tokens(prompt.instructions)
            + estimate_tokens(prompt.text)
            + SCHEMA_TOKENS
            + MESSAGE_TOKENS
        )
        assert sent + prompt.max_output_tokens <= context, prompt.instructions[:40]
        assert "⟦" in prompt.text, "something of what was found is in it"
