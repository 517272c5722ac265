"""The condition that ends a search.

It consists of goal ids, `and`, `or`, `not`, parentheses, `at_least(n, G1, G2, …)`.

`&&`, `∧`, `||`, `∨`, `!` and `¬` are accepted too. `not` binds tighter than `and`, `and` tighter than `or`. A
condition has three values, like a goal: fulfilled, definitely unfulfilled, or open. `not` is only true of a
goal whose search has ended without evidence, so that no condition is true before a search.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import partial

from shisho.errors import InvalidParams
from shisho.messages import Message
from shisho.records import dataclass

MAX_CHARS = 2_000
MAX_DEPTH = 20
RESERVED_WORDS = frozenset({"and", "or", "not", "at_least"})
_SIGNS = {"&&": "and", "∧": "and", "||": "or", "∨": "or", "!": "not", "¬": "not"}
_KINDS = RESERVED_WORDS | set("(),")
_LETTER = r"[^\s(),&|∧∨!¬]"
_TOKEN = rf"&&|\|\||[(),&|∧∨!¬]|{_LETTER}+"


@dataclass(frozen=True, slots=True)
class GoalMet:
    """True if this goal is fulfilled, false if its search has ended without evidence."""

    goal_id: str


@dataclass(frozen=True, slots=True)
class Not:
    """True if `part` is false."""

    part: Expression


@dataclass(frozen=True, slots=True)
class AtLeast:
    """True if `n` of `parts` are true: `and` requires all of them, `or` one, `at_least` n."""

    n: int
    parts: tuple[Expression, ...]


Expression = GoalMet | Not | AtLeast


def holds(expression: Expression, met_ids: Collection[str], absent_ids: Collection[str] = ()) -> bool:
    """Return whether the condition is true.

    `absent_ids`: goals whose search has ended without evidence.
    """
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
    """Return the common form of different spellings of a goal id."""
    return _fold(goal_id.strip())


def parse(text: str, goal_ids: Collection[str]) -> Expression:
    """Parse a condition over these goals, whose ids may have any form.

    Raises:
        InvalidParams: `details` has `position`, the character of the mistake, from 1.
    """
    if len(text) > MAX_CHARS:
        raise _refuse(Message("queue.query_too_long", limit=MAX_CHARS), MAX_CHARS + 1, text)
    parser = _Parser(text, {fold_id(goal_id): goal_id for goal_id in goal_ids})
    expression = parser.parse()
    if parser.kind:
        raise parser.describe_fault(Message("condition.unexpected", word=parser.word))
    return expression


def _refuse(why: Message, position: int, text: str) -> InvalidParams:
    return InvalidParams(
        "condition.unreadable",
        position=position,
        why=why,
        condition=text[:MAX_CHARS],
    )


def _fold(text: str) -> str:
    """Fold the text character by character, so that offsets are unchanged."""
    forms = ((char, unicodedata.normalize("NFKC", char).casefold()) for char in text)
    return "".join(form if len(form) == 1 else char for char, form in forms)


class _Parser:
    """A recursive descent parser. `goals`: ids by their folded form."""

    def __init__(self, text: str, goals: dict[str, str]) -> None:
        self._text = text
        self._goals = goals
        names = "|".join(map(re.escape, sorted(filter(None, goals), key=len, reverse=True)))
        # `G1` must not match the start of `G1-b`.
        pattern = rf"(?P<goal>{names or '(?!)'})(?!{_LETTER})|{_TOKEN}"
        self._tokens = list(re.finditer(pattern, _fold(text)))
        self._at = 0

    @property
    def kind(self) -> str:
        """Return an operator or a sign, "goal" for any other word, and "" at the end."""
        if self._at == len(self._tokens):
            return ""
        token = self._tokens[self._at]
        kind = _SIGNS.get(token[0], token[0])
        return kind if kind in _KINDS and not token["goal"] else "goal"

    @property
    def word(self) -> str:
        """Return the next token as written."""
        return self._text[slice(*self._tokens[self._at].span())] if self.kind else ""

    def describe_fault(self, why: Message, place: int | None = None) -> InvalidParams:
        """Return the error at a token, by default the next one."""
        place = self._at if place is None else place
        is_end = place >= len(self._tokens)
        return _refuse(
            why, (len(self._text.rstrip()) if is_end else self._tokens[place].start()) + 1, self._text
        )

    def parse(self, depth: int = 0, operator: str = "or") -> Expression:
        """Parse the operands of an operator."""
        parse_part = (
            partial(self.parse, depth, "and") if operator == "or" else partial(self._parse_term, depth)
        )
        parts = [parse_part()]
        while self._accept(operator):
            parts.append(parse_part())
        return parts[0] if len(parts) == 1 else AtLeast(1 if operator == "or" else len(parts), tuple(parts))

    def _parse_term(self, depth: int) -> Expression:
        if depth >= MAX_DEPTH:
            raise self.describe_fault(Message("condition.too_deep", limit=MAX_DEPTH))
        if self._accept("not"):
            return Not(self._parse_term(depth + 1))
        if self._accept("("):
            inner = self.parse(depth + 1)
            self._expect(")")
            return inner
        return self._parse_at_least() if self._accept("at_least") else self._parse_goal()

    def _parse_at_least(self) -> Expression:
        self._expect("(")
        place, count = self._at, self.word
        number = _fold(count)
        self._at += bool(count)
        parts: list[Expression] = []
        while self._accept(","):
            parts.append(self._parse_goal())
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= len(set(parts))):
            why = Message("condition.bad_count", count=count)
            raise self.describe_fault(why, place)
        self._expect(")")
        return AtLeast(int(number), tuple(dict.fromkeys(parts)))

    def _parse_goal(self) -> GoalMet:
        if not self.kind:
            raise self.describe_fault(Message("condition.goal_missing"))
        if self.kind != "goal":
            raise self.describe_fault(Message("condition.unexpected", word=self.word))
        name = self._tokens[self._at]["goal"]
        if not name:
            raise self.describe_fault(Message("finding.unknown_goal", goal=self.word))
        self._at += 1
        return GoalMet(self._goals[name])

    def _accept(self, kind: str) -> bool:
        self._at += (found := self.kind == kind)
        return found

    def _expect(self, kind: str) -> None:
        if not self._accept(kind):
            ahead = self.word or Message("condition.end")
            raise self.describe_fault(Message("condition.token_missing", token=kind, ahead=ahead))
