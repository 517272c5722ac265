"""The condition that ends a search: goal ids, `and`, `or`, `not`, parentheses, `at_least(n, G1, G2, …)`.

`&&`, `∧`, `||`, `∨`, `!` and `¬` are read too. `not` binds tighter than `and`, `and` tighter than `or`. A
condition has three values, as a goal has three states: met, unmet for good, or still open. `not` is true only
of a goal whose search has ended without evidence, so that no condition holds before a search.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from shisho.errors import InvalidParams
from shisho.messages.message import Message

MAX_CHARS = 2_000
MAX_DEPTH = 20
_SIGNS = {
    "&&": "and",
    "∧": "and",
    "||": "or",
    "∨": "or",
    "!": "not",
    "¬": "not",
    "(": "(",
    ")": ")",
    ",": ",",
}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))
_WORD = re.compile(r"[^\s(),&|∧∨!¬]+|[&|]")
RESERVED_WORDS = frozenset({"and", "or", "not", "at_least"})


@dataclass(frozen=True, slots=True)
class GoalMet:
    """True if this goal is met, false if the search for it has ended without evidence."""

    goal_id: str


@dataclass(frozen=True, slots=True)
class Not:
    """True if `part` is false."""

    part: Expression


@dataclass(frozen=True, slots=True)
class AtLeast:
    """True if `n` of `parts` are true: `and` asks for all of them, `or` for one, `at_least` for n."""

    n: int
    parts: tuple[Expression, ...]


Expression = GoalMet | Not | AtLeast


def holds(expression: Expression, met_ids: Collection[str], absent_ids: Collection[str] = ()) -> bool:
    """Return whether the condition is true. `absent_ids`: goals whose search has ended without evidence."""
    return _evaluate(expression, met_ids, absent_ids) is True


def _evaluate(expression: Expression, met_ids: Collection[str], absent_ids: Collection[str]) -> bool | None:
    if isinstance(expression, GoalMet):
        return True if expression.goal_id in met_ids else False if expression.goal_id in absent_ids else None
    if isinstance(expression, Not):
        value = _evaluate(expression.part, met_ids, absent_ids)
        return None if value is None else not value
    values = [_evaluate(part, met_ids, absent_ids) for part in expression.parts]
    if values.count(True) >= expression.n:
        return True
    return None if len(values) - values.count(False) >= expression.n else False


def fold_id(goal_id: str) -> str:
    """Return the form that two spellings of one goal id share."""
    return _fold(goal_id.strip())[0]


def parse(text: str, goal_ids: Collection[str]) -> Expression:
    """Read a condition over these goals, whose ids may have any form.

    Raises:
        InvalidParams: `details` has `position`, the character of the fault, from 1.
    """
    if len(text) > MAX_CHARS:
        raise _unreadable(Message("longer than {limit} characters", limit=MAX_CHARS), MAX_CHARS + 1, text)
    parser = _Parser(text, {fold_id(goal_id): goal_id for goal_id in goal_ids})
    expression = parser.parse_either(0)
    if parser.ahead.kind != _END:
        raise parser.describe_fault(Message("{word!r} is not expected there", word=parser.ahead.text))
    return expression


def _unreadable(why: Message, position: int, text: str) -> InvalidParams:
    return InvalidParams(
        "The condition can't be read at character {position}: {why}. Write goal ids with and, or, not, "
        "parentheses and at_least(n, …).",
        position=position,
        why=why,
        condition=text[:MAX_CHARS],
    )


_END = "end"
_GOAL = "goal"


@dataclass(frozen=True, slots=True)
class _Token:
    """`kind`: an operator, a sign, "goal" or "end"; `goal_id` is empty for a word that names no goal."""

    kind: str
    text: str
    at: int
    goal_id: str = ""


def _fold(text: str) -> tuple[str, list[int]]:
    """The text with one form for each character, and where each character of it stood."""
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for part in unicodedata.normalize("NFKC", character).casefold():
            folded.append(part)
            places.append(place)
    return "".join(folded), [*places, len(text)]


def _tokens(text: str, goals: dict[str, str]) -> list[_Token]:
    folded, places = _fold(text)
    ids = sorted(filter(None, goals), key=len, reverse=True)
    tokens: list[_Token] = []
    at = 0
    while (at := len(folded) - len(folded[at:].lstrip())) < len(folded):
        name = next(
            (name for name in ids if folded.startswith(name, at) and _ends(folded, at + len(name))), ""
        )
        sign = _SIGN.match(folded, at)
        if name:
            end, kind = at + len(name), _GOAL
        elif sign is not None:
            end, kind = sign.end(), _SIGNS[sign[0]]
        else:
            word = _WORD.match(folded, at)
            end = word.end() if word else at + 1
            kind = folded[at:end] if folded[at:end] in RESERVED_WORDS else _GOAL
        word_text = text[places[at] : places[end]]
        tokens.append(_Token(kind, word_text, places[at] + 1, goals.get(name, "")))
        at = end
    return [*tokens, _Token(_END, "", len(text.rstrip()) + 1)]


def _ends(folded: str, at: int) -> bool:
    """True if a goal id may end here: `G1` is no part of `G1-b`."""
    return at == len(folded) or _WORD.match(folded, at) is None or folded[at] in "&|"


class _Parser:
    """Recursive descent, one method for each level of the grammar."""

    def __init__(self, text: str, goals: dict[str, str]) -> None:
        self._text = text
        self._tokens = _tokens(text, goals)
        self._at = 0

    @property
    def ahead(self) -> _Token:
        """The next token."""
        return self._tokens[self._at]

    def describe_fault(self, why: Message) -> InvalidParams:
        """Return the error at the next token."""
        return _unreadable(why, self.ahead.at, self._text)

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
            raise self.describe_fault(Message("nested deeper than {limit}", limit=MAX_DEPTH))
        if self._took("not"):
            return Not(self._one(depth + 1))
        if self._took("("):
            inner = self.parse_either(depth + 1)
            self._expect(")")
            return inner
        return self._at_least() if self._took("at_least") else self._goal()

    def _at_least(self) -> Expression:
        self._expect("(")
        count = self.ahead
        number = _fold(count.text)[0]
        self._at += count.kind != _END
        parts: list[Expression] = []
        while self._took(","):
            parts.append(self._goal())
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= len(set(parts))):
            why = Message(
                "at_least({count}, …) asks for a number from 1 to that of its goals", count=count.text
            )
            raise _unreadable(why, count.at, self._text)
        self._expect(")")
        return AtLeast(int(number), tuple(dict.fromkeys(parts)))

    def _goal(self) -> GoalMet:
        token = self.ahead
        if token.kind == _END:
            raise self.describe_fault(Message("a goal is missing at the end"))
        if token.kind != _GOAL:
            raise self.describe_fault(Message("{word!r} is not expected there", word=token.text))
        if not token.goal_id:
            raise self.describe_fault(Message("there is no goal {goal}", goal=token.text))
        self._at += 1
        return GoalMet(token.goal_id)

    def _took(self, kind: str) -> bool:
        if self.ahead.kind != kind:
            return False
        self._at += 1
        return True

    def _expect(self, kind: str) -> None:
        if not self._took(kind):
            ahead = self.ahead.text or Message("its end")
            raise self.describe_fault(Message("{token!r} is missing before {ahead}", token=kind, ahead=ahead))
