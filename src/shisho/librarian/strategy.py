"""Split a question into goals, without a model.

Conservative: unless clearly several questions, it is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import Goal, Strategy
from shisho.domain.requirements import NO_REQUIREMENTS, RequestKind, Requirements
from shisho.errors import InvalidParams
from shisho.language import compile_lazily
from shisho.language.spelling import read_vocabulary
from shisho.librarian import condition
from shisho.librarian.splitting import JOINT, split_context, split_parts, split_sides

MAX_CHARS = 2_000
MAX_GOALS = 8  # of a question that is split here or by a model
MAX_REQUIRED_GOALS = 20
MAX_ID_CHARS = 100
MAX_MINIMUM = 50  # pieces of evidence, and sources, of one goal
_KIND_WORDS = (
    (
        RequestKind.COMPARE,
        compile_lazily(r"違い|相違|比較|比べ|\b(?:compar\w+|differ\w*|versus|vs)\b", re.IGNORECASE),
    ),
    (
        RequestKind.LIST,
        compile_lazily(
            r"すべて|全て|一覧|リスト|列挙|挙げ|\b(?:list|all|every)\b|^(?:which|what) \w+s (?:are|were|do|did|have|can)\b",
            re.IGNORECASE,
        ),
    ),
    (
        RequestKind.EXPLAIN,
        compile_lazily(
            r"なぜ|どうして|理由|仕組み|どのよう|説明し|論じ|論ぜよ|考察|\b(?:why|explain|discuss)\b"
            r"|^how (?:is|are|do|does|did|can)\b",
            re.IGNORECASE,
        ),
    ),
)


def strategy(question: str, required: Requirements = NO_REQUIREMENTS) -> Strategy:
    """Return one goal per part of the question, all required unless specified otherwise.

    Raises:
        InvalidParams: a blank or overlong question, or requirements that contradict each other.
    """
    asked_text = check_question(question)
    check_goals(required.goals)
    compared, parts = _split(asked_text)
    goals = required.goals or tuple(Goal(f"G{number}", part) for number, part in enumerate(parts, 1))
    ids = [goal.id for goal in goals]
    if required.condition:
        condition.parse(required.condition, ids)
    kind = RequestKind.COMPARE if compared else _find_kind(asked_text)
    return Strategy(
        asked_text,
        goals,
        required.condition or join_goals(ids),
        required.complexity or _choose_complexity(kind, len(goals)),
        kind if required.kind is RequestKind.AUTO else required.kind,
    )


def respell_strategy(aim: Strategy, open_goals: Sequence[Goal], texts: Sequence[str]) -> Strategy:
    """Return the strategy with the question respelled as in these texts.

    Unchanged if none is closer.

    Answered goals are unchanged; if there are none, the question may be split differently.
    """
    from shisho.language.spelling import respell  # imported here: most questions are answered without it

    vocabulary = _read_vocabulary(tuple(texts))
    question = respell(aim.question, vocabulary)
    if not question:
        return aim
    if len(open_goals) == len(aim.goals) and aim == strategy(aim.question):
        return strategy(question)
    respelt = {goal.id: respell(goal.question, vocabulary) for goal in open_goals}
    goals = tuple(replace(goal, question=respelt.get(goal.id) or goal.question) for goal in aim.goals)
    return replace(aim, question=question, goals=goals)


_read_vocabulary = lru_cache(maxsize=1)(read_vocabulary)  # the next question usually has the same library


def _find_kind(question: str) -> RequestKind:
    """Return the kind of answer that the question clearly names."""
    return next((kind for kind, words in _KIND_WORDS if words.search(question)), RequestKind.FACT)


def join_goals(ids: Iterable[str]) -> str:
    """Return the condition that all of these goals are fulfilled."""
    return " and ".join(ids)


def check_goals(goals: Sequence[Goal]) -> None:
    """Check goals for number, form and distinct ids. Raises: InvalidParams."""
    if len(goals) > MAX_REQUIRED_GOALS:
        raise InvalidParams(
            "goal.too_many",
            count=len(goals),
            limit=MAX_REQUIRED_GOALS,
        )
    keys: set[str] = set()
    for goal in goals:
        key = condition.fold_id(goal.id)
        if len(goal.id) > MAX_ID_CHARS or not goal.id.isprintable() or not any(map(str.isalnum, key)):
            raise InvalidParams(
                "goal.bad_id",
                id=goal.id[:MAX_ID_CHARS],
                limit=MAX_ID_CHARS,
            )
        if key in condition.RESERVED_WORDS:
            raise InvalidParams("goal.reserved_id", id=goal.id)
        if key in keys:
            raise InvalidParams("goal.duplicate_id", id=goal.id)
        keys.add(key)
        if not any(map(str.isalnum, goal.question)) or len(goal.question) > MAX_CHARS:
            raise InvalidParams("goal.bad_question", id=goal.id, limit=MAX_CHARS)
        for name in ("min_evidence", "min_sources"):
            least = getattr(goal, name)
            if not 1 <= least <= MAX_MINIMUM:
                raise InvalidParams(
                    "common.out_of_range",
                    name=name,
                    least=1,
                    most=MAX_MINIMUM,
                    value=least,
                )


def _split(question: str) -> tuple[bool, tuple[str, ...]]:
    """Return whether the question compares, and its parts."""
    context, request = split_context(question)
    sides = split_sides(request)
    parts = sides or split_parts(request)
    if not 0 < len(parts) <= MAX_GOALS:
        return bool(sides), (question,)
    return bool(sides), tuple(f"{context}{JOINT}{part}" if context else part for part in parts)


def check_question(question: str) -> str:
    """Return the question on one line. Raises: InvalidParams."""
    # a lone surrogate cannot be stored
    asked_text = " ".join(question.encode("utf-8", "replace").decode().split())
    if not any(character.isalnum() for character in asked_text):
        raise InvalidParams("question.blank")
    if len(asked_text) > MAX_CHARS:
        raise InvalidParams(
            "question.too_long",
            count=len(asked_text),
            limit=MAX_CHARS,
        )
    return asked_text


def _choose_complexity(kind: RequestKind, goals: int) -> Complexity:
    if kind is RequestKind.COMPARE:
        return Complexity.COMPARISON
    return Complexity.SEVERAL if goals > 1 else Complexity.SINGLE
