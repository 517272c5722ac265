"""Which sentences of the shown passages answer a goal, and how surely, where no model reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.language.terms import fold, terms
from shisho.librarian import demands, questions, reading, signs
from shisho.librarian.evidence import double
from shisho.librarian.levels import ENOUGH, NEAR
from shisho.librarian.line_roles import LineRole
from shisho.librarian.questions import AnswerKind, ParsedQuestion
from shisho.librarian.quoting import grounded, is_list, quoted_span
from shisho.librarian.reading import AnalysedPassage, SentenceLine

REFUSED = 0.45  # the most that a sentence can have which has not the form of an answer
OFF_TOPIC = 0.04  # the most that a sentence can have for the meaning of something else
QUOTES = 3  # sentences for one goal at most, unless it asks for more
NEAR_QUOTES = 2  # sentences at most where none answers
QUOTED_CHARS = 250  # no further sentence is added beyond this
EXPLAINED_CHARS = 500  # the same where a list, a comparison, a way or a reason is asked for
LIST_ODDS = 0.3  # of the best sentence's odds: where a list is asked for, one with these comes before it
RELATIVE = 0.03  # of the best sentence's odds: a further one must reach this, more if it is long
HALF = 0.5  # of the defined thing's words must stand with the sentence that defines it
_STRICT = frozenset({AnswerKind.REASON, AnswerKind.PERSON})  # no sentence without a reason says why
_CONTRASTS = re.compile(
    r"違|異な|一方|に対し|比べ|比較|より(?:も|は)?|差(?:は|が|を|異)"
    r"|\b(?:differ\w*|while|whereas|unlike|than|contrast|compared|but)\b"
)
_QUOTABLE = frozenset({LineRole.PROSE, LineRole.ITEM, LineRole.LEAD})


@dataclass(frozen=True, slots=True)
class _Candidate:
    shown: NumberedPassage
    page: AnalysedPassage
    place: int
    score: float


def terms_wanted(goals: Sequence[Goal]) -> list[str]:
    """The index terms whose rarity `select` needs."""
    return list(dict.fromkeys(term for goal in goals for term in questions.read(goal.question).terms))


def select(
    passages: Sequence[NumberedPassage],
    goals: Sequence[Goal],
    refs: Sequence[EvidenceRef],
    rarity: Mapping[str, float],
) -> list[Finding]:
    """For each goal its best new sentences, best first, verbatim and with scores from 0 to 1; none where
    nothing is near."""
    parsed = [questions.read(goal.question) for goal in goals]
    sides = tuple(question.defined.terms for question in parsed if question.defined is not None)
    if not (len(sides) == len(goals) == 2):
        sides = ()
    findings: list[Finding] = []
    for place, goal in enumerate(goals):
        own_refs = [ref for ref in refs if ref.goal_id == goal.id]
        # What compares the two is quoted once, for the first of them.
        findings.extend(_for_goal(passages, goal, own_refs, rarity, () if place else sides))
    return findings


def _for_goal(
    passages: Sequence[NumberedPassage],
    goal: Goal,
    refs: Sequence[EvidenceRef],
    rarity: Mapping[str, float],
    sides: Sequence[Sequence[str]],
) -> Iterator[Finding]:
    question = questions.read(goal.question)
    weights = signs.term_weights(question, rarity)
    ranked = _ranked(_candidates(passages, question, weights), question, sides)
    # What was near before stays; only what is nearer, or an answer, joins it.
    floor = min(ENOUGH, max((ref.score for ref in refs), default=NEAR))
    if not ranked or ranked[0].score < floor:
        return
    best = ranked[0].score
    most_chars = EXPLAINED_CHARS if question.explains else QUOTED_CHARS
    most = max(QUOTES if best >= ENOUGH else NEAR_QUOTES, goal.min_evidence)
    told_words = [ref.snippet for ref in refs]
    accepted = 0
    chars = 0
    for first in ranked:
        if best < ENOUGH and first.score < NEAR:
            return
        if accepted == most or _odds(first.score) < RELATIVE * _odds(best):
            return
        lines = first.page.lines + first.page.following
        text = first.shown.text + first.shown.after
        span = quoted_span(text, lines, first.place, question, weights)
        snippet = text[span.start : span.end]
        worth = _odds(first.score) * min(3.0, 60 / len(snippet))
        if accepted and (worth < RELATIVE * _odds(best) or chars + len(snippet) > most_chars):
            continue
        if any(double(snippet, other) for other in told_words):
            continue
        told_words.append(snippet)
        accepted = accepted + 1
        chars = chars + len(snippet)
        is_heading = lines[first.place].role is LineRole.HEADING
        score = round(first.score, 4)
        yield Finding(first.shown.temp_index, goal.id, snippet, score, span.items, is_heading)


def _ranked(
    candidates: Iterator[_Candidate], question: ParsedQuestion, sides: Sequence[Sequence[str]]
) -> list[_Candidate]:
    """Best first. The surest sentence that compares the two sides of a comparison comes before all, and so does
    the surest list where a list is asked for and it answers nearly as surely: with the score of the best."""
    ranked = sorted(candidates, key=lambda candidate: -candidate.score)
    if not (ranked and (question.lists or sides)):
        return ranked
    best = ranked[0].score
    floor = LIST_ODDS * _odds(best)

    def leads(candidate: _Candidate) -> bool:
        if candidate.score < ENOUGH:
            return False
        line = candidate.page.lines[candidate.place]
        if sides and _CONTRASTS.search(line.folded) and all(line.terms.issuperset(side) for side in sides):
            return True
        if not question.lists or _odds(candidate.score) < floor:
            return False
        return is_list(candidate.page.lines + candidate.page.following, candidate.place, question)

    first = next((candidate for candidate in ranked if leads(candidate)), None)
    if first is None:
        return ranked
    return [
        replace(first, score=best),
        *(candidate for candidate in ranked if candidate is not first),
    ]


def _candidates(
    passages: Sequence[NumberedPassage], question: ParsedQuestion, weights: Mapping[str, float]
) -> Iterator[_Candidate]:
    if not weights:
        return
    topic = signs.topic_weights(question, weights)
    for number, passage in enumerate(passages):
        page = reading.read(passage.text, passage.heading, passage.after)
        alike = signs.wider(question, weights, page.terms)
        lead = passage.match - max((other.match for other in passages if other is not passage), default=0.0)
        of_passage = signs.passage_signs(question, topic, page, passage, number, lead)
        barred = _lacks_number(question, page)
        titled = frozenset(terms(fold(passage.title)))
        for place, line in enumerate(page.lines):
            if line.role not in _QUOTABLE and not _heading_answers(question, line):
                continue
            score = signs.score(signs.line_signs(question, weights, page, place, alike, of_passage))
            most = REFUSED if barred else _most(question, weights, topic, alike, page, place, titled)
            score = min(score, most)
            yield _Candidate(passage, page, place, score)


def _heading_answers(question: ParsedQuestion, line: SentenceLine) -> bool:
    """True where a heading holds the date that is asked for: 「2016年4月19日 第1.0版リリース」."""
    if line.role is not LineRole.HEADING or question.kind is not AnswerKind.TIME:
        return False
    return questions.answers(question, line.folded)


def _lacks_number(question: ParsedQuestion, page: AnalysedPassage) -> bool:
    """True where the question names an article, an ordinal or a version that the passage has not."""
    return not (
        question.labels <= demands.labels(page.folded) and question.versions <= demands.versions(page.folded)
    )


def _most(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    topic: Mapping[str, float],
    alike: Mapping[str, frozenset[str]],
    page: AnalysedPassage,
    place: int,
    titled: frozenset[str],
) -> float:
    """The most that the line can score: little where nothing by it names what is to be defined, and less than
    ENOUGH where nothing names what is asked about or it has not the form that an answer must have."""
    line = page.lines[place]
    said_words = line.terms | line.under | (page.lines[place - 1].terms if place else frozenset())
    if question.defined is not None and signs.meant_share(topic, alike, said_words) < HALF:
        return OFF_TOPIC
    name = signs.rarest_name(question, weights)
    if name and alike[name].isdisjoint(page.terms | titled):
        return REFUSED
    if question.form is not None and not question.form.search(line.folded):
        return REFUSED
    is_strict = question.kind in _STRICT or questions.asks_for_a_date(question)
    if is_strict and not questions.answers(question, line.folded):
        return 1.0 if grounded(page.lines, place, question) else REFUSED
    return 1.0


def _odds(score: float) -> float:
    return score / max(1e-9, 1 - score)
