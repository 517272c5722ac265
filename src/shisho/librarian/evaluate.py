"""Which sentences of the shown passages answer a goal, and how surely, where no model reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.language.sentences import is_row
from shisho.language.terms import fold, squeeze, terms
from shisho.librarian import demands, questions, reading, signs
from shisho.librarian.answer_kinds import AnswerKind
from shisho.librarian.certainty import certainty, certainty_signs
from shisho.librarian.evidence import double
from shisho.librarian.levels import ENOUGH, NEAR
from shisho.librarian.line_roles import LineRole, announces_steps
from shisho.librarian.questions import ParsedQuestion
from shisho.librarian.quoting import (
    QuotedSpan,
    choose_span,
    is_grounded,
    is_list,
    measure_printed_width,
    overleaf_span,
    sentence_rest,
)
from shisho.librarian.reading import SentenceLine
from shisho.librarian.signs import PassageSigns, Signs, figures_missing
from shisho.librarian.table_rows import find_met, find_outdone_rows, is_record, lacks_any

REFUSED = 0.45  # the most that a quotation can have which has not the form of an answer
TOLD = 0.8  # the least that a row has which says itself all that is asked for
OFF_TOPIC = 0.02  # less than is near: the most that a quotation can have for the meaning of something else
QUOTES = 5  # quotations for one goal at most, unless it asks for more
EXPLAINED_QUOTES = 8  # the same where a list, a comparison, a way or a reason is asked for
NEAR_QUOTES = 3  # quotations at most where none answers
QUOTED_CHARS = 400  # no further quotation is added beyond this
EXPLAINED_CHARS = 700  # the same where a list, a comparison, a way or a reason is asked for
LIST_ODDS = 0.3  # of the best line's odds: where a list is asked for, one with these comes before it
STEP_ODDS = 0.005  # the same for a lead-in with steps, of the best line's document, where a way is asked for
RELATIVE = 0.04  # of the best line's odds: a further one must reach this
HALF = 0.5  # of the defined thing's words must stand with the sentence that defines it
_STRICT = frozenset({AnswerKind.REASON, AnswerKind.PERSON})  # no sentence without a reason says why
_CONTRASTS = re.compile(
    r"違|異な|一方|に対し|比べ|比較|より(?:も|は)?|差(?:は|が|を|異)"
    r"|\b(?:differ\w*|while|whereas|unlike|than|contrast|compared|but)\b"
)
_QUOTABLE = frozenset({LineRole.PROSE, LineRole.ITEM, LineRole.LEAD})


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A line with what would be quoted for it. `odds`: the logarithm of the odds that it is the line to
    quote."""

    shown: NumberedPassage
    shared: PassageSigns
    place: int
    span: QuotedSpan
    quotation: str
    quoted_words: frozenset[str]
    signs: Signs
    odds: float
    overleaf: str = ""
    """What goes on with the list or the sentence on the next page, a quotation of its own."""


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
        findings.extend(_for_goal(passages, goal, own_refs, rarity, sides, is_first=not place))
    return findings


def _for_goal(
    passages: Sequence[NumberedPassage],
    goal: Goal,
    refs: Sequence[EvidenceRef],
    rarity: Mapping[str, float],
    sides: Sequence[Sequence[str]],
    *,
    is_first: bool,
) -> Iterator[Finding]:
    question = questions.read(goal.question)
    weights = signs.term_weights(question, rarity)
    # What compares the two sides is quoted once, for the first of them.
    leading_sides = sides if is_first else ()
    told_texts = [ref.snippet for ref in refs]
    with_other_rows = list(_candidates(passages, question, weights))
    candidates = _without_other_rows(with_other_rows, question)
    ranked = _ranked(candidates, question, leading_sides)
    # What was near before stays; only what is nearer, or an answer, joins it.
    floor = min(ENOUGH, max((ref.score for ref in refs), default=NEAR))
    if not ranked:
        return
    chosen = _chosen(ranked, question, goal, told_texts)
    if not chosen:
        return
    # What was put first for its list or its steps is as sure as what it was put before.
    leading = [candidate for candidate in ranked[:2] if candidate.odds == ranked[0].odds]
    sure = max(
        _certainty(question, weights, best, chosen, _document_words(passages, best.shown)) for best in leading
    )
    undefined = question.asks_what_is and not any(_says_what_it_is(candidate, sides) for candidate in chosen)
    if undefined or _leaves_out_a_side(question, chosen):
        sure = min(sure, REFUSED)
    sure = _sure_of_row(question, weights, chosen[0], candidates, sure)
    if sure < floor:
        return
    if sure < ENOUGH:
        # A row answers alone; where none does, it may take several to: a sum, what has changed, who is older.
        near = candidates if _names_rows(candidates) else with_other_rows
        ranked = _ranked(near, question, leading_sides)
        chosen = _chosen(ranked, question, goal, told_texts)[: max(NEAR_QUOTES, goal.min_evidence)]
    for candidate in chosen:
        score = round(_lowered(sure, candidate.odds - ranked[0].odds), 4)
        if sure < ENOUGH and score < NEAR:
            return
        line = candidate.shared.page.lines[candidate.place]
        is_heading = line.role is LineRole.HEADING
        number = candidate.shown.temp_index
        yield Finding(number, goal.id, candidate.quotation, score, candidate.span.items, is_heading)
        if candidate.overleaf:
            yield Finding(number, goal.id, candidate.overleaf, score)


def _chosen(
    ranked: Sequence[_Candidate], question: ParsedQuestion, goal: Goal, told_texts: list[str]
) -> list[_Candidate]:
    """The lines that are quoted: the best, and further ones as long as they are nearly as likely and there is
    room."""
    most_chars = EXPLAINED_CHARS if question.explains else QUOTED_CHARS
    most = max(EXPLAINED_QUOTES if question.explains else QUOTES, goal.min_evidence)
    quoted_texts = list(told_texts)
    chosen: list[_Candidate] = []
    chars = 0.0
    for candidate in ranked:
        if len(chosen) == most or math.exp(candidate.odds - ranked[0].odds) < RELATIVE:
            break
        width = measure_printed_width(candidate.quotation)
        if chosen and chars + width > most_chars:
            continue
        if any(double(candidate.quotation, text) for text in quoted_texts):
            continue
        quoted_texts.append(candidate.quotation)
        chosen.append(candidate)
        chars += width
    return chosen


def _says_what_it_is(candidate: _Candidate, sides: Sequence[Sequence[str]]) -> bool:
    """True for a definition, and for what names both sides of a comparison: it need not define them."""
    words = candidate.shared.page.lines[candidate.place].terms
    return bool(candidate.signs.defines) or (bool(sides) and all(words.issuperset(side) for side in sides))


def _without_other_rows(candidates: list[_Candidate], question: ParsedQuestion) -> list[_Candidate]:
    """Without rows of a table that another row of it outdoes, but where the question wants several."""
    if question.explains:
        return candidates
    rows = [candidate for candidate in candidates if is_row(candidate.quotation)]
    outdone = find_outdone_rows([(_table(row), _met(row)) for row in rows])
    left_out = {id(rows[place]) for place in outdone}
    return [candidate for candidate in candidates if id(candidate) not in left_out]


def _names_rows(candidates: Sequence[_Candidate]) -> bool:
    """True where the question tells rows of one table apart: 「札幌支店と福岡支店の責任者」."""
    told_apart = {(_table(row), _met(row)) for row in candidates if is_row(row.quotation)}
    return len(told_apart) > len({table for table, _ in told_apart})


def _sure_of_row(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    best: _Candidate,
    candidates: Sequence[_Candidate],
    sure: float,
) -> float:
    """The certainty where the best line is a row that says by itself what its cells are."""
    if question.explains or not is_record(best.quotation):
        return sure
    above = find_met(best.shared.alike, best.shared.page.heading | best.shared.titled)
    others = [other for other in candidates if _table(other) == _table(best) and other is not best]
    own_words = _met(best).difference(*map(_met, others))
    asked_words = weights.keys() - above - question.frame - {question.unit}
    barred = best.signs.numberless or best.signs.formless_quoted or figures_missing(question, best.shown)
    if barred or lacks_any(asked_words - _met(best)):
        return min(sure, REFUSED)
    return max(sure, TOLD) if own_words else sure


def _met(candidate: _Candidate) -> frozenset[str]:
    return find_met(candidate.shared.alike, candidate.shared.page.lines[candidate.place].terms)


def _table(candidate: _Candidate) -> tuple[str, str]:
    return _document(candidate.shown), candidate.shown.heading


def _leaves_out_a_side(question: ParsedQuestion, chosen: Sequence[_Candidate]) -> bool:
    """True where things are compared that numbers tell apart, and not all of them are named."""
    things = demands.find_numbered_things(question.folded) if question.compares else frozenset()
    if len(things) < 2:
        return False
    quoted = squeeze(
        fold("\n".join(f"{candidate.shown.heading}\n{candidate.quotation}" for candidate in chosen))
    )
    return not all(thing in quoted for thing in things)


def _lowered(sure: float, odds: float) -> float:
    """The certainty of a line that is less likely than the best by this logarithm of odds."""
    total = sure * math.exp(min(0.0, odds))
    return total / (1 - sure + total)


def _ranked(
    candidates: Iterable[_Candidate], question: ParsedQuestion, sides: Sequence[Sequence[str]]
) -> list[_Candidate]:
    """Best first. The best line that compares the two sides of a comparison comes before all, and so does the
    best list where a list is asked for and it is nearly as likely: with the odds of the best."""
    ranked = sorted(candidates, key=lambda candidate: -candidate.odds)
    if not (ranked and (question.lists or question.asks_for_a_way or sides)):
        return ranked
    best = ranked[0].odds

    def leads(candidate: _Candidate) -> bool:
        line = candidate.shared.page.lines[candidate.place]
        if sides and _CONTRASTS.search(line.folded) and all(line.terms.issuperset(side) for side in sides):
            return True
        odds = math.exp(candidate.odds - best)
        if question.asks_for_a_way and line.role is LineRole.LEAD and announces_steps(line.folded):
            is_near = _document(candidate.shown) == _document(ranked[0].shown) and odds >= STEP_ODDS
            return is_near and candidate.span.end > line.end
        return question.lists and bool(candidate.signs.listed) and odds >= LIST_ODDS

    first = next((candidate for candidate in ranked if leads(candidate)), None)
    if first is None:
        return ranked
    return [replace(first, odds=best), *(candidate for candidate in ranked if candidate is not first)]


def _candidates(
    passages: Sequence[NumberedPassage], question: ParsedQuestion, weights: Mapping[str, float]
) -> Iterator[_Candidate]:
    if not weights:
        return
    topic = signs.topic_weights(question, weights)
    documents = list(dict.fromkeys(_document(passage) for passage in passages))
    best = max(passage.match for passage in passages) if passages else 0.0
    for number, passage in enumerate(passages):
        page = reading.read(passage.text, passage.heading, passage.after, passage.code)
        titled = frozenset(terms(fold(passage.title)))
        alike = signs.find_same_words(question, weights, page.terms | titled)
        shared = PassageSigns(
            page,
            alike,
            titled,
            topic,
            [signs.measure_meant_share(weights, alike, line.terms) for line in page.lines],
            number,
            documents.index(_document(passage)),
            passage.match,
            passage.match / best if best else 0.0,
            _lacks_number(question, f"{fold(passage.title)}\n{page.folded}"),
        )
        for place, line in enumerate(page.lines):
            if line.role in _QUOTABLE or _heading_answers(question, line):
                yield _candidate(question, weights, passage, shared, place)


def _candidate(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    passage: NumberedPassage,
    shared: PassageSigns,
    place: int,
) -> _Candidate:
    page = shared.page
    lines = page.lines + page.following
    text = passage.text + passage.after
    span = choose_span(text, lines, place, question, weights)
    quotation = text[span.start : span.end]
    inside = [line.terms for line in page.lines if line.start < span.end and line.end > span.start]
    quoted_words = frozenset[str]().union(*inside)
    is_listed = is_list(lines, place, question)
    own_signs = signs.line_signs(question, weights, shared, place, quotation, quoted_words, is_listed)
    carried_on = is_listed or page.lines[place].role is LineRole.LEAD
    overleaf = _overleaf(passage, lines, span.end, carried_on)
    odds = signs.weigh(own_signs)
    return _Candidate(passage, shared, place, span, quotation, quoted_words, own_signs, odds, overleaf)


def _overleaf(passage: NumberedPassage, lines: Sequence[SentenceLine], end: int, carried_on: bool) -> str:
    """What the next page goes on with where the list (`carried_on`) or the sentence that is quoted to here
    ends with its page."""
    if not passage.overleaf or end < lines[-1].end:
        return ""
    following = reading.read_roles(passage.overleaf, passage.heading)
    span = overleaf_span(lines, end, following) if carried_on else None
    span = span or sentence_rest(lines[-1], following)
    return passage.overleaf[span.start : span.end] if span else ""


def _document(passage: NumberedPassage) -> str:
    """The names that tell its document from others, as far as the librarian sees."""
    return passage.title or passage.heading


def _heading_answers(question: ParsedQuestion, line: SentenceLine) -> bool:
    """True where a heading holds the date that is asked for: 「2016年4月19日 第1.0版リリース」."""
    is_sought = line.role is LineRole.HEADING and question.kind is AnswerKind.TIME
    return is_sought and question.is_answered_by(line.folded)


def _lacks_number(question: ParsedQuestion, folded: str) -> bool:
    """True where the question names an article, an ordinal or a version that the passage and its document's
    title have not."""
    return not (question.labels <= demands.labels(folded) and question.versions <= demands.versions(folded))


def _document_words(passages: Sequence[NumberedPassage], shown: NumberedPassage) -> frozenset[str]:
    """The words of all shown passages of its document."""
    pages = (
        reading.read(passage.text, passage.heading, passage.after, passage.code)
        for passage in passages
        if passage is shown or (shown.title and passage.title == shown.title)
    )
    return frozenset[str]().union(*(page.terms for page in pages))


def _certainty(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    best: _Candidate,
    chosen: Sequence[_Candidate],
    document_words: frozenset[str],
) -> float:
    """How sure it is that what is quoted answers: less than ENOUGH where nothing in the best line's document
    names what is asked about, or nothing has the form that an answer must have."""
    shared = best.shared
    page = shared.page
    line = page.lines[best.place]
    said_words = line.terms | line.under | (page.lines[best.place - 1].terms if best.place else frozenset())
    off_topic = question.defined is not None and (
        signs.measure_meant_share(shared.topic, shared.alike, said_words) < HALF
    )
    name = signs.find_rarest_name(question, weights)
    nameless = bool(name) and shared.alike[name].isdisjoint(page.terms | shared.titled)
    is_strict = question.kind in _STRICT or question.asks_for_a_date
    kindless = is_strict and not question.is_answered_by(line.folded, best.shown.title)
    kindless = kindless and not is_grounded(page.lines, best.place, question)
    alike = signs.find_same_words(question, weights, document_words)
    all_quoted = frozenset[str]().union(*(candidate.quoted_words for candidate in chosen))
    own_signs = certainty_signs(
        question,
        weights,
        shared,
        best.signs,
        best.shown,
        line,
        odds=best.odds,
        alike=alike,
        quoted_words=all_quoted,
        document_words=document_words,
        off_topic=off_topic,
        quotations=len(chosen),
    )
    sure = certainty(own_signs)
    elsewhere = bool(name) and not alike[name].isdisjoint(document_words)
    if own_signs.titled == 0:
        return 0.0
    is_meaning = question.kind is AnswerKind.DEFINITION  # not 「ビーム探索の短所は何ですか」
    if is_meaning and max(best.signs.topic_passage, best.signs.topic_title) < HALF:
        sure = min(sure, OFF_TOPIC)
    barred = best.signs.numberless or best.signs.formless_quoted or (nameless and not elsewhere)
    of_document = [other for other in chosen if _document(other.shown) == _document(best.shown)]
    kindless = kindless and not any(candidate.signs.kind_quoted for candidate in (best, *of_document))
    return min(sure, REFUSED) if barred or kindless else sure
