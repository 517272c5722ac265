"""Plan the queries of a round, and those of the web for open goals.

A round asks first all goals together, then each open goal alone (docs/adr/0040).
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Protocol

from shisho.domain.corpus import Condition
from shisho.domain.inquiry import Goal, Plan, Strategy, WebQuery, WebResult
from shisho.language.asking import strip_asking
from shisho.language.keywords import Keyword, find_keywords
from shisho.language.meanings import has_synonyms
from shisho.language.script import answer_language
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


RESULTS = 5  # pages wanted for one query
# keywords
LONGEST = 12
SHORTER = 5
MAX_CHARS = 200
_DEFINING = {"ja": "とは", "en": "definition"}


class AskWeb(Protocol):
    """A function that runs a web search."""

    def __call__(self, queries: Sequence[WebQuery], pages: int, seconds: float) -> Awaitable[WebResult]:
        """Wait for the results of the queries, up to a time limit and a page limit.

        A run that cannot wait here is interrupted by an exception that passes through the loop; the next run
        continues at this place.
        """


def web_queries(goals: Sequence[Goal], pages: int, before: WebResult | None = None) -> tuple[WebQuery, ...]:
    """Return at most two queries for each goal, all first ones before the second ones.

    Their number is limited by the pages. After an earlier search `before`: the same words for other engines,
    then other words.
    """
    queries = [_build_web_queries(goal, before) for goal in goals]
    most = max(pages // (1 + RESULTS), min(1, pages // 2))
    in_turn = (query for query in chain(*zip_longest(*queries)) if query is not None)
    return tuple({(query.text, query.language): query for query in reversed([*in_turn])}.values())[::-1][
        :most
    ]


def _build_web_queries(goal: Goal, before: WebResult | None) -> list[WebQuery]:
    if before is None:
        return [WebQuery(goal.id, text, answer_language(goal.question)) for text in _list_queries(goal)]
    tried = tuple(dict.fromkeys(engine for goal_id, engine in before.engines if goal_id == goal.id))
    texts = _list_queries(goal)[:1] if before.times == 1 else [_find_longest_noun(goal)]
    return [WebQuery(goal.id, text, answer_language(goal.question), tried) for text in texts if text]


def _find_longest_noun(goal: Goal) -> str:
    """Return the longest noun: usually the topic of the goal without its question."""
    nouns = [word for word in find_keywords(goal.question) if word.noun and not word.text.isdecimal()]
    return _join_words(sorted(nouns, key=lambda word: -len(word.text))[:1])


def _list_queries(goal: Goal) -> list[str]:
    """Return up to two queries: all keywords; then only nouns, or keywords with "definition"."""
    words = find_keywords(goal.question)
    if not words:
        return [goal.question[:MAX_CHARS]]
    nouns = [word for word in words if word.noun and not word.text.isdecimal()][:SHORTER]
    texts = [_join_words(words[:LONGEST]), _join_words(nouns)]
    if find_defined_thing(fold(goal.question)) and words == nouns:
        texts.insert(1, f"{texts[0]} {_DEFINING[answer_language(goal.question)]}")
    return [*dict.fromkeys(text for text in texts if text)][:2]


def _join_words(words: Sequence[Keyword]) -> str:
    return " ".join(_take_fitting(f'"{word.text}"' if word.quoted else word.text for word in words))


def _take_fitting(texts: Iterator[str]) -> Iterator[str]:
    remaining = MAX_CHARS
    for text in texts:
        remaining -= len(text) + 1
        if remaining < 0:
            return
        yield text
