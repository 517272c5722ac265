"""Whether two quotations about the same thing disagree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from shisho.language.clauses import clauses
from shisho.language.names import names
from shisho.language.numbers import Date, Measure, figures
from shisho.language.polarity import negated
from shisho.language.sentences import sentences
from shisho.language.terms import fold, terms

SAME_MATTER = 0.5  # share of the shorter's terms that two quotations share when they speak of one thing
SAME_CLAUSE = 0.6  # share of a clause's terms in another, from which their polarity must agree

_SUBJECT = re.compile(r"([^、。はが\s]{1,30})[はが](?=[^、。はが]{0,30}\d)")


def contradiction(one: str, other: str) -> str:
    """What two quotations about the same thing disagree in: `date`, `number`, `negation`, or nothing."""
    a, b = _matter(one), _matter(other)
    if set(names(one)) != set(names(other)):  # two temples were founded in two years
        return ""
    if not a & b or len(a & b) < SAME_MATTER * min(len(a), len(b)):
        return ""
    measured, other_measured = _measured(one), _measured(other)
    if measured and other_measured and not measured & b and not other_measured & a:  # a lake's depth and its height
        return ""
    mine, theirs = figures(one), figures(other)
    if mine.dates and theirs.dates and not _any_agree(mine.dates, theirs.dates):
        return "date"
    if _units_clash(mine.measures, theirs.measures):
        return "number"
    return "" if _polarity_agrees(one, [other]) and _polarity_agrees(other, [one]) else "negation"


def _polarity_agrees(sentence: str, quotations: Iterable[str]) -> bool:
    """Each clause is negated as the quoted clause nearest to it; where none is near, a negation must be quoted at all."""
    quoted = [clause for quotation in quotations for clause in _clauses(quotation)]
    for words, denied in _clauses(sentence):
        near = max(quoted, key=lambda clause: len(words & clause[0]), default=None)
        if near is not None and words and len(words & near[0]) >= SAME_CLAUSE * len(words):
            alike = [no for said, no in quoted if len(words & said) == len(words & near[0])]
            if denied not in alike:
                return False
        elif denied and not any(no for _, no in quoted):
            return False
    return True


def _clauses(text: str) -> list[tuple[frozenset[str], bool]]:
    parts = (text[a:b] for start, end in sentences(text) for a, b in clauses(text, start, end))
    return [(frozenset(terms(fold(part))), negated(part)) for part in parts]


def _matter(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(fold(text)) if not re.search(r"\d", term))


def _measured(text: str) -> frozenset[str]:
    """What the text's figures are figures of: 最大水深は45メートル."""
    subjects = (terms(found[1]) for found in _SUBJECT.finditer(fold(text)))
    return frozenset(said[-1] for said in subjects if said)


def _any_agree(mine: Sequence[Date], theirs: Sequence[Date]) -> bool:
    return any(a.says(b) or b.says(a) for a in mine for b in theirs)


def _units_clash(mine: Sequence[Measure], theirs: Sequence[Measure]) -> bool:
    """Both give amounts in one unit, and none of them is the same."""
    units: dict[str, set[Decimal]] = {}
    for measure in mine:
        units.setdefault(measure.unit, set()).add(measure.value)
    others = {unit: {measure.value for measure in theirs if measure.unit == unit} for unit in units}
    return any(others[unit] and not values & others[unit] for unit, values in units.items())
