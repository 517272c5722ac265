"""Goals that the library does not answer, read in its own writing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from shisho.domain.inquiry import Goal, Strategy
from shisho.language.vocabulary import read_vocabulary
from shisho.librarian.spelling import respell
from shisho.librarian.strategy import strategy

_vocabulary = lru_cache(maxsize=1)(read_vocabulary)  # the next question is mostly put to the same library


def respell_strategy(aim: Strategy, open_goals: Sequence[Goal], texts: Sequence[str]) -> Strategy:
    """The strategy of the question as these texts would write it; the same where nothing in them is nearer.
    Goals that are answered stay what they are; where none is, the question may fall into other parts."""
    vocabulary = _vocabulary(tuple(texts))
    question = respell(aim.question, vocabulary)
    if not question:
        return aim
    if len(open_goals) == len(aim.goals) and aim == strategy(aim.question):
        return strategy(question)
    respelt = {goal.id: respell(goal.question, vocabulary) for goal in open_goals}
    goals = tuple(replace(goal, question=respelt.get(goal.id) or goal.question) for goal in aim.goals)
    return replace(aim, question=question, goals=goals)
