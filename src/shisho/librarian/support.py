"""Judge how far quotations carry a sentence: supported, unverified or altered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from html import unescape
from itertools import combinations

from shisho.domain.inquiry import SupportOutcome
from shisho.language.english import FUNCTION_WORDS
from shisho.language.eras import ERA_START
from shisho.language.idioms import unify_wording
from shisho.language.meanings import mean_same
from shisho.language.names import names
from shisho.language.numbers import COUNTERS, UNITS, Date, Figures, Measure, figures
from shisho.language.terms import fold, squeeze, terms, tokenizer
from shisho.librarian.actors import compare_actors, compare_speakers
from shisho.librarian.clause_pairs import compare_clauses
from shisho.librarian.comparison import (
    FIRM,
    Comparison,
    Doubts,
    compare_claims,
    compare_marks,
    compare_opposites,
    compare_words,
)
from shisho.librarian.coverage import compare_coverage, cover
from shisho.librarian.places import compare_places
from shisho.librarian.support_signs import SupportSigns, carries, read_signs
from shisho.librarian.ties import figure_word
from shisho.librarian.wording import compare_wording

_CAPITALISED = re.compile(r"(?:[A-Z][a-z]+[ -](?:of |and )?){1,5}[A-Z][a-z]+")
_COORDINATE = re.compile(r"(?:[北南]緯|[東西]経)[0-9][0-9.]*(?:度(?:[0-9]+分)?(?:[0-9.]+秒)?)?")
_COUNTED = re.compile(r"[〇一二三四五六七八九十百千万数両]+[人名個本枚台回件社校年月日つ]")
_KATAKANA = re.compile(r"[ァ-ヺー・]+")
_WRITTEN_AS_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+|\b(?:Will|May|Can)(?= (?:is|was|has|had|will|'s)\b)")
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s「」『』()<>\"']+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b(?:[a-z0-9-]+\.)+(?:com|net|org|info|biz|io|ai|app|dev|co|jp|uk|de|fr|cn|ru|us|eu|xyz|top|site|online|example)\b"
    r"(?:/[^\s「」『』()<>\"']*)?",
    re.IGNORECASE | re.ASCII,
)
_OF_WORDING = frozenset({"hedge", "must", "quantifier", "negation", "role"})
MOST_COUNTED = 10  # things named in a quotation that a sentence may count
_INITIAL = re.compile(r"\b[A-Z](?=[a-z])")


@dataclass(frozen=True, slots=True)
class Support:
    """`missing` names what the quotations do not say: a figure, a name, or what is amiss (negation, role,
    direction, quantifier, hedge, must, condition, place, sentence, words)."""

    outcome: SupportOutcome
    missing: tuple[str, ...]


def check(
    sentence: str, quotations: Sequence[str], headings: Sequence[str] = (), question: str = ""
) -> Support:
    """Read the sentence against its quotations. Headings name what a quotation is about. The question carries
    nothing, but a name from it is not held to be invented."""
    if not quotations:
        return Support(SupportOutcome.ALTERED, ("words",))
    return _checked(sentence, tuple(quotations), tuple(headings), question)


@lru_cache(maxsize=500)
def _checked(sentence: str, quotations: tuple[str, ...], headings: tuple[str, ...], question: str) -> Support:
    if "&" in "".join(quotations):
        quotations = tuple(map(unescape, quotations))  # some collections keep &amp;
    wrong, unsure, signs = judge(sentence, quotations, headings, question)
    if wrong:
        return Support(SupportOutcome.ALTERED, wrong)
    if unsure or not carries(signs):
        return Support(SupportOutcome.UNVERIFIED, unsure or ("words",))
    return Support(SupportOutcome.SUPPORTED, ())


def judge(
    sentence: str, quotations: tuple[str, ...], headings: tuple[str, ...] = (), question: str = ""
) -> tuple[tuple[str, ...], tuple[str, ...], SupportSigns]:
    """Contradictions, doubts, and the signs for all the rest."""
    sentence = unify_wording(sentence)
    quotations = tuple(map(unify_wording, quotations))
    quotation = "\n".join([*quotations, *headings])
    doubts = Doubts()
    _compare_figures(figures(sentence), figures(quotation), doubts)
    doubts.wrong += list_foreign_addresses(sentence, quotation)
    doubts.wrong += list_foreign_coordinates(sentence, quotation)
    comparison = Comparison(sentence, quotations, headings)
    covers = cover(comparison)
    _compare_names(comparison, sentence, quotation, question, doubts)
    compare_wording(comparison, sentence, quotations, doubts)
    compare_speakers(comparison, sentence, quotations, doubts)
    compare_claims(comparison, sentence, quotations, doubts)
    for compare in (
        compare_words,
        compare_marks,
        compare_opposites,
        compare_places,
        compare_actors,
        compare_clauses,
    ):
        compare(comparison, doubts)
    compare_coverage(comparison, covers, doubts)
    if not {*terms(fold(sentence))} & {*terms(fold("\n".join(quotations)))}:
        doubts.unsure.append("words")  # a mere title says nothing; letters and interjections are no words
    if comparison.nearness() < FIRM:
        doubts.unsure += [doubt for doubt in doubts.wrong if doubt in _OF_WORDING]
        doubts.wrong = [doubt for doubt in doubts.wrong if doubt not in _OF_WORDING]
    return (
        tuple(dict.fromkeys(doubts.wrong)),
        tuple(dict.fromkeys(doubts.unsure)),
        read_signs(comparison, doubts, covers),
    )


def _compare_figures(said_figures: Figures, quoted_figures: Figures, doubts: Doubts) -> None:
    """A figure that the quotations do not have is altered where they have another of its kind, the same
    number of another thing, or nothing that it could come from."""
    dates = [
        date
        for date in said_figures.dates
        if not _dated(date, quoted_figures) and not _bare_year(date, quoted_figures)
    ]
    for date in dates:
        (doubts.wrong if quoted_figures.dates else doubts.unsure).append(figure_word(date))
    for measure in said_figures.measures:
        if any(_counts(have, measure) for have in quoted_figures.measures) or _is_share(
            measure, quoted_figures
        ):
            continue
        if measure.unit == "" and _is_part_of_date(measure, quoted_figures):
            continue
        contradicted = any(_is_rival(have, measure) for have in quoted_figures.measures) or _is_invented(
            measure, quoted_figures
        )
        derived = _is_derived(measure, quoted_figures)
        (doubts.wrong if contradicted and not derived else doubts.unsure).append(figure_word(measure))
    doubts.wrong += sorted(said_figures.symbols - quoted_figures.symbols)


def _is_invented(measure: Measure, quoted_figures: Figures) -> bool:
    """True for a number that is quoted of nothing; things that are named there may have been counted."""
    counted = measure.unit and measure.unit in COUNTERS and measure.value <= MOST_COUNTED
    return not (
        counted
        or measure.value == 1
        or any(measure.value in (have.value, 1 / (have.value or 1)) for have in quoted_figures.measures)
    )


def _is_rival(have: Measure, measure: Measure) -> bool:
    """True where one of the two numbers is of the kind of the other, or the same of another kind."""
    if have.unit == measure.unit:
        return have.value != measure.value and measure != Measure(Decimal(1))  # one another
    return have.value == measure.value and bool(have.unit and measure.unit)


def _is_derived(measure: Measure, quoted_figures: Figures) -> bool:
    """True for the difference or the sum of two quoted figures, and for the years between two dates."""
    values = [have.value for have in quoted_figures.measures if have.unit == measure.unit]
    if measure.unit == "年":
        values += [Decimal(date.year) for date in quoted_figures.dates if date.year is not None]
    pairs = list(combinations(values, 2))
    return any(measure.value in (abs(first - other), first + other) for first, other in pairs)


def _is_share(measure: Measure, quoted_figures: Figures) -> bool:
    """6割 is 60%, and so is 3/5."""
    share = _share(measure)
    return share is not None and any(_share(have) == share for have in quoted_figures.measures)


def _share(measure: Measure) -> Decimal | None:
    if measure.unit in ("%", "割"):
        return measure.value / (100 if measure.unit == "%" else 10)
    return measure.value if not measure.unit and 0 < measure.value < 1 else None


def list_foreign_addresses(sentence: str, quotation: str) -> list[str]:
    """Addresses of pages and mail that no quotation has: a reader may follow them."""
    known_text = fold(quotation)
    addresses = (match[0].rstrip(".,;:。、") for match in _ADDRESS.finditer(fold(sentence)))
    return [address for address in addresses if address not in known_text]


def list_foreign_coordinates(sentence: str, quotation: str) -> list[str]:
    """Latitudes and longitudes of the sentence that the quotation does not have so: its degrees belong to one
    side."""
    known_text = squeeze(fold(quotation))
    return [place for place in _COORDINATE.findall(squeeze(fold(sentence))) if place not in known_text]


def _dated(date: Date, figures: Figures) -> bool:
    """Said there in one or, as with 同年10月, by a year and a day or month that has none."""
    if any(have.says(date) for have in figures.dates):
        return True
    rest = Date(None, date.month, date.day)
    years = any(have.year == date.year for have in figures.dates)
    return (
        years
        and date != Date(date.year)
        and any(have.year is None and have.says(rest) for have in figures.dates)
    )


def _counts(have: Measure, said_measure: Measure) -> bool:
    """つ counts whatever has no unit of measure."""
    if said_measure.unit == "つ":
        return (have.value, have.power) == (
            said_measure.value,
            said_measure.power,
        ) and have.unit in COUNTERS
    return have.says(said_measure) or (
        have.unit == "つ" and said_measure.unit in COUNTERS and have.value == said_measure.value
    )


def _bare_year(date: Date, figures: Figures) -> bool:
    """(1998) stands for 1998年 too."""
    return date == Date(date.year) and any(
        have.value == date.year and have.unit in ("", "年") for have in figures.measures
    )


def _is_part_of_date(measure: Measure, figures: Figures) -> bool:
    """True for a bare number that is a year or the day of a month there: 11日."""
    return any(measure.value in (have.year, have.day) for have in figures.dates)


def _compare_names(
    comparison: Comparison, sentence: str, quotation: str, question: str, doubts: Doubts
) -> None:
    known_text = fold(squeeze(quotation))
    asked_text = fold(squeeze(question))
    doubts.unsure += [
        fold(mark[0]) for mark in _WRITTEN_AS_NAME.finditer(sentence) if _function_name(mark, quotation)
    ]
    words = {*terms(fold(quotation)), *UNITS, *FUNCTION_WORDS, *ERA_START, *_acronyms(quotation)}
    first = fold(sentence.split(" ", 1)[0]) if " " in sentence else ""
    for name in sorted(names(sentence)):
        parts = terms(name) or [name]
        if (
            name in known_text
            or name in words
            or all(any(mean_same(part, word) for word in words) for part in parts)
        ):
            continue
        if any(mean_same(name, whole) for whole in comparison.wholes) or not _proper(name):
            continue  # a common word is a matter of wording
        if _COUNTED.fullmatch(name):
            continue  # 十人, which the dictionary has as a family name
        if name in _acronyms(sentence) or _spelt_out(name, sentence, words):
            continue
        # A capital at the head of an English sentence need not be a name.
        (doubts.unsure if name in asked_text or name == first else doubts.wrong).append(name)


def _function_name(mark: re.Match[str], quotation: str) -> bool:
    """True where a function word is written as a name, Will, and not quoted beside one of its
    neighbours."""
    before = mark.string[: mark.start()].split()[-1:]
    after = re.match(r" \w+", mark.string[mark.end() :])
    is_known = (before and f"{before[0]} {mark[0]}" in quotation) or (
        after and mark[0] + after[0] in quotation
    )
    return fold(mark[0]) in FUNCTION_WORDS and not is_known


@lru_cache(maxsize=5_000)
def _proper(name: str) -> bool:
    """True where the dictionary does not have the name as a common word."""
    if not _KATAKANA.fullmatch(name):
        return True
    tokens = list(tokenizer().tokenize(name))
    return any(token.is_oov() or token.part_of_speech()[1] == "固有名詞" for token in tokens)


def _acronyms(text: str) -> set[str]:
    """us for United States."""
    runs = (match[0].removeprefix("The ") for match in _CAPITALISED.finditer(text))
    return {"".join(_INITIAL.findall(run)).casefold() for run in runs}


def _spelt_out(name: str, sentence: str, words: set[str]) -> bool:
    return any(
        name in match[0].casefold() and _acronyms(match[0]) & words
        for match in _CAPITALISED.finditer(sentence)
    )
