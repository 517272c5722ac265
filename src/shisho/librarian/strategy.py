"""Question → goals, without a model. Careful by rule: what is not plainly several questions stays one."""

from __future__ import annotations

import re

from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import Goal, Strategy
from shisho.errors import InvalidParams
from shisho.librarian import asides, splitting
from shisho.librarian.courtesy import strip_courtesy
from shisho.librarian.lead_up import split_lead_up

MAX_CHARS = 2_000
MAX_GOALS = 8
_DISCUSSION = re.compile(
    r"違い|相違|比較|論じ|論ぜよ|議論|考察|長所と短所|メリットとデメリット|\b(?:compare|differ\w*|discuss|versus|vs)\b",
    re.IGNORECASE,
)


def strategy(question: str) -> Strategy:
    """One goal per part of the question; all of them are asked for. Raises InvalidParams for a blank or
    overlong question."""
    asked_text = check_question(question)
    bare = strip_courtesy(asked_text)
    compared, parts = _split(bare)
    goals = tuple(Goal(f"G{number}", part) for number, part in enumerate(parts, 1))
    return Strategy(
        asked_text,
        goals,
        " and ".join(goal.id for goal in goals),
        _complexity(asked_text, len(goals), compared),
    )


def _split(question: str) -> tuple[bool, tuple[str, ...]]:
    """Return whether things are compared, and the parts; each names the text to search for all of them."""
    bare = asides.strip_asides(question)
    compared = splitting.split_comparison(bare)
    lead_up, asking = split_lead_up(bare)
    parts = (
        compared
        or splitting.split_each(bare)
        or tuple(lead_up + part for part in splitting.split_wanted(asking) or splitting.questions(asking))
    )
    if not 2 <= len(parts) <= MAX_GOALS:
        return False, (question,)
    text = asides.find_text(question)
    lead = "" if not text else f"In {text}, " if question.isascii() else f"{text}では、"
    return bool(compared), tuple(lead + part for part in parts)


def check_question(question: str) -> str:
    """The question on one line. Raises InvalidParams."""
    # a lone surrogate can be stored nowhere
    asked_text = " ".join(question.encode("utf-8", "replace").decode().split())
    if not any(character.isalnum() for character in asked_text):
        raise InvalidParams(
            "The question is blank. Write what you want to know, for example: What is a median?"
        )
    if len(asked_text) > MAX_CHARS:
        raise InvalidParams(
            "The question has {count:,} characters; {limit:,} is the limit. Shorten it.",
            count=len(asked_text),
            limit=MAX_CHARS,
        )
    return asked_text


def _complexity(question: str, goals: int, compared: bool) -> Complexity:
    if compared or _DISCUSSION.search(question):
        return Complexity.COMPARISON
    return Complexity.SEVERAL if goals > 1 else Complexity.SINGLE
