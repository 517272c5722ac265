"""Whether quotations carry a sentence: supported, unverified or altered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shisho.domain.inquiry import SupportOutcome
from shisho.language.clauses import clauses
from shisho.language.names import names
from shisho.language.numbers import UNITS, Date, Figures, Measure, figures
from shisho.language.polarity import negated
from shisho.language.sentences import sentences
from shisho.language.terms import fold, squeeze, terms

COVERED = 0.6  # share of a sentence's content terms that must be in its quotations or the question
TOLD = 0.75  # share of the nouns it adds to the question that must be in its quotations
FOREIGN = 0.3  # below this share of a sentence's terms in its quotations, they speak of something else
SAME_CLAUSE = 0.6  # share of a clause's terms in another, from which their polarity must agree

# Terms of connective sentences, as the index has them.
_GENERIC = frozenset(
    word
    for line in (
        "以下 次 通り 点 答え 回答 説明 結果 資料 文書 記述 引用 内容 情報 質問 観点 順 例 場合 理由 違い 特徴 要点 概要 詳細",
        "前者 後者 両者 双方 一方 他方 上記 下記 本文 関連 存在 此れ 其れ 為る 有る 成る 居る 因る 述べる 示す",
        "overview answer question follow document source passage point differ reason detail summari describ accord both first",
        "second final also howev therefor moreov say show find found mention give state see below abov here thing each other",
    )
    for word in line.split()
)


@dataclass(frozen=True, slots=True)
class Support:
    """`missing` names what the quotations do not say: a figure, a name, `negation` or `words`."""

    outcome: SupportOutcome
    missing: tuple[str, ...]


def check(sentence: str, quotations: Sequence[str], headings: Sequence[str] = (), question: str = "") -> Support:
    """Every number, date, unit, name and negation of the sentence must be in its quotations, and most of its words.

    The question may bring words that the sentence repeats, never figures or names: give a quotation's heading as one more
    quotation where it names the subject.
    """
    there = "\n".join([*quotations, *headings])
    lacking = [*_figures_lacking(figures(sentence), figures(there)), *_names_lacking(sentence, there)]
    if not _polarity_agrees(sentence, quotations):
        lacking.append("negation")
    said, asked = set(terms(fold(sentence))), set(terms(fold(question)))
    quoted = {*terms(fold(squeeze(there))), *terms(fold(there))}
    # What the sentence tells beyond the question stands in its nouns (verbs have synonyms; figures were compared above).
    told = {term for term in said - asked - _GENERIC - UNITS if not ("ぁ" <= term[-1] <= "ん" or re.search(r"\d", term))}
    if lacking or len(said & (quoted | UNITS)) < FOREIGN * len(said):
        return Support(SupportOutcome.ALTERED, tuple(dict.fromkeys(lacking)) or ("words",))
    if len(said & (quoted | asked | UNITS)) < COVERED * len(said) or len(told & quoted) < TOLD * len(told):
        return Support(SupportOutcome.UNVERIFIED, ("words",))
    return Support(SupportOutcome.SUPPORTED, ())


def _figures_lacking(wanted: Figures, there: Figures) -> list[str]:
    dates = [date for date in wanted.dates if not any(have.says(date) for have in there.dates) and not _bare_year(date, there)]
    amounts = [measure for measure in wanted.measures if not any(have.says(measure) for have in there.measures)]
    amounts = [measure for measure in amounts if not (measure.unit in ("", "年") and _is_year(measure, there))]
    return [
        *map(_date_word, dates),
        *(f"{m.value:f}{m.power}{m.unit}" for m in amounts),
        *sorted(wanted.symbols - there.symbols),
    ]


def _bare_year(date: Date, there: Figures) -> bool:
    """(1998) stands for 1998年 too."""
    return date == Date(date.year) and any(have.value == date.year and have.unit in ("", "年") for have in there.measures)


def _is_year(measure: Measure, there: Figures) -> bool:
    return any(measure.value == have.year for have in there.dates)


def _date_word(date: Date) -> str:
    return "-".join(str(part) for part in (date.year, date.month, date.day) if part is not None)


def _names_lacking(sentence: str, there: str) -> list[str]:
    known = fold(squeeze(there))
    words = {*terms(fold(there)), *_GENERIC, *UNITS}
    return sorted(name for name in names(sentence) if name not in known and not words.issuperset(terms(name) or [name]))


def _polarity_agrees(sentence: str, quotations: Iterable[str]) -> bool:
    """Each clause is negated as the quoted clause nearest to it; where none is near, a negation must be quoted at all."""
    quoted = [clause for quotation in quotations for clause in _clauses(quotation)]
    for words, denied in _clauses(sentence):
        near = max(quoted, key=lambda clause: len(words & clause[0]), default=None)
        if near is not None and words and len(words & near[0]) >= SAME_CLAUSE * len(words):
            alike = [no for said, no in quoted if len(words & said) == len(words & near[0])]
            if denied not in alike:
                return False
        elif denied and not any(no for _, no in quoted):
            return False
    return True


def _clauses(text: str) -> list[tuple[frozenset[str], bool]]:
    parts = (text[a:b] for start, end in sentences(text) for a, b in clauses(text, start, end))
    return [(frozenset(terms(fold(part))), negated(part)) for part in parts]
