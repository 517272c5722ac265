"""Find plain statements of two sources that give different figures for the same thing.

A false contradiction costs more trust than a missed one: all words but the figure must agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import product

from shisho.language import compile_lazily, read_words
from shisho.language.document_names import find_names
from shisho.language.meanings import LIGHT, is_same_word
from shisho.language.numbers import Date, Measure
from shisho.language.terms import fold
from shisho.librarian.checking.clauses import (
    Clause,
    are_of_one_kind,
    has_different_marks,
    is_in,
    read_clauses,
)
from shisho.records import dataclass

ROUGHLY = Decimal("1.5")  # from this ratio on two amounts of which one is rough disagree
QUALIFYING = ("bounds", "limits", "doubts")  # marks that both statements must have
MIN_COMMON = 2  # words that two statements must share

_TIME = compile_lazily(r"(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])|(\d{1,2})時(\d{1,2})分")
# What happens once: two dates of it can't both be right.
_ONCE = read_words(
    "生まれる 誕生 出生 死去 死亡 死ぬ 没する 没 崩御 逝去 設立 創設 創立 結成 発足 建立 創業 開業 開校 開通 開港 竣工 完成",
    "発見 発明 制定 公布 締結 調印 創刊 発売 刊行 出版 始まる 開戦 終結 閉山 廃止 閉鎖 登録 任命 結婚 独立 滅亡 就航 開館",
    "建国 併合 初飛行 発布 沈没 即位 戴冠 開園 開設 落成 初演 bear born die found open discov invent establish publish complet",
)
_INDEFINITE = compile_lazily(
    r"例えば|たとえば|仮に|もし|[?？]|か。?$|\b(?:e\.g|for example|for instance|suppose|if)\b"
)
_LATIN = compile_lazily(r"[A-Za-z]")
_PART_START = compile_lazily(r"(?:^|[›:|(])\s*[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A clause with one figure that is compared.

    `before` and `after`: the words around it. `others`: its other figures. `names_before`: names before it.
    """

    figure: Date | Measure
    before: frozenset[str]
    after: frozenset[str]
    others: frozenset[Date | Measure]
    names_before: frozenset[str]
    clause: Clause


def contradiction(first: str, other: str, heading: str = "", other_heading: str = "") -> str:
    """Return `date` or `number` if two quotations disagree in one about the same thing, else nothing.

    The order of the two does not matter.
    """
    if not _may_have_same_subject(heading, other, other_heading) or not _may_have_same_subject(
        other_heading, first, heading
    ):
        return ""
    is_one_heading = bool(heading) and heading == other_heading
    around = ("", "") if is_one_heading else (other_heading, heading)
    if _find_foreign_names(first, other, around[0]) and _find_foreign_names(other, first, around[1]):
        return ""
    our_statements, their_statements = [*_list_statements(first)], [*_list_statements(other)]
    for a, b in product(our_statements, their_statements):
        if (
            are_of_one_kind(a.figure, b.figure)
            and _disagree(a.figure, b.figure)
            and (isinstance(a.figure, Measure) or _ONCE.intersection(a.before | a.after))
            and not any(_agree(a.figure, statement.figure) for statement in their_statements)
            and not any(_agree(b.figure, statement.figure) for statement in our_statements)
            and _list_dates(first) - {a.figure} == _list_dates(other) - {b.figure}
            and _have_same_subject(a, b, heading, other_heading)
            # One text speaks of one thing twice seldom; of two things in the same words often.
            and (not is_one_heading or a.names_before & b.names_before)
        ):
            return "date" if isinstance(a.figure, Date) else "number"
    return ""


def _list_statements(text: str) -> Iterator[_Statement]:
    plain = _TIME.sub(lambda time: f"{_read_minutes(time)}分", text)
    clauses = read_clauses(plain)
    indefinite = {clause.sentence for clause in clauses if _INDEFINITE.search(clause.text)}
    for clause in clauses:
        if clause.sentence in indefinite or " | " in clause.text or "\t" in clause.text:
            continue
        surfaces = [token.surface for token in clause.tokens if token.figure is not None]
        for place, figure in enumerate(clause.figures):
            if clause.figures.count(figure) > 1:
                continue
            head, _, tail = clause.text.partition(surfaces[place])
            yield _Statement(
                figure,
                _read_words(head),
                _read_words(tail),
                frozenset(other for other in clause.figures if other is not figure),
                find_names(head),
                clause,
            )


def _read_minutes(time: re.Match[str]) -> int:
    return int(time[1] or time[3]) * 60 + int(time[2] or time[4])


def _read_words(text: str) -> frozenset[str]:
    return frozenset(word for clause in read_clauses(text) for word in clause.words) - LIGHT


def _have_same_subject(a: _Statement, b: _Statement, heading: str, other_heading: str) -> bool:
    """Return whether the words before the figure are the same, in Japanese also those after it.

    The predicate of Japanese is last. A heading may contain the words of the other statement.
    """
    if not (a.others <= b.others or b.others <= a.others):
        return False
    if has_different_marks(a.clause.text, b.clause.text, QUALIFYING):
        return False
    if _find_missing_words(a.before, b.before, other_heading) or _find_missing_words(
        b.before, a.before, heading
    ):
        return False
    left, right = _find_missing_words(a.after, b.after), _find_missing_words(b.after, a.after)
    is_latin = bool(_LATIN.match(a.clause.text))
    if (left and right) or ((left or right) and not is_latin):
        return False
    if a.others != b.others and not is_latin:
        return False
    return len(a.before | a.after) - len(left) >= MIN_COMMON


def _find_missing_words(words: frozenset[str], others: frozenset[str], heading: str = "") -> frozenset[str]:
    """Return the words that the others do not have."""
    their_words = others | _read_words(heading)
    return frozenset(word for word in words if not any(is_same_word(word, other) for other in their_words))


def _may_have_same_subject(heading: str, other: str, other_heading: str) -> bool:
    """Return whether the heading names and dates only what the other source does."""
    if not other_heading or not heading:
        return True
    dates, other_dates = _list_dates(heading), _list_dates(other_heading)
    foreign = _find_foreign_names(heading, other, other_heading)
    return not foreign and not (dates and other_dates and dates != other_dates)


def _find_foreign_names(text: str, other: str, other_heading: str) -> list[str]:
    """Return names that the other source does not have."""
    their_words = fold(f"{other}\n{other_heading}").replace(" ", "")
    names_before = find_names(_PART_START.sub(" ", text))
    return [name for name in names_before if not name.isdecimal() and name not in their_words]


def _list_dates(heading: str) -> frozenset[Date | Measure]:
    return frozenset(
        figure
        for clause in read_clauses(heading)
        for figure in clause.figures
        if isinstance(figure, Date) or 1000 <= figure.value < 2200
    )


def _agree(first: Date | Measure, other: Date | Measure) -> bool:
    return are_of_one_kind(first, other) and not _disagree(first, other)


def _disagree(first: Date | Measure, other: Date | Measure) -> bool:
    """Return whether two figures of one kind can't both be right."""
    if is_in(first, (other,)):
        return False
    if isinstance(first, Date) or isinstance(other, Date):
        return True
    low, high = sorted((first.value, other.value))
    return not (first.rough or other.rough) or (low > 0 and high / low >= ROUGHLY)
