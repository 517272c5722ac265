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
    """The signs of the best quotation. Shares as in `Signs`."""

    quoted: float
    passage: float  # share in the passage and its heading
    titled: float  # share in these and in the document's title
    triples: float
    pairs: float  # share of the question's character pairs in the passage
    kind: float
    formless_quoted: float
    figures: float  # a number or date of the question is not in the passage
    numberless: float
    nameless: float  # the rarest name of the question is neither in the passage nor in the title
    off_topic: float  # less than half of the defined thing's words stand by the line
    words: float  # logarithm of the number of the question's words: of many, fewer need to be met
    reason: float  # a reason is asked for
    definition: float  # a meaning is asked for
    quotations: float  # how many lines are nearly as likely as the best


WEIGHTS = CertaintySigns(
    quoted=1.32,
    passage=0.96,
    titled=0.96,
    triples=1.29,
    pairs=0.25,
    kind=1.01,
    formless_quoted=-2.8,
    figures=-1.24,
    numberless=-2.53,
    nameless=-0.44,
    off_topic=-1.44,
    words=0.5,
    reason=2.25,
    definition=1.02,
    quotations=-0.1,
)
FLOOR = 3.81


def certainty_signs(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    shared: PassageSigns,
    signs: Signs,
    passage: NumberedPassage,
    *,
    nameless: bool,
    off_topic: bool,
    quotations: int,
) -> CertaintySigns:
    """The signs of the best line."""
    page = shared.page
    pairs = len(question.pairs & page.pairs)
    return CertaintySigns(
        quoted=signs.quoted,
        passage=measure_meant_share(weights, shared.alike, page.terms),
        titled=measure_meant_share(weights, shared.alike, page.terms | shared.titled),
        triples=signs.triples,
        pairs=pairs / len(question.pairs) if question.pairs else signs.topic_passage,
        kind=signs.kind,
        formless_quoted=signs.formless_quoted,
        figures=float(figures_missing(question, passage)),
        numberless=signs.numberless,
        nameless=float(nameless),
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
