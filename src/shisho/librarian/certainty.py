"""How sure it is that what would be quoted answers the question, where no model reads it. Pure.

Which line is the best of those shown says nothing of this: something is always best. The same threshold holds for
an encyclopaedia, rules, reports and slides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from shisho.domain.corpus import NumberedPassage
from shisho.librarian.questions import AnswerKind, ParsedQuestion
from shisho.librarian.signs import PassageSigns, Signs, figures_missing, meant_share


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


WEIGHTS = CertaintySigns(
    quoted=1.41,
    passage=1.02,
    titled=1.02,
    triples=1.34,
    pairs=0.26,
    kind=0.85,
    formless_quoted=-2.76,
    figures=-1.13,
    numberless=-2.55,
    nameless=-0.42,
    off_topic=-1.37,
    words=0.41,
    reason=1.91,
    definition=0.78,
)
FLOOR = 4.0


def certainty_signs(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    shared: PassageSigns,
    signs: Signs,
    passage: NumberedPassage,
    *,
    nameless: bool,
    off_topic: bool,
) -> CertaintySigns:
    """The signs of the best line."""
    page = shared.page
    pairs = len(question.pairs & page.pairs)
    return CertaintySigns(
        quoted=signs.quoted,
        passage=meant_share(weights, shared.alike, page.terms),
        titled=meant_share(weights, shared.alike, page.terms | shared.titled),
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
    )


def certainty(signs: CertaintySigns) -> float:
    """The probability that what is quoted answers."""
    total = sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True)) - FLOOR
    return 1 / (1 + math.exp(-total))
