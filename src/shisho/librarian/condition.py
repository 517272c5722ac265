"""The condition that ends a search: goal ids, `and`, `or`, parentheses, `at_least(n, G1, G2, …)`.

There is no `not`: it would be true before any search. `and` binds tighter than `or`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from shisho.messages.message import Message

MAX_CHARS = 2_000
MAX_DEPTH = 20
_TOKEN = re.compile(r"\s*(?:([(),])|(\w+))")
_WORDS = frozenset({"and", "or", "at_least"})


class ConditionUnreadable(ValueError):
    """Why a condition cannot be read: a Message, fit to be shown."""


@dataclass(frozen=True, slots=True)
class GoalMet:
    """True when this goal is met."""

    goal_id: str


@dataclass(frozen=True, slots=True)
class AtLeast:
    """True when `n` of `parts` are true: `and` asks for all of them, `or` for one, `at_least` for n."""

    n: int
    parts: tuple[Expression, ...]


Expression = GoalMet | AtLeast


def read(text: str, goal_ids: Sequence[str]) -> tuple[Expression, str]:
    """The condition, and what was wrong with it: an unreadable one becomes the conjunction of all goals, told
    in words."""
    try:
        return parse(text, goal_ids), ""
    except ConditionUnreadable as error:
        every = AtLeast(len(goal_ids), tuple(GoalMet(goal_id) for goal_id in goal_ids))
        return every, Message("condition not understood ({why}): all goals are asked for", why=error.args[0])


def holds(expression: Expression, met_words: Collection[str]) -> bool:
    """True where the goals in `met_words` alone fulfil the condition."""
    if isinstance(expression, GoalMet):
        return expression.goal_id in met_words
    return sum(holds(part, met_words) for part in expression.parts) >= expression.n


def parse(text: str, goal_ids: Collection[str]) -> Expression:
    """Read a condition over these goals. Raises Unreadable."""
    if len(text) > MAX_CHARS:
        raise ConditionUnreadable(Message("longer than {limit} characters", limit=MAX_CHARS))
    parser = _Parser(
        _tokens(unicodedata.normalize("NFKC", text)),
        {goal_id.casefold(): goal_id for goal_id in goal_ids},
    )
    expression = parser.parse_either(0)
    if parser.ahead:
        raise ConditionUnreadable(Message("{word!r} is not expected there", word=parser.ahead))
    return expression


def _tokens(text: str) -> list[str]:
    found_words: list[str] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ConditionUnreadable(
                Message("{word!r} is no part of a condition", word=text[at:].strip()[:1])
            )
        found_words.append(match[1] or match[2])
        at = match.end()
    return found_words


class _Parser:
    """Recursive descent, one method per level of the grammar."""

    def __init__(self, tokens: list[str], goals: dict[str, str]) -> None:
        self._tokens = tokens
        self._goals = goals
        self._at = 0

    @property
    def ahead(self) -> str:
        """The next token as written; empty at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def parse_either(self, depth: int) -> Expression:
        parts = [self._both(depth)]
        while self._took("or"):
            parts.append(self._both(depth))
        return parts[0] if len(parts) == 1 else AtLeast(1, tuple(parts))

    def _both(self, depth: int) -> Expression:
        parts = [self._one(depth)]
        while self._took("and"):
            parts.append(self._one(depth))
        return parts[0] if len(parts) == 1 else AtLeast(len(parts), tuple(parts))

    def _one(self, depth: int) -> Expression:
        if depth >= MAX_DEPTH:
            raise ConditionUnreadable(Message("nested deeper than {limit}", limit=MAX_DEPTH))
        if self._took("("):
            inner = self.parse_either(depth + 1)
            self._expect(")")
            return inner
        return self._at_least() if self._took("at_least") else self._goal()

    def _at_least(self) -> Expression:
        self._expect("(")
        count = self._next()
        parts: list[Expression] = []
        while self._took(","):
            parts.append(self._goal())
        self._expect(")")
        if not (count.isascii() and count.isdigit() and 1 <= int(count) <= len(set(parts))):
            raise ConditionUnreadable(
                Message("at_least({count}, …) asks for a number from 1 to that of its goals", count=count)
            )
        return AtLeast(int(count), tuple(dict.fromkeys(parts)))

    def _goal(self) -> GoalMet:
        word = self._next()
        if word.casefold() in _WORDS or word.casefold() not in self._goals:
            raise ConditionUnreadable(
                Message("there is no goal {goal}", goal=word) if word else Message("it breaks off")
            )
        return GoalMet(self._goals[word.casefold()])

    def _took(self, token: str) -> bool:
        if self.ahead.casefold() != token:
            return False
        self._at += 1
        return True

    def _next(self) -> str:
        token = self.ahead
        self._at += 1
        return token

    def _expect(self, token: str) -> None:
        if not self._took(token):
            raise ConditionUnreadable(
                Message(
                    "{token!r} is missing before {ahead}",
                    token=token,
                    ahead=self.ahead or Message("its end"),
                )
            )
