"""A question read by a model: split into goals and, where it goes on with a conversation, rewritten so that
it stands by itself."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.conversation import CorpusFacts, EarlierTurn, Surroundings
from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import Goal, Strategy
from shisho.domain.model import ModelUse
from shisho.domain.requirements import RequestKind
from shisho.errors import InvalidParams
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.condition import parse
from shisho.librarian.mind import QuestionMatter
from shisho.librarian.model_calls import ModelCalls, mark_unusable
from shisho.librarian.model_replies import FollowUpReply, StrategyReply
from shisho.librarian.prompting import fence_corpora, fence_turns, load_prompt, make_boundary
from shisho.librarian.strategy import MAX_GOALS, check_question, choose_kind, join_goals
from shisho.librarian.support import list_foreign_addresses

TURNS_ROOM = 1_200  # tokens of the conversation in a prompt
MAX_ADDED = 300  # characters that a question may take from its conversation
_CORPORA = "\nThe library holds (names, data):\n{corpora}"

ReadStrategy = tuple[Strategy | None, tuple[ModelUse, ...]]
"""None where the rules' is to be taken."""


async def split_question(
    calls: ModelCalls, matter: QuestionMatter, around: Surroundings, allowance: ModelAllowance
) -> ReadStrategy:
    """The goals of a question that stands by itself. Where there is one corpus its name says nothing."""
    question = check_question(matter.resolved)
    values = {"question": question, "today": matter.now()[:10], "library": _several(around.corpora)}
    reply, uses = await calls.ask("strategy", StrategyReply, allowance, values)
    made_strategy = None if reply is None else _make_strategy(question, reply, matter.required.kind)
    return made_strategy, uses if made_strategy else mark_unusable(uses, reply)


async def read_follow_up(
    calls: ModelCalls, matter: QuestionMatter, around: Surroundings, allowance: ModelAllowance
) -> ReadStrategy:
    """The question as it stands by itself, and its goals. What was answered before has words of pages in it:
    it is data for the model, and no address gets from it into what is searched for."""
    boundary = make_boundary()
    turns = around.turns or tuple(map(EarlierTurn, matter.earlier))
    values = {
        "question": check_question(matter.question),
        "today": matter.now()[:10],
        "library": fence_corpora(around.corpora, boundary),
        "boundary": boundary,
    }
    room = min(TURNS_ROOM, calls.measure_room(load_prompt("follow_up"), values))
    values["turns"] = fence_turns(turns, boundary, room)
    reply, uses = await calls.ask("strategy", FollowUpReply, allowance, values, prompt_name="follow_up")
    made_strategy = None if reply is None else _read_alone(matter, reply)
    return made_strategy, uses if made_strategy else mark_unusable(uses, reply)


def _read_alone(matter: QuestionMatter, reply: FollowUpReply) -> Strategy | None:
    """None for one that is blank, says much more than was asked, or names an address that nobody asked
    for."""
    own_text = "\n".join((matter.question, *matter.earlier))
    new_text = " ".join((reply.question, *(goal.question for goal in reply.goals)))
    try:
        question = check_question(reply.question)
    except InvalidParams:
        return None
    if len(question) > len(matter.question) + MAX_ADDED or list_foreign_addresses(new_text, own_text):
        return None
    return _make_strategy(question, reply, matter.required.kind)


def _make_strategy(
    question: str, reply: StrategyReply | FollowUpReply, wanted: RequestKind
) -> Strategy | None:
    try:
        texts = list(dict.fromkeys(check_question(goal.question) for goal in reply.goals))[:MAX_GOALS]
    except InvalidParams:
        return None
    if not texts:
        return None
    goals = tuple(Goal(f"G{number}", text) for number, text in enumerate(texts, 1))
    ids = [goal.id for goal in goals]
    condition = _read_condition(reply.condition, ids) if len(ids) == len(reply.goals) else join_goals(ids)
    return Strategy(question, goals, condition, Complexity(reply.complexity), choose_kind(question, wanted))


def _read_condition(text: str, ids: Sequence[str]) -> str:
    """The model's condition over its goals by number; that all are needed if it can't be read."""
    if text.strip().casefold() == "any":
        return " or ".join(ids)
    try:
        parse(text, ids)
    except InvalidParams:
        return join_goals(ids)
    return text.strip()


def _several(corpora: Sequence[CorpusFacts]) -> str:
    """The corpora where there are several, else nothing."""
    if len(corpora) < 2:
        return ""
    return _CORPORA.format(corpora=fence_corpora(corpora, make_boundary()))
