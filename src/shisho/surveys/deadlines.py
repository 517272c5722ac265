"""Sentences that name a deadline, and whether it has passed."""

from __future__ import annotations

import re
from calendar import month_name, monthrange
from datetime import date
from functools import lru_cache

from shisho.language.numbers import Date, find_figures
from shisho.language.terms import fold, split_terms

_SPEAKS = re.compile(
    r"\bdeadlines?\b|\bdue\b|\b(?:no|not) later than\b|\bat the latest\b|\b(?:by|until) (?:the )?(?=[\w, ]*\d)"
    r"|\bclos(?:e|es|ing)\b|\bexpir(?:e|es|y)\b|\blast day\b|締め?切|〆切|期限|期日|必着|まで(?:に|と|$|。|です)",
    re.IGNORECASE,
)
_ASIDE = (
    "deadline deadlines open still upcoming coming ahead passed over expired remaining left next date dates list show all "
    "any give me days today now yet up remain "
    "まだ 過ぎていない 締切 期限 期日 これから 来る 残っている 今後 一覧 リスト すべて 全部 "
    "挙げる 教える 見せる 迎える 間に合う 下さる 何 物"
)


@lru_cache(maxsize=1)
def list_sought() -> tuple[str, ...]:
    """Return the index terms of passages that may name a deadline.

    Words for deadlines, and months.
    """
    words = "deadline due expire close submit latest 締切 期限 期日 必着 月"
    return tuple(dict.fromkeys(split_terms(fold(" ".join([words, *month_name[1:]])))))


def list_limits(question: str) -> frozenset[str]:
    """Return the terms that restrict the deadlines to a topic; empty for all."""
    return frozenset(split_terms(fold(question))).difference(split_terms(_ASIDE))


def find_day(sentence: str) -> date | None:
    """Return the latest deadline in a sentence; None if it names no deadline or no year."""
    if not _SPEAKS.search(fold(sentence)):
        return None
    return max((day for day in map(_end, find_figures(sentence).dates) if day), default=None)


def _end(named: Date) -> date | None:
    """Return the last day of a date, which may be only a month."""
    if not named.year or named.month is None or not 1 <= named.month <= 12:
        return None
    last = monthrange(named.year, named.month)[1]
    return date(named.year, named.month, min(named.day or last, last))
