"""The lines of the shown passages, each with what would be quoted for it and what speaks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from shisho.domain.corpus import NumberedPassage
from shisho.language.terms import fold
from shisho.librarian import demands, reading, signs
from shisho.librarian.answer_kinds import AnswerKind
from shisho.librarian.designations import find_designations
from shisho.librarian.line_roles import LineRole
from shisho.librarian.questions import ParsedQuestion
from shisho.librarian.quoting import QuotedSpan, choose_span, is_list, overleaf_span, sentence_rest
from shisho.librarian.reading import SentenceLine
from shisho.librarian.signs import PassageSigns, Signs
from shisho.librarian.table_rows import find_labels

SAID_AGAIN = 0.8  # of the question's words, by how rare they are
NEXT_CHARS = 160  # of a further sentence at most
_QUOTABLE = frozenset({LineRole.PROSE, LineRole.ITEM, LineRole.LEAD})


@dataclass(frozen=True, slots=True)
class QuotableLine:
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


def find_quotable_lines(
    passages: Sequence[NumberedPassage], question: ParsedQuestion, weights: Mapping[str, float]
) -> Iterator[QuotableLine]:
    if not weights:
        return
    topic = signs.topic_weights(question, weights)
    documents = list(dict.fromkeys(find_document(passage) for passage in passages))
    best = max(passage.match for passage in passages) if passages else 0.0
    for number, passage in enumerate(passages):
        page = reading.read(passage.text, passage.heading, passage.after, passage.code)
        titled = reading.list_words(fold(passage.title))
        alike = signs.find_same_words(question, weights, page.terms | titled)
        shared = PassageSigns(
            page,
            alike,
            titled,
            topic,
            [signs.measure_meant_share(weights, alike, line.terms) for line in page.lines],
            number,
            documents.index(find_document(passage)),
            passage.match,
            passage.match / best if best else 0.0,
            _lacks_number(question, f"{fold(passage.title)}\n{page.folded}"),
            find_designations(fold(passage.title)),
            find_labels(passage.heading),
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
) -> QuotableLine:
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
    return QuotableLine(passage, shared, place, span, quotation, quoted_words, own_signs, odds, overleaf)


def _overleaf(passage: NumberedPassage, lines: Sequence[SentenceLine], end: int, carried_on: bool) -> str:
    """What the next page goes on with where the list (`carried_on`) or the sentence that is quoted to here
    ends with its page."""
    if not passage.overleaf or end < lines[-1].end:
        return ""
    following = reading.read_roles(passage.overleaf, passage.heading)
    span = overleaf_span(lines, end, following) if carried_on else None
    span = span or sentence_rest(lines[-1], following)
    return passage.overleaf[span.start : span.end] if span else ""


def read_on(question: ParsedQuestion, best: QuotableLine) -> QuotableLine:
    """The line with the sentence behind it where that brings the kind of thing that is asked for and the line
    does not: it says the question again, and the next one 「これを…と呼ぶ」."""
    lines = best.shared.page.lines
    following = next((line for line in lines[best.place + 1 :] if line.start >= best.span.end), None)
    if question.explains or following is None or best.signs.kind_quoted or best.signs.meant < SAID_AGAIN:
        return best
    text = best.shown.text
    is_next = following.role is LineRole.PROSE and not text[best.span.end : following.start].strip()
    if not is_next or following.end - following.start > NEXT_CHARS:
        return best
    if not question.is_answered_by(following.folded, best.shown.title):
        return best
    span = QuotedSpan(best.span.start, following.end, best.span.items)
    words = best.quoted_words | following.terms
    return replace(best, span=span, quotation=text[span.start : span.end], quoted_words=words, overleaf="")


def find_document(passage: NumberedPassage) -> str:
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


def brings_nothing(question: ParsedQuestion, line: QuotableLine) -> bool:
    """True where several things are asked for, and the quotation has no word that the question has not. One
    thing may be the title: 「炭素と水素だけの化合物を何というか」."""
    asked_words = frozenset(question.terms).union(*line.shared.alike.values())
    return question.lists and line.quoted_words <= asked_words
