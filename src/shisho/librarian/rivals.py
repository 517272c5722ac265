"""Lines that say of another thing what is asked: of another number, or beside the one that names it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from shisho.language.sentences import is_row
from shisho.librarian.designations import names_another, names_any
from shisho.librarian.questions import ParsedQuestion
from shisho.librarian.quotable import QuotableLine
from shisho.librarian.table_rows import find_met

OWN_ODDS = 2.0  # logarithm: by so much less likely a line may be that says itself what stands above the best
PARALLEL = 0.5  # of the letters of two lines that say the same of two things


def drop_other_things(candidates: Sequence[QuotableLine], question: ParsedQuestion) -> list[QuotableLine]:
    """Without lines of another thing of the numbered kind that is asked for, where a line names that very
    one."""
    sought = question.designations
    things = [candidate.shared.page.lines[candidate.place].designations for candidate in candidates]
    if not any(names_any(sought, stated) for stated in things):
        return list(candidates)
    return [
        line for line, stated in zip(candidates, things, strict=True) if not names_another(sought, stated)
    ]


def is_rival(candidate: QuotableLine, best: QuotableLine) -> bool:
    """True for a line that brings what is asked for as the best does, of something that is less of what is
    asked about: 「大阪支店の店長は…」 beside 「神戸支店の店長は…」. Rows of a table outdo each other."""
    if is_row(candidate.quotation):
        return False
    brings_both = bool(candidate.signs.kind_quoted and best.signs.kind_quoted)
    return brings_both and find_own_words(candidate) < find_own_words(best) and _are_parallel(candidate, best)


def put_own_words_first(ranked: list[QuotableLine]) -> list[QuotableLine]:
    """The line first that says itself what a nearly as likely one of its passage has from the heading alone:
    under 「登校と下校」 both have both."""
    best = ranked[0] if ranked else None
    for line in ranked[1:]:
        if best is None or best.odds - line.odds >= OWN_ODDS:
            break
        if line.shown is best.shown and _says_itself(line, best) and _are_parallel(line, best):
            return [replace(line, odds=best.odds), *(other for other in ranked if other is not line)]
    return ranked


def _says_itself(line: QuotableLine, best: QuotableLine) -> bool:
    words = find_own_words(line)
    best_words = find_own_words(best)
    return words > best_words and words - best_words <= _find_words_above(best)


def find_own_words(candidate: QuotableLine) -> frozenset[str]:
    """The words of the question that the line itself has."""
    return find_met(candidate.shared.alike, candidate.shared.page.lines[candidate.place].terms)


def _find_words_above(candidate: QuotableLine) -> frozenset[str]:
    """The words of the question that the headings of the line have."""
    shared = candidate.shared
    under = shared.page.lines[candidate.place].under
    return find_met(shared.alike, under | shared.page.heading | shared.titled)


def _are_parallel(one: QuotableLine, other: QuotableLine) -> bool:
    return SequenceMatcher(None, one.quotation, other.quotation, autojunk=False).ratio() >= PARALLEL
