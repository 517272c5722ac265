"""Search the web for goals that the documents leave open.

Each further search asks another engine, then uses other words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Protocol

from shisho.domain.inquiry import Gap, Goal, LoopStop, UnsearchedQuery, WebPolicy, WebQuery, WebResult
from shisho.domain.loop_state import LoopState
from shisho.language import answer_language
from shisho.language.keywords import Keyword, find_keywords
from shisho.language.terms import fold
from shisho.librarian.route import SEARCHED_OUT
from shisho.librarian.selection.question import find_defined_thing
from shisho.records import dataclass

RESULTS = 5  # pages wanted for one query
LONGEST = 12  # keywords
SHORTER = 5  # keywords
MAX_CHARS = 200  # of a query
_DEFINING = {"ja": "とは", "en": "definition"}
WEB_TIMES = 3  # searches for a goal: at one engine, at another, then with other words


class AskWeb(Protocol):
    """A function that runs a web search."""

    def __call__(self, queries: Sequence[WebQuery], pages: int, seconds: float) -> Awaitable[WebResult]:
        """Wait for the results of the queries, up to a time limit and a page limit.

        A run that cannot wait here is interrupted by an exception that passes through the loop; the next run
        continues at this place.
        """


@dataclass(frozen=True, slots=True)
class WebFallback:
    """The web search of one run.

    `ask_web`: None if the web can't be searched, for the reason `barred`.
    """

    ask_web: AskWeb | None = None
    barred: Gap = Gap.NO_WAY

    async def search(
        self, goals: Sequence[Goal], pages: int, seconds: float, before: WebResult | None
    ) -> WebResult:
        """Search for these goals, and return the result together with that of the searches before."""
        queries = await asyncio.to_thread(build_web_queries, goals, pages, before)
        if self.ask_web is None:
            texts = [query.text for query in queries] if self.barred is Gap.NOT_ASKED else []
            unsearched = tuple(UnsearchedQuery(self.barred, text) for text in texts or [""])
            return _add_results(before, WebResult(unsearched=unsearched))
        if not queries and before is None:
            return WebResult(unsearched=(UnsearchedQuery(Gap.BUDGET),))
        result = await self.ask_web(queries, pages, seconds) if queries else WebResult()
        return _add_results(before, result)


def leads_to_web(state: LoopState, stop: LoopStop) -> bool:
    """Return whether the web is searched, or searched again, after the loop stopped for this reason."""
    if "reached" not in state:
        return stop is not LoopStop.CONDITION_MET and state["web_policy"] is WebPolicy.LAST
    web_result = state["reached"]
    return web_result.times < WEB_TIMES and bool(web_result.engines) and stop in SEARCHED_OUT


def _add_results(before: WebResult | None, now: WebResult) -> WebResult:
    """Return the result of all searches. A lack of further engines is not a gap."""
    if before is None:
        return now
    lacking = tuple(query for query in now.unsearched if query.why is not Gap.FAILED)
    return replace(
        now,
        unsearched=tuple(dict.fromkeys((*before.unsearched, *lacking))),
        engines=(*before.engines, *now.engines),
        times=before.times + 1,
    )


def build_web_queries(
    goals: Sequence[Goal], pages: int, before: WebResult | None = None
) -> tuple[WebQuery, ...]:
    """Return at most two queries for each goal, all first ones before the second ones.

    Their number is limited by the pages. After an earlier search `before`: the same words for other engines,
    then other words.
    """
    queries = [_build_goal_queries(goal, before) for goal in goals]
    most = max(pages // (1 + RESULTS), min(1, pages // 2))
    in_turn = (query for query in chain(*zip_longest(*queries)) if query is not None)
    return tuple({(query.text, query.language): query for query in reversed([*in_turn])}.values())[::-1][
        :most
    ]


def _build_goal_queries(goal: Goal, before: WebResult | None) -> list[WebQuery]:
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
