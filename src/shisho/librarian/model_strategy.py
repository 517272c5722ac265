"""Interpret a question with a model.

Its standalone form, its kind, its goals and a condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shisho.domain.conversation import EarlierTurn, Surroundings
from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import Goal, Strategy
from shisho.domain.model import ModelUse
from shisho.domain.requirements import RequestKind
from shisho.errors import InvalidParams
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.checking.figures import list_foreign_addresses
from shisho.librarian.condition import parse
from shisho.librarian.model_calls import ModelCalls, mark_unusable
from shisho.librarian.model_relatedness import Relatedness
from shisho.librarian.model_replies import StrategyReply
from shisho.librarian.policy import StrategyInput
from shisho.librarian.prompting import fence_library, fence_turns, load_prompt, make_boundary
from shisho.librarian.strategy import MAX_GOALS, check_question, join_goals

TURNS_ROOM = 1_200  # tokens of the conversation in a prompt
LIBRARY_ROOM = 1_200  # tokens of the map of the library in a prompt
MAX_ADDED = 300  # characters that a question may add from its conversation
READ_BY_RULES = (RequestKind.FACT, RequestKind.AUTO)


async def read_question(
    calls: ModelCalls,
    inputs: StrategyInput,
    by_rules: Strategy,
    around: Surroundings,
    allowance: ModelAllowance,
) -> tuple[Strategy, tuple[ModelUse, ...]]:
    """Return the model's strategy, or that of the rules if the reply is unusable.

    Earlier answers contain words of pages: they are data for the model, and no address in them gets into a
    query.
    """
    boundary = make_boundary()
    turns = around.turns or tuple(map(EarlierTurn, inputs.earlier))
    values = {
        "question": check_question(inputs.question),
        "today": inputs.now()[:10],
        "turns": "(none)",
        "boundary": boundary,
    }
    room = calls.measure_room(load_prompt("strategy"), {**values, "library": ""})
    if inputs.earlier:
        values["turns"] = fence_turns(turns, boundary, min(TURNS_ROOM, room))
    room = calls.measure_room(load_prompt("strategy"), {**values, "library": ""})
    values["library"] = fence_library(around, boundary, min(LIBRARY_ROOM, room))
    reply, uses = await calls.ask("strategy", StrategyReply, allowance, values)
    made_strategy = (
        None if reply is None else await _make_strategy(inputs, by_rules, turns, reply, calls.relatedness)
    )
    return made_strategy or by_rules, uses if made_strategy else mark_unusable(uses, reply)


async def _make_strategy(
    inputs: StrategyInput,
    by_rules: Strategy,
    turns: Sequence[EarlierTurn],
    reply: StrategyReply,
    relatedness: Relatedness,
) -> Strategy | None:
    """Return the strategy of a reply.

    None if the question or a goal is blank, unrelated to the user's question, or has an address of its own.
    """
    try:
        question = check_question(reply.question) if inputs.earlier else by_rules.question
        texts = list(dict.fromkeys(check_question(goal.question) for goal in reply.goals))[:MAX_GOALS]
    except InvalidParams:
        return None
    own_texts = (inputs.question, *inputs.earlier)
    known_texts = (*own_texts, *(turn.answer for turn in turns)) if inputs.earlier else own_texts
    new_text = " ".join((question, *texts))
    if (
        not texts
        or len(question) > len(inputs.question) + MAX_ADDED
        or list_foreign_addresses(new_text, "\n".join(own_texts))
    ):
        return None
    if inputs.earlier and await relatedness.find_unrelated([question], known_texts):
        return None
    if await relatedness.find_unrelated(texts, (question, *known_texts)):
        return None
    goals = tuple(Goal(f"G{number}", text) for number, text in enumerate(texts, 1))
    ids = [goal.id for goal in goals]
    condition = _read_condition(reply.condition, ids) if len(ids) == len(reply.goals) else join_goals(ids)
    required = inputs.required
    kind = RequestKind(reply.kind) if reply.kind and by_rules.kind in READ_BY_RULES else by_rules.kind
    return replace(
        by_rules,
        question=question,
        goals=goals,
        condition=condition,
        complexity=required.complexity or Complexity(reply.complexity),
        kind=kind if required.kind is RequestKind.AUTO else required.kind,
    )


def _read_condition(text: str, ids: Sequence[str]) -> str:
    """Return the model's condition over its goals by number.

    An invalid condition becomes one that requires all goals.
    """
    if text.strip().casefold() == "any":
        return " or ".join(ids)
    try:
        parse(text, ids)
    except InvalidParams:
        return join_goals(ids)
    return text.strip()
