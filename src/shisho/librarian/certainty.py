"""How sure it is that what would be quoted answers the question, where no model reads it. Pure.

Which line is the best of those shown says nothing of this: something is always best. The same threshold holds
for an encyclopaedia, rules, reports and slides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from shisho.domain.corpus import NumberedPassage
from shisho.language.terms import squeeze, terms
from shisho.librarian.answer_kinds import AnswerKind
from shisho.librarian.questions import ParsedQuestion
from shisho.librarian.reading import SentenceLine
from shisho.librarian.signs import PassageSigns, Signs, figures_missing, measure_meant_share
from shisho.librarian.word_kinds import WordKind, find_word_kinds


class CertaintySigns(NamedTuple):
    """The signs of what is quoted. Shares are of the words that are asked for, otherwise as in `Signs`;
    absent words are counted."""

    titled: float  # share in the best line's passage, its heading and its document's title
    covered: float  # share in all quotations
    odds: float  # the logarithm of the odds by which the best line was chosen
    match: float  # what its passage matched of the query: of the odds, what only says that it was found
    topic_passage: float
    kind: float
    formless_quoted: float
    figures: float  # a number or date of the question is not in the passage
    numberless: float
    off_topic: float  # less than half of the defined thing's words stand by the line
    words: float  # logarithm of the number of the question's words: of many, fewer need to be met
    reason: float  # a reason is asked for
    definition: float  # a meaning is asked for
    quotations: float  # how many lines are nearly as likely as the best
    lines: float  # of the passage: a long one has more of the words by chance
    run: float  # letters of the longest run that the question and the best line have in common
    spread: float  # terms from the first to the last that the best line shares with the question
    names: float  # names of the question that no shown passage of the document has
    actions: float  # nouns of doing (放棄) that are not in the quotations
    katakana: float  # words in katakana that are not in the quotations
    verbs: float  # verbs that are not: they have synonyms, so that their share says too much
    last_noun: float  # the last noun is not: mostly what is asked for, which an answer need not repeat


WEIGHTS = CertaintySigns(
    titled=2.65,
    covered=2.09,
    odds=0.37,
    match=-1.72,
    topic_passage=-0.44,
    kind=0.59,
    formless_quoted=-2.55,  # less than was fitted: a bar holds it back already, and what is near must stay so
    figures=-1.85,
    numberless=-4.2,
    off_topic=-1.52,
    words=1.05,
    reason=3.01,
    definition=1.07,
    quotations=-0.35,
    lines=0.037,
    run=0.042,
    spread=-0.031,
    names=-0.81,
    actions=-0.4,
    katakana=-0.4,
    verbs=0.58,
    last_noun=0.43,
)
FLOOR = 7.98
# Letters that are looked through for a run: its cost is the product of both.
QUESTION_RUN = 120
LINE_RUN = 600


def _weigh_asked_terms(question: ParsedQuestion, weights: Mapping[str, float]) -> dict[str, float]:
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
    line: SentenceLine,
    *,
    odds: float,
    alike: Mapping[str, frozenset[str]],
    quoted_words: frozenset[str],
    document_words: frozenset[str],
    off_topic: bool,
    quotations: int,
) -> CertaintySigns:
    """The signs of the best line, and of all that is quoted beside it. `alike`: the words that mean the
    same in all shown passages of the document, whose words are `document_words`; none that only go with what
    is asked: they choose a line, and make it no surer that it answers."""
    page = shared.page
    asked = _weigh_asked_terms(question, weights)
    absent = {
        term
        for term in question.terms
        if alike[term].isdisjoint(quoted_words | line.under | page.heading | shared.titled)
    }
    kinds = find_word_kinds(question.folded, question.terms)
    absent_names = {
        name for name in kinds[WordKind.NAME] if alike[name].isdisjoint(document_words | shared.titled)
    }
    return CertaintySigns(
        titled=measure_meant_share(asked, shared.alike, page.terms | shared.titled),
        covered=measure_meant_share(asked, alike, quoted_words),
        odds=odds,
        match=signs.match,
        topic_passage=signs.topic_passage,
        kind=signs.kind,
        formless_quoted=signs.formless_quoted,
        figures=float(figures_missing(question, passage)),
        numberless=signs.numberless,
        off_topic=float(off_topic),
        words=math.log(max(1, len(question.terms))),
        reason=float(question.kind is AnswerKind.REASON),
        definition=float(question.kind is AnswerKind.DEFINITION),
        quotations=float(quotations),
        lines=float(len(page.lines)),
        run=float(_measure_run(question.folded, line.folded)),
        spread=float(_measure_spread(shared.alike, line.folded)),
        names=float(len(absent_names)),
        actions=float(len(absent & kinds[WordKind.ACTION])),
        katakana=float(len(absent & kinds[WordKind.KATAKANA])),
        verbs=float(len(absent & kinds[WordKind.VERB])),
        last_noun=float(len(absent & kinds[WordKind.LAST_NOUN])),
    )


def _measure_run(question: str, line: str) -> int:
    """The length of the longest run of letters that both have."""
    asked = squeeze(question)[:QUESTION_RUN]
    said = squeeze(line)[:LINE_RUN]
    return SequenceMatcher(None, asked, said, autojunk=False).find_longest_match().size


def _measure_spread(alike: Mapping[str, frozenset[str]], line: str) -> int:
    """How many terms the part of the line has that holds all it shares with the question."""
    meant_words = frozenset[str]().union(*alike.values())
    places = [place for place, word in enumerate(terms(line)) if word in meant_words]
    return places[-1] - places[0] + 1 if places else 0


def certainty(signs: CertaintySigns) -> float:
    """The probability that what is quoted answers."""
    total = sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True)) - FLOOR
    return 1 / (1 + math.exp(-total))
