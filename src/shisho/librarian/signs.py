"""The signs that speak for a sentence against the other sentences of the passages, and what they weigh. Pure.

Whether the best of them is an answer at all is another question: `certainty`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from shisho.domain.corpus import NumberedPassage
from shisho.language.meanings import mean_same
from shisho.language.numbers import Date, is_same_unit
from shisho.language.sentences import is_row
from shisho.language.terms import fold, squeeze, terms
from shisho.language.wordings import find_long_words, join_wordings, list_synonyms, list_wordings
from shisho.librarian import definitions, questions, reading
from shisho.librarian.answer_kinds import AnswerKind
from shisho.librarian.attributes import find_units, states_another_attribute, states_another_value
from shisho.librarian.compounds import has_another_subject, states_another_kind
from shisho.librarian.designations import Designation, names_another
from shisho.librarian.line_roles import LineRole
from shisho.librarian.questions import NounPhrase, ParsedQuestion
from shisho.librarian.reading import AnalysedPassage
from shisho.librarian.table_rows import add_units
from shisho.librarian.word_kinds import WordKind, find_word_kinds

_LEFT_OUT = str.maketrans("", "", "ー・")
_SUBJECT = re.compile(r"[^、。]{1,24}?(?=(?:で|に)?は|が|も)")
FRAMED = 0.4  # words that say where to look: the right page need not repeat them
INFLECTED = 0.5  # verbs and adjectives have more synonyms than nouns: their absence says less


class Signs(NamedTuple):
    """The signs that speak for what would be quoted of a line. Shares are of the question's words, by how
    rare they are in the corpus, and count words that mean the same. What it stands under: the heading of its
    passage, and inside it a heading, question or lead-in."""

    meant: float  # share in the line, the line before it, and what it stands under
    counted: float  # share in the line and what it stands under; each word counts once, however rare
    own_under: float  # share in the same, of the very words
    counted_quoted: float  # share in the whole quotation and what it stands under; each word counts once
    quoted: float  # share in the same and in the document's title
    before: float  # share in the line before
    beside: float  # the best share of the two lines before and the two after
    topic_passage: float  # share of the topic's words in the passage
    topic_title: float  # … in the document's title
    triples: float  # share of the question's runs of three letters in the line
    kind: float  # the line holds a date, amount, reason … of its own where one is asked for
    kind_quoted: float  # the quotation does
    unit: float  # the noun counted or classified is in the line
    defines: float  # the line says what the thing is whose meaning is asked for
    acts: float  # the quotation says what to do where a way is asked for
    grants: float  # it says what can, must or must not be, where yes or no is asked for
    formless: float  # the line has not the form that the answer must have (a telephone number)
    formless_quoted: float  # the quotation has it not
    numberless: (
        float  # the passage lacks an article … that the question names, or the line begins with another
    )
    listed: float  # a list is quoted
    length: float  # logarithm of the quotation's length
    depth: float  # 0 for the first line of the passage, 1 for the last
    place: float  # logarithm of the passage's place among those shown, from 1
    document: float  # 1 for the document shown first, 1/2 for the second …
    match: float  # the share of the query that the passage matched
    match_relative: float  # that share against the best


WEIGHTS = Signs(
    meant=1.76,
    counted=0.73,
    own_under=1.63,
    counted_quoted=0.77,
    quoted=1.86,
    before=1.43,
    beside=0.66,
    topic_passage=0.55,
    topic_title=1.56,
    triples=3.53,
    kind=0.31,
    kind_quoted=1.55,
    unit=1.84,
    defines=5.33,
    acts=1.93,
    grants=1.05,
    formless=-1.11,
    formless_quoted=-1.16,
    numberless=-3.54,
    listed=0.75,
    length=0.31,
    depth=-0.85,
    place=-0.74,
    document=0.95,
    match=0.82,
    match_relative=1.21,
)


class PassageSigns(NamedTuple):
    """The facts that all lines of a passage share; `alike`: for each term the words of passage and title that
    mean the same. `designations`: the things of a numbered kind in its document's title. `labels`: the terms
    of the labels of its columns, where it is part of a table."""

    page: AnalysedPassage
    alike: Mapping[str, frozenset[str]]
    titled: frozenset[str]
    topic: Mapping[str, float]
    shares: Sequence[float]
    place: int
    document: int
    match: float
    match_relative: float
    numberless: bool
    designations: frozenset[Designation]
    labels: frozenset[str]


def term_weights(question: ParsedQuestion, rarity: Mapping[str, float]) -> dict[str, float]:
    """The question's terms by rarity, summing to 1. A term of unknown rarity is taken for the rarest."""
    rarest = max(rarity.values(), default=1.0) or 1.0
    raw = {
        term: rarity.get(term, rarest)
        * (INFLECTED if "ぁ" <= term[-1] <= "ん" else 1.0)
        * (FRAMED if term in question.frame else 1.0)
        for term in question.terms
    }
    total = sum(raw.values())
    return {term: weight / total if total else 1 / len(raw) for term, weight in raw.items()}


def weigh(signs: Signs) -> float:
    """The logarithm of the odds that this is the line to quote, but for a number that all lines share."""
    return sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))


def line_signs(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    shared: PassageSigns,
    place: int,
    quotation: str,
    quoted_words: frozenset[str],
    is_listed: bool,
) -> Signs:
    """The signs of what is quoted for the line in this place of its passage. `quoted_words`: the terms of the
    quotation."""
    page = shared.page
    line = page.lines[place]
    said = add_units(line.folded)
    folded = add_units(fold(quotation))
    dense = squeeze(line.folded)
    under = line.under | page.heading
    before = page.lines[place - 1].terms if place else frozenset[str]()
    alike = shared.alike
    counted = dict.fromkeys(weights, 1 / len(weights))
    form = question.form
    labels = shared.labels if is_row(quotation) else reading.NOTHING
    is_another = _is_of_another_thing(question, shared, place, under, is_row(quotation))
    beside = [*shared.shares[max(0, place - 2) : place], *shared.shares[place + 1 : place + 3]]
    return Signs(
        meant=measure_meant_share(
            weights, alike, line.terms | before | under | (question.frame & page.terms)
        ),
        counted=measure_meant_share(counted, alike, line.terms | under),
        own_under=share(weights, line.terms | under),
        counted_quoted=measure_meant_share(counted, alike, quoted_words | under),
        quoted=measure_meant_share(weights, alike, quoted_words | under | shared.titled),
        before=shared.shares[place - 1] if place else 0.0,
        beside=max(beside, default=0.0),
        topic_passage=measure_meant_share(shared.topic, alike, page.terms),
        topic_title=measure_meant_share(shared.topic, alike, shared.titled),
        triples=sum(triple in dense for triple in question.triples) / max(1, len(question.triples)),
        kind=float(question.is_answered_by(said, labels=labels)),
        kind_quoted=float(question.is_answered_by(folded, labels=labels)),
        unit=float(question.unit in line.folded),
        defines=float(
            questions.defines(question, line.folded) or _is_under_its_name(question, shared, place)
        ),
        acts=float(question.asks_for_a_way and questions.acts(folded)),
        grants=float(question.asks_yes_or_no and questions.grants(folded)),
        formless=float(form is not None and not form.search(said)),
        formless_quoted=float(form is not None and not form.search(folded)),
        numberless=float(shared.numberless or is_another),
        listed=float(is_listed),
        length=math.log(1 + len(quotation)),
        depth=place / max(1, len(page.lines) - 1),
        place=math.log(1 + shared.place),
        document=1 / (1 + shared.document),
        match=shared.match,
        match_relative=shared.match_relative,
    )


def _is_of_another_thing(
    question: ParsedQuestion,
    shared: PassageSigns,
    place: int,
    under: frozenset[str],
    is_of_table: bool,
) -> bool:
    """True where a line says of another thing what is asked. Of the rows of a table several may be needed: a
    sum, the average."""
    line = shared.page.lines[place]
    if names_another(question.designations, line.designations | shared.designations):
        return True
    near_words = line.terms | under | shared.titled
    if states_another_value(question.terms, line.terms, near_words):
        return True
    if is_of_table:
        return False
    if has_another_subject(question, line.folded, shared.alike, near_words):
        return True
    texts = (line.folded, _find_subject_before(shared.page, place))
    return any(
        states_another_kind(question, text, shared.alike, near_words) for text in texts
    ) or states_another_attribute(question.terms, line.terms)


def _find_subject_before(page: AnalysedPassage, place: int) -> str:
    """What the sentence is about that a line goes on from; empty where the line stands by itself."""
    line = page.lines[place]
    if not place or page.lines[place - 1].end != line.start:
        return ""
    match = _SUBJECT.match(page.lines[place - 1].folded)
    return match[0] if match else ""


def _is_under_its_name(question: ParsedQuestion, shared: PassageSigns, place: int) -> bool:
    """True for the sentence below a heading that is the thing whose meaning is asked for."""
    lines = shared.page.lines
    if question.defined is None or not place or lines[place].role is not LineRole.PROSE:
        return False
    # A word by itself has no role.
    return definitions.is_name_of(question.defined.text, lines[place - 1].folded)


def topic_weights(question: ParsedQuestion, weights: Mapping[str, float]) -> dict[str, float]:
    """The words of what is asked about: the noun phrase with the rarest word, or that word alone."""
    if not weights:
        return {}
    rarest = max(weights, key=lambda term: weights[term])
    phrase = next((phrase.terms for phrase in question.phrases if rarest in phrase.terms), (rarest,))
    phrase = question.defined.terms if question.defined is not None else phrase
    raw = {term: weights[term] for term in phrase if term in weights}
    total = sum(raw.values())
    return {term: weight / total if total else 1 / len(raw) for term, weight in raw.items()}


def find_rarest_name(question: ParsedQuestion, weights: Mapping[str, float]) -> str:
    """The rarest term of what the question names; empty where it names nothing that is rarer than its words
    are on average: of 日本 a text of Japan may be silent. The last noun is no name where it only says what is
    asked for: 「その本のタイトルは」."""
    kinds = find_word_kinds(question.folded, question.terms)
    common_nouns = kinds[WordKind.LAST_NOUN] - kinds[WordKind.NAME]
    asked_for = frozenset[str]() if question.asks_what_is else common_nouns
    average = sum(weights.values()) / max(1, len(weights))
    return max(
        (name for name in question.names if weights.get(name, 0.0) >= average and name not in asked_for),
        key=lambda term: weights[term],
        default="",
    )


def share(weights: Mapping[str, float], words: frozenset[str]) -> float:
    """How much of the weight stands in these words."""
    return sum(weight for term, weight in weights.items() if term in words)


def find_same_words(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    words: frozenset[str],
    *,
    with_wordings: bool = True,
) -> dict[str, frozenset[str]]:
    """For each term of the question the words of a passage that mean the same. `with_wordings`: or those that
    go with it."""
    joined = _joined_names(question.phrases)
    listed = _find_same_long_words(question.terms, with_wordings)
    return {
        term: frozenset({term, *question.superlatives.get(term, ())})
        | {word for word in words if _same(term, word)}
        | ((join_wordings(term) if with_wordings else reading.NOTHING) & words)
        | ((joined.get(term, reading.NOTHING) | listed.get(term, reading.NOTHING)) & words)
        | (find_units(term) & words)
        for term in weights
    }


@lru_cache(maxsize=256)
def _joined_names(phrases: tuple[NounPhrase, ...]) -> Mapping[str, frozenset[str]]:
    """For each part of a name the whole, where the dictionary has it in one word: アイスコーヒー."""
    dotted = [phrase for phrase in phrases if "・" in phrase.text]
    joined = {phrase: terms(phrase.text.replace("・", "")) for phrase in dotted}
    return {
        term: frozenset(words) for phrase, words in joined.items() if len(words) == 1 for term in phrase.terms
    }


@lru_cache(maxsize=256)
def _find_same_long_words(terms_: tuple[str, ...], with_wordings: bool) -> Mapping[str, frozenset[str]]:
    """For each part of a listed word of several terms the whole, and how else it is worded."""
    find_others = list_wordings if with_wordings else list_synonyms
    same: dict[str, frozenset[str]] = {}
    for word in find_long_words(terms_):
        whole = "".join(word)
        for term in word:
            same[term] = same.get(term, reading.NOTHING) | {whole, *map("".join, find_others(whole))}
    return same


@lru_cache(maxsize=100_000)
def _same(term: str, word: str) -> bool:
    spelt_alike = len(term) > 3 and _spelling(term) == _spelling(word)
    return spelt_alike or mean_same(term, word) or is_same_unit(term, word)


def _spelling(word: str) -> str:
    """Katakana without what is often left out: インターバル is インタバル."""
    return word.translate(_LEFT_OUT)


def measure_meant_share(
    weights: Mapping[str, float], alike: Mapping[str, frozenset[str]], words: frozenset[str]
) -> float:
    """As `share`, where a word counts too that means the same."""
    return sum(weight for term, weight in weights.items() if not alike[term].isdisjoint(words))


def figures_missing(question: ParsedQuestion, passage: NumberedPassage) -> bool:
    """True where a number or date of the question is not in the passage."""
    # "Name two", "in three letters" say how to answer, not what about.
    amounts = [measure for measure in question.figures.measures if measure.value > 3]
    if not amounts and not question.figures.dates:
        return False
    have_measures = reading.figures_of(passage.text, passage.heading).measures
    return _dates_missing(question, passage.text, passage.heading) or not all(
        any(have.says(want) for have in have_measures) for want in amounts
    )


def is_of_another_time(question: ParsedQuestion, passage: NumberedPassage) -> bool:
    """True where a number is asked for of a time that neither the passage nor its document's title names:
    what something costs is another number each year."""
    is_counted = question.form is not None or question.kind is AnswerKind.AMOUNT
    return is_counted and _dates_missing(question, passage.text, f"{passage.title}\n{passage.heading}")


def _dates_missing(question: ParsedQuestion, text: str, heading: str) -> bool:
    """A year by itself is there as a number, too: "Fees 2023", "the 2010 census"."""
    dates = reading.figures_of(text, heading).dates if question.figures.dates else ()
    return not all(
        any(have.says(want) for have in dates)
        or (want == Date(want.year) and _has_number(str(want.year), f"{heading}\n{text}"))
        for want in question.figures.dates
    )


def _has_number(digits: str, text: str) -> bool:
    return digits in re.findall("[0-9]+", fold(text))
