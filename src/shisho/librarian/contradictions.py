"""Tell whether two quotations disagree: only where subject, scope, unit and time agree and both are
definite.

A contradiction that is none costs more trust than one that is missed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from itertools import product

from shisho.language.meanings import mean_same
from shisho.librarian.assertions import (
    ONCE,
    Amount,
    Assertion,
    are_of_one_time,
    assertions,
    clash,
    is_indefinite,
    names_of,
    topic_words,
)

ALIKE = 0.5  # share of the shorter assertion's words that both have, from which they speak of one thing
ALIKE_EVENTS = 0.5  # share of all words of two assertions that both have, from which they tell of one event
ALIKE_DENIED = 0.75  # the same where one denies what the other affirms
ROUGHLY = Decimal("1.5")  # two amounts that are said to be rough disagree from this ratio on
NAMED = 2  # names in common from which one that only one of them has is a detail
NAMED_TOPIC = 3  # words of a topic that is as good as a name, for what happened once
NAMELESS = 4  # words that two assertions without a name in common must share, with nothing left over


def contradiction(first: str, other: str, heading: str = "", other_heading: str = "") -> str:
    """Name the point in which two quotations about the same thing disagree: `date`, `number`,
    `negation`, or nothing. Headings say what the quotations are about. Pure; the order of the two does
    not matter."""
    if is_indefinite(first) or is_indefinite(other):
        return ""
    our_side = _Side(first, heading)
    their_side = _Side(other, other_heading)
    pairs = [
        pair for pair in product(our_side.said, their_side.said) if _of_one_thing(*pair, our_side, their_side)
    ]
    apart = {figures for pair in pairs for figures in _apart(*pair)}
    if not apart and not _share_a_day(our_side, their_side) and any(_dates_disagree(*pair) for pair in pairs):
        return "date"
    if len(apart) == 1 and any(_amounts_disagree(*pair, our_side, their_side) for pair in pairs):
        return "number"
    if not apart and any(_denials_disagree(*pair) for pair in pairs):
        return "negation"
    return ""


class _Side:
    """A quotation with all that it says and is about."""

    def __init__(self, text: str, heading: str) -> None:
        self.said = assertions(text)
        self.heading = topic_words(heading)
        self.names = names_of(text)
        self.own = frozenset(word for said_assertion in self.said for word in said_assertion.words)
        self.words = self.own | self.heading
        units = Counter(amount.unit for said_assertion in self.said for amount in set(said_assertion.amounts))
        self.lists = {unit for unit, count in units.items() if count > 1}


def _of_one_thing(a: Assertion, b: Assertion, our_side: _Side, their_side: _Side) -> bool:
    common = _in_common(a, b)
    if not common or common < ALIKE * min(len(a.words), len(b.words)) or a.ordinals_differ(b):
        return False
    left = _only_in(a, their_side)
    right = _only_in(b, our_side)
    if left & a.nouns and right & b.nouns:  # the second against the fourth, the north against the south
        return False
    if _is_about_another(a, their_side) and _is_about_another(
        b, our_side
    ):  # two towns, though a heading names both
        return False
    names = our_side.names & their_side.names
    if len(names) < NAMED and (left & our_side.names or right & their_side.names):
        return False
    if not _on_one_topic(a, b, our_side, their_side):
        return False
    if names or our_side.heading != their_side.heading:
        return bool(names) or _of_one_named_topic(a, b)
    return (
        not left
        and not right
        and (common >= NAMELESS or bool(a.topic and a.topic == b.topic and _clash_in_days(a, b)))
    )


def _of_one_named_topic(a: Assertion, b: Assertion) -> bool:
    return a.topic == b.topic and len(a.topic) >= NAMED_TOPIC and _clash_in_days(a, b)


def _only_in(said_assertion: Assertion, other: _Side) -> frozenset[str]:
    """Words that the other quotation has not; what its heading names it need not say where this one's topic
    does."""
    only = said_assertion.words - _shared(said_assertion.words, other.own)
    return only - (said_assertion.topic & _shared(said_assertion.topic, other.heading))


def _is_about_another(said_assertion: Assertion, other: _Side) -> bool:
    """True where its topic has a word that the other quotation itself has not."""
    return bool(said_assertion.topic - _shared(said_assertion.topic, other.own))


def _on_one_topic(a: Assertion, b: Assertion, our_side: _Side, their_side: _Side) -> bool:
    """Neither topic is narrowed by what the other does not say. Under two headings it is named: in a topic
    that both share, or by the other's heading."""
    if a.scope - _shared(a.scope, their_side.words) or b.scope - _shared(b.scope, our_side.words):
        return False
    if not our_side.heading or not their_side.heading or our_side.heading == their_side.heading:
        return True
    if our_side.heading <= their_side.own or their_side.heading <= our_side.own:
        return True
    return (
        bool(a.topic & b.topic & our_side.names)
        or len(a.named & b.named) >= NAMED
        or _of_one_named_topic(a, b)
    )


def _shared(words: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    other_words = tuple(others)
    return frozenset(word for word in words if any(mean_same(word, other) for other in other_words))


def _in_common(a: Assertion, b: Assertion) -> int:
    """How many words both have; one word may stand for two of the other's."""
    return min(len(_shared(a.words, b.words)), len(_shared(b.words, a.words)))


def _share_a_day(our_side: _Side, their_side: _Side) -> bool:
    pairs = product(our_side.said, their_side.said)
    return any(a.day is not None and b.day is not None and not clash(a.day, b.day) for a, b in pairs)


def _of_the_same_names(our_side: _Side, their_side: _Side) -> bool:
    return not (
        our_side.names - _shared(our_side.names, their_side.words)
        or their_side.names - _shared(their_side.names, our_side.words)
    )


def _clash_in_days(a: Assertion, b: Assertion) -> bool:
    return a.day is not None and b.day is not None and clash(a.day, b.day)


def _dates_disagree(a: Assertion, b: Assertion) -> bool:
    if not _clash_in_days(a, b):
        return False
    if _in_common(a, b) < ALIKE_EVENTS * len(a.words | b.words):
        return False
    return (
        a.sure
        and b.sure
        and a.denied == b.denied
        and bool(ONCE & (_shared(a.predicate, b.predicate) | _shared(b.predicate, a.predicate)))
    )


def _amounts_disagree(a: Assertion, b: Assertion, our_side: _Side, their_side: _Side) -> bool:
    units = {x.unit for x, _ in _apart(a, b)}
    if units & (our_side.lists | their_side.lists) and (not a.topic or a.topic != b.topic):
        return False  # which one of several is meant, only a topic can tell
    if not _apart(a, b) or not (a.sure and b.sure) or not are_of_one_time(a.dates, b.dates):
        return False
    return bool(a.dates) or (_of_the_same_names(our_side, their_side) and not (a.passing or b.passing))


def _apart(a: Assertion, b: Assertion) -> list[tuple[Amount, Amount]]:
    """Amounts of one unit that cannot both be right, where either gives only one of that unit."""
    units = [Counter(amount.unit for amount in set(said_assertion.amounts)) for said_assertion in (a, b)]
    alike = [(x, y) for x, y in product(a.amounts, b.amounts) if x.unit == y.unit]
    return [(x, y) for x, y in alike if x.disagrees(y, ROUGHLY) and all(unit[x.unit] == 1 for unit in units)]


def _denials_disagree(a: Assertion, b: Assertion) -> bool:
    if a.denied == b.denied or not (a.sure and b.sure) or not are_of_one_time(a.dates, b.dates):
        return False
    return bool(_shared(a.predicate, b.predicate)) and _in_common(a, b) >= ALIKE_DENIED * max(
        len(a.words), len(b.words)
    )
