"""Match names to documents: by title or file, by date, by old and new."""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from collections.abc import Sequence
from functools import lru_cache

from shisho.language.dates import find_date
from shisho.language.numbers import Date, find_figures
from shisho.language.terms import fold, split_terms
from shisho.records import dataclass
from shisho.surveys.recognise import GENERIC

MIN_SHARE = 0.5  # of a title's words that a name must have
_OLD = frozenset(["old", "older", "previous", "former", "earlier", "旧", "旧版", "古い", "前"])
_NEW = frozenset(["new", "newer", "current", "latest", "新", "新版", "新しい", "最新"])
# Kinds of documents in the other language: a file may be named in either.
_KINDS = {"議事録": "minutes", "報告書": "report", "手紙": "letter", "契約書": "contract", "規則": "rules"}
_PARTS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class DocumentName:
    """The name of a document: its title, its file, its dates.

    `words` come from its title and its file.
    """

    title: str
    file: str
    titled: frozenset[str]
    words: frozenset[str]
    dates: tuple[Date, ...]


def read_name(title: str, source: str) -> DocumentName:
    """Return the name of a document from its title and its original path."""
    file = re.split(r"[/\\]", source)[-1]
    stem = file.rpartition(".")[0] or file
    titled = _list_words(title)
    dates = (*find_figures(title).dates, find_date(stem))
    folders = [_list_words(part) for part in re.split(r"[/\\]", source)[-2:-1]]
    words = titled.union(_list_words(_PARTS.sub(" ", stem)), *folders)
    return DocumentName(title, file, titled, words, tuple(date for date in dates if date.month))


def find_named(name: str, documents: Sequence[DocumentName]) -> list[int]:
    """Return the indexes of the documents that best fit a name; several if it is ambiguous."""
    folded = fold(name)
    exact = [
        at
        for at, document in enumerate(documents)
        if folded in (fold(document.title), fold(document.file), fold(document.file.rpartition(".")[0]))
    ]
    if exact:
        return exact
    sought = [date for date in find_figures(name).dates if date.month]
    kinds = {
        word for kind, english in _KINDS.items() if kind in name for word in _list_words(f"{kind} {english}")
    }
    words = _list_words(name) - kinds - _list_words(" ".join(GENERIC))
    if sought:
        words = frozenset(word for word in words if not word.isdigit()) - _list_months()
        fitting = [
            at
            for at, document in enumerate(documents)
            if any(_is_agreeing(sought[0], date) for date in document.dates) and words <= document.words
        ]
        titled_so = [at for at in fitting if kinds & documents[at].words]
        return titled_so or fitting
    words |= {word for word in kinds if word not in _list_words(" ".join(_KINDS.values()))}
    return _find_by_words(words, documents)


def find_pair(first: str, second: str, documents: Sequence[DocumentName]) -> tuple[int, int] | None:
    """Return the older and the newer of two documents that the names identify.

    The second name may omit words that both share. None unless each name fits exactly one document.
    """
    exact = [find_named(name, documents) for name in (first, second)]
    if all(len(places) == 1 for places in exact) and exact[0] != exact[1]:
        return exact[0][0], exact[1][0]
    spoken = [_list_words(name) for name in (first, second)]
    shared = spoken[0] | spoken[1]
    common = shared - _OLD - _NEW
    picked = []
    for words in spoken:
        own = words - _OLD - _NEW
        fitting = [at for at, document in enumerate(documents) if own <= document.words]
        for age in (_OLD, _NEW):
            if words & age:
                fitting = [at for at in fitting if documents[at].words & age]
        picked.append(_find_most_alike(common, fitting, documents))
    if None not in picked and picked[0] != picked[1]:
        return picked[0], picked[1]  # type: ignore[return-value]  # None is in neither
    if common and shared & _OLD and shared & _NEW:
        fitting = [at for at, document in enumerate(documents) if common <= document.words]
        if len(fitting) == 2:
            older, newer = sorted(fitting, key=lambda at: _make_order(documents[at]))
            return older, newer
    return None


def _find_by_words(words: frozenset[str] | set[str], documents: Sequence[DocumentName]) -> list[int]:
    shares = {
        at: len(words & document.titled) / max(1, len(document.titled))
        for at, document in enumerate(documents)
        if words and words <= document.words
    }
    best = max(shares.values(), default=0.0)
    if best < MIN_SHARE and len(words) < 2:
        return []
    return [at for at, share in shares.items() if share == best]


def _find_most_alike(
    words: frozenset[str], places: Sequence[int], documents: Sequence[DocumentName]
) -> int | None:
    """Return the one document with the most of the words; None on a tie."""
    ranked = sorted(places, key=lambda at: -len(words & documents[at].words))
    if not ranked or not words & documents[ranked[0]].words:
        return None
    if len(ranked) > 1 and len(words & documents[ranked[1]].words) == len(words & documents[ranked[0]].words):
        return None
    return ranked[0]


def _make_order(document: DocumentName) -> tuple[tuple[int, int, int], list[tuple[int, str]]]:
    """Sort by date, then by the numbers and letters of the file name: v9 before v10."""
    date = document.dates[0] if document.dates else Date(None)
    parts = [
        (int(part), "") if part.isdecimal() else (0, part) for part in re.findall(r"\d+|\D+", document.file)
    ]
    return (date.year or 0, date.month or 0, date.day or 0), parts


def _is_agreeing(sought: Date, date: Date) -> bool:
    """Return whether the dates agree in the parts that both have.

    A requested day must be present.
    """
    years = {sought.year, date.year} - {None}
    return len(years) < 2 and sought.month == date.month and sought.day in (None, date.day)


@lru_cache(maxsize=1)
def _list_months() -> frozenset[str]:
    """Return the words of dates, besides their numbers."""
    return _list_words(" ".join([*month_name[1:], *month_abbr[1:], "年 月 日 th st nd rd"]))


def _list_words(text: str) -> frozenset[str]:
    words = split_terms(fold(text))
    # Sudachi reads 旧版 as one word, and 旧 next to a bracket as its own.
    return frozenset(words).union(word[0] for word in words if word in ("旧版", "新版"))
