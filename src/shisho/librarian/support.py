"""Judge how far quotations carry a sentence: supported, unverified or altered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from shisho.domain.inquiry import SupportOutcome
from shisho.language.english import FUNCTION_WORDS
from shisho.language.meanings import same
from shisho.language.names import names
from shisho.language.numbers import COUNTERS, ERA_START, UNITS, Date, Figures, Measure, figures
from shisho.language.terms import fold, squeeze, terms, tokenizer
from shisho.librarian.comparison import (
    Comparison,
    Doubts,
    compare_marks,
    compare_opposites,
    compare_words,
)
from shisho.librarian.places import compare_places
from shisho.librarian.ties import figure_word
from shisho.librarian.wording import compare_wording

_CAPITALISED = re.compile(r"(?:[A-Z][a-z]+[ -](?:of |and )?){1,5}[A-Z][a-z]+")
_KATAKANA = re.compile(r"[ァ-ヺー・]+")
_WRITTEN_AS_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+|\b(?:Will|May|Can)(?= (?:is|was|has|had|will|'s)\b)")
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s「」『』()<>\"']+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b(?:[a-z0-9-]+\.)+(?:com|net|org|info|biz|io|ai|app|dev|co|jp|uk|de|fr|cn|ru|us|eu|xyz|top|site|online|example)\b"
    r"(?:/[^\s「」『』()<>\"']*)?",
    re.IGNORECASE | re.ASCII,
)
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
    quotation = "\n".join([*quotations, *headings])
    doubts = Doubts(wrong=_figures_lacking(figures(sentence), figures(quotation)))
    doubts.wrong += _addresses_lacking(sentence, quotation)
    comparison = Comparison(sentence, quotations, headings)
    _compare_names(comparison, sentence, quotation, question, doubts)
    compare_wording(comparison, sentence, quotations, doubts)
    for compare in (compare_words, compare_marks, compare_opposites, compare_places):
        compare(comparison, doubts)
    if not {*terms(fold(sentence))} & {*terms(fold(quotation))}:
        doubts.unsure.append("words")  # letters that are no words, and interjections, are carried by nothing
    if doubts.wrong:
        return Support(SupportOutcome.ALTERED, tuple(dict.fromkeys(doubts.wrong)))
    if doubts.unsure:
        return Support(SupportOutcome.UNVERIFIED, tuple(dict.fromkeys(doubts.unsure)))
    return Support(SupportOutcome.SUPPORTED, ())


def _figures_lacking(figures: Figures, quoted_figures: Figures) -> list[str]:
    dates = [
        date
        for date in figures.dates
        if not _dated(date, quoted_figures) and not _bare_year(date, quoted_figures)
    ]
    amounts = [
        measure
        for measure in figures.measures
        if not any(_counts(have, measure) for have in quoted_figures.measures)
    ]
    amounts = [
        measure for measure in amounts if not (measure.unit == "" and _is_year(measure, quoted_figures))
    ]
    return [
        *map(figure_word, dates),
        *map(figure_word, amounts),
        *sorted(figures.symbols - quoted_figures.symbols),
    ]


def _addresses_lacking(sentence: str, quotation: str) -> list[str]:
    """Addresses of pages and mail that no quotation has: a reader may follow them."""
    known_text = fold(quotation)
    addresses = (match[0].rstrip(".,;:。、") for match in _ADDRESS.finditer(fold(sentence)))
    return [address for address in addresses if address not in known_text]


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


def _is_year(measure: Measure, figures: Figures) -> bool:
    return any(measure.value == have.year for have in figures.dates)


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
            or all(any(same(part, word) for word in words) for part in parts)
        ):
            continue
        if any(same(name, whole) for whole in comparison.wholes) or not _proper(name):
            continue  # a common word is a matter of wording
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
