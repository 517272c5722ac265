"""Build a few keyword queries for the web from open goals."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import Protocol

from shisho.domain.inquiry import Goal, WebQuery, WebResult
from shisho.language.keywords import Keyword, keywords
from shisho.language.script import answer_language
from shisho.language.terms import fold
from shisho.librarian.selection.definitions import find_defined_thing

RESULTS = 5  # pages wanted for one query
# keywords
LONGEST = 12
SHORTER = 5
MOST_CHARS = 200
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
    queries = [_asked(goal, before) for goal in goals]
    most = max(pages // (1 + RESULTS), min(1, pages // 2))
    in_turn = (query for query in chain(*zip_longest(*queries)) if query is not None)
    return tuple({(query.text, query.language): query for query in reversed([*in_turn])}.values())[::-1][
        :most
    ]


def _asked(goal: Goal, before: WebResult | None) -> list[WebQuery]:
    if before is None:
        return [WebQuery(goal.id, text, answer_language(goal.question)) for text in _texts(goal)]
    tried = tuple(dict.fromkeys(engine for goal_id, engine in before.engines if goal_id == goal.id))
    texts = _texts(goal)[:1] if before.times == 1 else [_name(goal)]
    return [WebQuery(goal.id, text, answer_language(goal.question), tried) for text in texts if text]


def _name(goal: Goal) -> str:
    """Return the longest noun: usually the topic of the goal without its question."""
    nouns = [word for word in keywords(goal.question) if word.noun and not word.text.isdecimal()]
    return _text(sorted(nouns, key=lambda word: -len(word.text))[:1])


def _texts(goal: Goal) -> list[str]:
    """Return all keywords; then fewer of them, or words that select definitions."""
    words = keywords(goal.question)
    if not words:
        return [goal.question[:MOST_CHARS]]
    nouns = [word for word in words if word.noun and not word.text.isdecimal()][:SHORTER]
    texts = [_text(words[:LONGEST]), _text(nouns)]
    if find_defined_thing(fold(goal.question)) and words == nouns:
        texts.insert(1, f"{texts[0]} {_DEFINING[answer_language(goal.question)]}")
    return [*dict.fromkeys(text for text in texts if text)][:2]


def _text(words: Sequence[Keyword]) -> str:
    return " ".join(_fitting(f'"{word.text}"' if word.quoted else word.text for word in words))


def _fitting(texts: Iterator[str]) -> Iterator[str]:
    remaining = MOST_CHARS
    for text in texts:
        remaining -= len(text) + 1
        if remaining < 0:
            return
        yield text
