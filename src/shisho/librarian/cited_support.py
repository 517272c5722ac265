"""How far its quotations carry a sentence of an answer: with what the question gives, with units from the
headers of tables, and with what the sentence works out from all these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from itertools import combinations

from shisho.domain.inquiry import EvidenceRef, SupportOutcome
from shisho.language.display import join_lines
from shisho.language.names import names
from shisho.language.numbers import Date, Figures, Measure, figure_places, figures, fold_figures
from shisho.language.sentences import sentences
from shisho.language.terms import fold, squeeze, terms
from shisho.librarian.arithmetic import Calculation, find_calculation, work_out
from shisho.librarian.header_units import spell_out_units
from shisho.librarian.support import Support, check
from shisho.librarian.ties import figure_word

# What a sentence says of its own working out.
_WORKING = (
    "合計 合わせる 総額 総数 差 違い 平均 割引 割引後 料金 金額 計算 分 なる よる ため 足す 引く 掛ける 割る 上がる 下がる 順位"
    " total sum difference average amount"
)
_OF_CONCLUSIONS = frozenset({"direction", "negation", "quantifier", "role", "figure", "place"})
MOST_PAIRED = 40  # quoted figures of which pairs are looked at
_SLIGHT = frozenset(
    {"words", "place", "figure", "sentence"}
)  # doubts that what is given or worked out explains


def check_cited(
    text: str, refs: Sequence[EvidenceRef], question: str, worked: Sequence[str] = ()
) -> tuple[str, Support]:
    """The sentence, with the calculation behind a result that it only gives, and how far it is carried.
    `worked`: calculations of other sentences that came out and rest on the same quotations."""
    quotations = _quotations(refs)
    headings = [*(f"{ref.heading}\n{ref.table_header}".strip() for ref in refs), *worked]
    known_text = "\n".join([*quotations, *headings, question])
    calculations = work_out(text, known_text)
    wrong = tuple(calculation.text for calculation in calculations if not calculation.is_right)
    if wrong:
        return text, Support(SupportOutcome.ALTERED, wrong)
    supplied = _supplied(text, quotations, known_text, calculations)
    if supplied:
        text = _with_calculations(text, supplied)
        calculations = (*calculations, *supplied)
    besides = [calculation.text for calculation in calculations]
    besides += _figures_given(text, quotations, question)
    support = check(text, quotations, [*headings, *besides], question)
    if support.outcome is SupportOutcome.ALTERED and _is_conclusion(
        text, support, quotations, besides, question
    ):
        support = Support(SupportOutcome.UNVERIFIED, support.missing)
    foreign = _foreign_figures(text, support, quotations)
    if foreign:
        return text, Support(SupportOutcome.ALTERED, foreign)
    known_texts = [*quotations, *headings, *besides]
    if any(_is_misplaced(calculation, text, quotations) for calculation in calculations):
        return text, Support(SupportOutcome.UNVERIFIED, ("place",)) if support.missing == () else support
    if calculations and _is_explained(text, support, known_texts, question):
        support = Support(SupportOutcome.SUPPORTED, ())
    return text, support


def _is_conclusion(
    text: str, support: Support, quotations: Sequence[str], besides: Sequence[str], question: str
) -> bool:
    """True where what rules find amiss may follow from the question and the quotations together: whoever
    reasons from a case of his own says what neither of them says alone. Rules cannot tell, and a judge is
    asked."""
    if besides and _OF_CONCLUSIONS.issuperset(support.missing):
        return True
    if support.missing != ("quantifier",):
        return False
    # How much of something, or the most of it, may be what was asked for: then it is no invention.
    by_question = check(text, quotations, [*besides, question], question)
    return by_question.outcome is not SupportOutcome.ALTERED


def select_right_calculations(text: str, refs: Sequence[EvidenceRef], question: str) -> list[str]:
    """The calculations of a sentence that come out, as they are written."""
    known_text = "\n".join([*_quotations(refs), question])
    return [calculation.text for calculation in work_out(text, known_text) if calculation.is_right]


def _foreign_figures(text: str, support: Support, quotations: Sequence[str]) -> tuple[str, ...]:
    """Figures that nothing quoted, asked or worked out has, and no two quoted ones come to: whatever else is
    unsure, no number gets into an answer from nowhere."""
    measures = figures("\n".join(quotations)).measures
    reached: set[tuple[Decimal, str]] = set()
    for first, other in combinations(measures[:MOST_PAIRED], 2):
        if first.unit == other.unit:
            reached |= {(first.value + other.value, first.unit), (abs(first.value - other.value), first.unit)}
    own_figures = figures(text)
    words = [figure_word(day) for day in own_figures.dates]
    words += [
        figure_word(measure)
        for measure in own_figures.measures
        if (measure.value, measure.unit) not in reached
    ]
    return tuple(word for word in words if word in support.missing)


def _is_misplaced(calculation: Calculation, text: str, quotations: Sequence[str]) -> bool:
    """True where it reckons with a number from a row of a table that the sentence does not name, while it
    names others."""
    lines = [line for quotation in quotations for line in quotation.splitlines()]
    rows = [line.split("\t") for line in lines if "\t" in line]
    rows = rows or [line.split(",") for line in lines if line.count(",") > 1]
    named_rows = [row for row in rows if row[0].strip(" 0123456789") and row[0].strip() in text]
    if not named_rows:
        return False
    *operands, _ = figures(calculation.text).measures
    in_named, in_rows = (figures("\n".join("\n".join(row) for row in part)) for part in (named_rows, rows))
    return any(_has(in_rows, operand) and not _has(in_named, operand) for operand in operands)


def _quotations(refs: Sequence[EvidenceRef]) -> list[str]:
    return [_unwrapped(spell_out_units(ref.snippet, ref.context)) for ref in refs]


def _unwrapped(text: str) -> str:
    """A sentence a line: a word that the margin has cut is whole again."""
    spans = [text[start:end] for start, end in sentences(text)]
    return "\n".join(join_lines(span) if "\n" in span.strip() else span for span in spans)


def _supplied(
    text: str, quotations: Sequence[str], known_text: str, calculations: Sequence[Calculation]
) -> tuple[Calculation, ...]:
    known_measures = figures(
        "\n".join([known_text, *(calculation.text for calculation in calculations)])
    ).measures
    lacking = [
        measure
        for measure in figures(text).measures
        if not any(have.says(measure) for have in known_measures)
    ]
    found_calculations = [find_calculation(text, measure, "\n".join(quotations)) for measure in lacking]
    return tuple(calculation for calculation in found_calculations if calculation is not None)


def _with_calculations(text: str, calculations: Sequence[Calculation]) -> str:
    end = re.search(r"[。．.!！?？\s]*$", text)
    body, close = (text[: end.start()], end[0]) if end else (text, "")
    return f"{body} ({'; '.join(calculation.text for calculation in calculations)}){close}"


def _figures_given(text: str, quotations: Sequence[str], question: str) -> list[str]:
    """Figures of the sentence that the question gives and no quotation has, as the sentence writes them."""
    plain = fold_figures(text)
    asked_figures = figures(question)
    quoted_figures = figures("\n".join(quotations))
    return [
        plain[place.start : place.end]
        for place in figure_places(plain)
        if _has(asked_figures, place.figure) and not _has(quoted_figures, place.figure)
    ]


def _has(all_figures: Figures, figure: Date | Measure) -> bool:
    if isinstance(figure, Measure):
        return any(measure.says(figure) for measure in all_figures.measures)
    years = {measure.value for measure in all_figures.measures} if figure == Date(figure.year) else set()
    return any(date.says(figure) for date in all_figures.dates) or figure.year in years


def _is_explained(text: str, support: Support, known_texts: Sequence[str], question: str) -> bool:
    """True where a sentence whose figures were worked out says nothing besides that is not quoted or asked:
    names are quoted, for the question may name others."""
    if support.outcome is not SupportOutcome.UNVERIFIED or not _SLIGHT.issuperset(support.missing):
        return False
    quoted_text = fold(squeeze("\n".join(known_texts)))
    if any(name not in quoted_text for name in names(text)):
        return False
    known_terms = {term for known_text in (*known_texts, question) for term in terms(fold(known_text))}
    return set(terms(fold(text))) <= known_terms | _working_terms()


@cache
def _working_terms() -> frozenset[str]:
    return frozenset(terms(fold(_WORKING)))
