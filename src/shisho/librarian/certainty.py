"""How sure it is that what would be quoted answers the question, where no model reads it. Pure.

Which line is the best of those shown says nothing of this: something is always best. The same threshold holds
for an encyclopaedia, rules, reports and slides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from shisho.domain.corpus import NumberedPassage
from shisho.librarian.questions import AnswerKind, ParsedQuestion
from shisho.librarian.signs import PassageSigns, Signs, figures_missing, measure_meant_share


class CertaintySigns(NamedTuple):
    """The signs of what is quoted. Shares are of the words that are asked for, otherwise as in `Signs`."""

    titled: float  # share in the best line's passage, its heading and its document's title
    covered: float  # share in all quotations
    odds: float  # the logarithm of the odds by which the best line was chosen
    match: float  # what its passage matched of the query: of the odds, what only says that it was found
    kind: float
    formless_quoted: float
    figures: float  # a number or date of the question is not in the passage
    numberless: float
    off_topic: float  # less than half of the defined thing's words stand by the line
    words: float  # logarithm of the number of the question's words: of many, fewer need to be met
    reason: float  # a reason is asked for
    definition: float  # a meaning is asked for
    quotations: float  # how many lines are nearly as likely as the best


WEIGHTS = CertaintySigns(
    titled=1.89,
    covered=1.12,
    odds=0.33,
    match=-1.24,
    kind=0.42,
    formless_quoted=-2.55,
    figures=-1.3,
    numberless=-3.99,
    off_topic=-1.2,
    words=0.92,
    reason=2.66,
    definition=1.13,
    quotations=-0.12,
)
FLOOR = 7.17


def weigh_asked_terms(question: ParsedQuestion, weights: Mapping[str, float]) -> dict[str, float]:
    """The weights of the words that are asked for, summing to 1: without those that only say where to look,
    and without the unit of 「何メートル」, as the form sees that 「2.31 m」 has it."""
    seen = question.frame | ({question.unit} if question.form else set())
    raw = {term: weight for term, weight in weights.items() if term not in seen} or weights
    total = sum(raw.values())
    return {term: weight / total if total else 1 / len(raw) for term, weight in raw.items()}


def certainty_signs(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    shared: PassageSigns,
    signs: Signs,
    passage: NumberedPassage,
    *,
    odds: float,
    covered: float,
    off_topic: bool,
    quotations: int,
) -> CertaintySigns:
    """The signs of the best line, and of all that is quoted beside it. `weights`: those of
    `weigh_asked_terms`."""
    return CertaintySigns(
        titled=measure_meant_share(weights, shared.alike, shared.page.terms | shared.titled),
        covered=covered,
        odds=odds,
        match=signs.match,
        kind=signs.kind,
        formless_quoted=signs.formless_quoted,
        figures=float(figures_missing(question, passage)),
        numberless=signs.numberless,
        off_topic=float(off_topic),
        words=math.log(max(1, len(question.terms))),
        reason=float(question.kind is AnswerKind.REASON),
        definition=float(question.kind is AnswerKind.DEFINITION),
        quotations=float(quotations),
    )


def certainty(signs: CertaintySigns) -> float:
    """The probability that what is quoted answers."""
    total = sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True)) - FLOOR
    return 1 / (1 + math.exp(-total))
