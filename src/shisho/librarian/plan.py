"""Plan the queries of a round, and those of the web for open goals.

A round asks first all goals together, then each open goal alone (docs/adr/0040).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.corpus import Condition
from shisho.domain.inquiry import Goal, Plan, Strategy
from shisho.language.asking import strip_asking
from shisho.language.meanings import has_synonyms
from shisho.language.terms import fold
from shisho.librarian.selection.question import find_defined_thing
from shisho.librarian.splitting import JOINT


def plan(strategy: Strategy, goals: Sequence[Goal], plans: Sequence[Plan]) -> Plan:
    """Return the request of round `len(plans) + 1` for these open goals, the focused one first.

    No pair of query and filter is repeated: the plan is empty if nothing new is left.
    """
    filters = _carry_filters(plans)
    earlier_keys = {
        _make_key(earlier.keyword_query, earlier.filter_conditions, earlier.with_synonyms)
        for earlier in plans
    }
    for asked_goals in [[goal] for goal in goals] if plans else [goals]:
        query = tuple(dict.fromkeys(_strip_asking(goal.question) for goal in asked_goals))
        if _make_key(query, filters, False) not in earlier_keys:
            is_part = bool(plans or strategy.sections)
            meant = asked_goals[0].question if is_part else strategy.question
            ids = ", ".join(goal.id for goal in asked_goals)
            return Plan(strategy.question, query, meant, f"{ids}: its own words", filters)
    query = _build_definition_query(strategy) if plans and goals else ()
    if query and _make_key(query, filters, False) not in earlier_keys:
        return Plan(strategy.question, query, strategy.question, f"{goals[0].id}: its definition", filters)
    for goal in goals if plans else ():
        query = (_strip_asking(goal.question),)
        if has_synonyms(query) and _make_key(query, filters, True) not in earlier_keys:
            why = f"{goal.id}: what means the same as its words"
            return Plan(strategy.question, query, goal.question, why, filters, with_synonyms=True)
    return Plan(strategy.question, (), "", "nothing left to ask that was not asked", filters)


def _build_definition_query(strategy: Strategy) -> tuple[str, ...]:
    """Return a query for a definition, if that is the only goal."""
    thing = find_defined_thing(fold(strategy.goals[0].question))
    return () if len(strategy.goals) > 1 or not thing else (f"{thing} 定義",)


def _strip_asking(question: str) -> str:
    """Return the search words of a question and of those that it refers back to."""
    return " ".join(map(strip_asking, question.split(JOINT)))


def _carry_filters(plans: Sequence[Plan]) -> Mapping[str, Condition]:
    """Return the filters of the last plan, which apply for two rounds.

    The user's filters are in the scope and never dropped.
    """
    return plans[-1].filter_conditions if len(plans) == 1 else {}


def _make_key(
    query: Sequence[str], filters: Mapping[str, Condition], with_synonyms: bool
) -> tuple[frozenset[str], str, bool]:
    return frozenset(fold(word) for word in query), repr(sorted(filters.items())), with_synonyms
