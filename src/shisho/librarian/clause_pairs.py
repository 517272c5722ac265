"""Clauses of a sentence against clauses of its quotations: what stands together in one must not be put
together out of two."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from shisho.language.weights import LIGHT
from shisho.librarian.comparison import Comparison, Doubts
from shisho.librarian.ties import TiedPhrase, case_of, figure_kinds, figure_word, figures_agree, words_of

_SLOTS = frozenset({"が", "で", "を", "に", "から"})


def compare_clauses(comparison: Comparison, doubts: Doubts) -> None:
    """Find clauses that are put together out of two."""
    if _clauses_cross(comparison) or any(
        _is_of_another_clause(comparison, clause) for clause in _clauses(comparison.said)
    ):
        doubts.unsure.append("role")
    _compare_pairs(comparison, doubts)


def _compare_pairs(comparison: Comparison, doubts: Doubts) -> None:
    """What stands together in a clause of the sentence, a figure and a name, must not stand there each with
    another of its kind."""
    quoted_clauses = _clauses(comparison.quoted)
    for clause in _clauses(comparison.said):
        anchors = [tied for tied in clause if tied.phrase.figures or tied.phrase.name]
        if any(_is_anothers(comparison, tied) for tied in anchors):
            doubts.wrong.append("role")
        if any(
            tied.phrase.figures and _is_told_of_another(comparison, clause, tied, quoted_clauses)
            for tied in clause
        ):
            doubts.unsure.append("figure")
        for one, other in combinations(anchors, 2):
            if _is_parted(comparison, clause, one, other, quoted_clauses):
                doubts.unsure.append("role")


def _clauses_cross(comparison: Comparison) -> bool:
    """True where two clauses of the sentence have each a word of two clauses there, crosswise: A is B, C is D
    there, and here A is D, C is B."""
    said_words = [{comparison.rename(word) for word in words} for words in _clause_words(comparison.said)]
    quoted_clauses = _clause_words(comparison.quoted)
    for first, other in combinations(said_words, 2):
        for one_clause, other_clause in combinations(quoted_clauses, 2):
            own_words = one_clause - other_clause
            others = other_clause - one_clause
            if all(
                (
                    first & own_words - other,
                    first & others - other,
                    other & own_words - first,
                    other & others - first,
                )
            ):
                return True
    return False


def _clause_words(row: Sequence[TiedPhrase]) -> list[set[str]]:
    """The words between pauses, predicates and subjects; neither the pause after a topic nor one in a list
    ends a clause."""
    clauses: list[set[str]] = []
    ended = True
    subjects = 0
    has_object = False
    for tied, after in pairwise([*row, None]):
        assert tied is not None
        phrase = tied.phrase
        closes = phrase.aside and after is not None and not after.phrase.aside
        subject = case_of(phrase.role) == "が" and not phrase.figures and not closes
        if ended or (subject and subjects):
            clauses.append(set())
            subjects = 0
            has_object = False
        subjects += subject
        clauses[-1].update(words_of(tied))
        has_object = has_object or phrase.role == "を"
        paused = phrase.broken and (has_object or case_of(phrase.role) not in ("が", ""))
        listed = phrase.role == "と" and bool(phrase.figures)
        ended = paused or phrase.predicate or listed or after is None or after.sentence != tied.sentence
    return [words - LIGHT for words in clauses if len(words - LIGHT) > 1]


def _is_of_another_clause(comparison: Comparison, clause: Sequence[TiedPhrase]) -> bool:
    """True where the quoted clause that is nearest to the rest of this one has something that is not said in
    the role of a phrase that the quotations have elsewhere: the subject of one clause with what another
    says."""
    said_words = {comparison.rename(word) for tied in clause for word in words_of(tied)}
    figures = {word for tied in clause for word in map(figure_word, tied.phrase.figures)}
    rows = _clauses(comparison.quoted)
    rows = [row for row in rows if figures and figures <= _row_words(row)] or rows
    for tied in clause:
        role = case_of(tied.phrase.role)
        if role not in _SLOTS or tied.phrase.predicate:
            continue
        own_words = {comparison.rename(word) for word in words_of(tied)} - LIGHT
        rest = said_words - own_words - LIGHT
        near = max(rows, key=lambda row: len(rest & _row_words(row)), default=None)
        if near is None or len(rest & _row_words(near)) < 2:
            continue
        elsewhere = (own_words - _row_words(near)) & comparison.quoted_words
        rivals = (
            other for other in near if case_of(other.phrase.role) == role and not other.phrase.predicate
        )
        if elsewhere and any(set(words_of(other)) - LIGHT - said_words for other in rivals):
            return True
    return False


def _row_words(row: Sequence[TiedPhrase]) -> set[str]:
    return {word for tied in row for word in words_of(tied)}


def _is_told_of_another(
    comparison: Comparison,
    clause: Sequence[TiedPhrase],
    figure: TiedPhrase,
    quoted_clauses: Sequence[Sequence[TiedPhrase]],
) -> bool:
    """True where a clause with another figure of the kind, which is not said, has clearly more of what is
    said beside the figure than any clause that has it."""
    alone = sum(bool(figure_kinds(figure) & figure_kinds(tied)) for tied in comparison.said) == 1
    words = {
        comparison.rename(word)
        for tied in (comparison.said if alone else clause)
        for word in tied.phrase.terms
    }
    words -= LIGHT
    homes = [row for row in quoted_clauses if _here(comparison, figure, row)]
    rivals = [
        row for row in quoted_clauses if row not in homes and _has_rival(row, figure, {*words_of(figure)})
    ]
    if not homes or not rivals:
        return False
    own_words, other = (max(len(words & _row_words(row)) for row in rows) for rows in (homes, rivals))
    return other >= own_words + 2


def _is_parted(
    comparison: Comparison,
    clause: Sequence[TiedPhrase],
    one: TiedPhrase,
    other: TiedPhrase,
    quoted_clauses: Sequence[Sequence[TiedPhrase]],
) -> bool:
    homes = [row for row in quoted_clauses if _here(comparison, one, row)]
    others = [row for row in quoted_clauses if _here(comparison, other, row)]
    if not homes or not others or any(row in others for row in homes):
        return False
    if _is_shared_topic(comparison, one, homes, others) or _is_shared_topic(comparison, other, others, homes):
        return False
    said_words = {comparison.rename(word) for tied in clause for word in words_of(tied)}
    rivals = (
        all(_has_rival(row, other, said_words) for row in homes),
        all(_has_rival(row, one, said_words) for row in others),
    )
    return any(rivals) if one.phrase.figures or other.phrase.figures else all(rivals)


def _here(comparison: Comparison, anchor: TiedPhrase, row: Sequence[TiedPhrase]) -> list[TiedPhrase]:
    return [tied for tied in row if _is_there(comparison, anchor, tied)]


def _is_shared_topic(
    comparison: Comparison,
    anchor: TiedPhrase,
    homes: Sequence[Sequence[TiedPhrase]],
    others: Sequence[Sequence[TiedPhrase]],
) -> bool:
    """True where the anchor is what the sentence of the other is about, too."""
    return any(
        tied.phrase.role in ("は", "も", "では", "には", "")
        and tied.sentence == row[0].sentence
        and tied.place < row[0].place
        for home in homes
        for tied in _here(comparison, anchor, home)
        for row in others
    )


def _is_anothers(comparison: Comparison, said_words: TiedPhrase) -> bool:
    """True where a figure stands in one phrase with the name of another thing, which has another figure
    there."""
    our_words = {comparison.rename(term) for term in said_words.phrase.terms}
    homes = [
        quoted_clauses for quoted_clauses in comparison.quoted if figures_agree(said_words, quoted_clauses)
    ]
    if not our_words or not homes:
        return False
    return all(
        any(
            not figures_agree(said_words, quoted_clauses)
            and figure_kinds(said_words) & figure_kinds(quoted_clauses)
            and bool(distinct := our_words - set(home.phrase.terms))
            and distinct <= set(quoted_clauses.phrase.terms)
            for quoted_clauses in comparison.quoted
        )
        for home in homes
    )


def _has_rival(row: Sequence[TiedPhrase], anchor: TiedPhrase, said_words: set[str]) -> bool:
    """True where the clause has another thing of the anchor's kind."""
    if anchor.phrase.figures:
        return any(
            figure_kinds(anchor) & figure_kinds(tied)
            and said_words.isdisjoint(map(figure_word, tied.phrase.figures))
            for tied in row
        )
    return any(tied.phrase.name and said_words.isdisjoint(words_of(tied)) for tied in row)


def _is_there(comparison: Comparison, said_words: TiedPhrase, quoted_clauses: TiedPhrase) -> bool:
    if said_words.phrase.figures and figures_agree(said_words, quoted_clauses):
        return True
    our_words = {comparison.rename(term) for term in said_words.phrase.terms}
    return bool(our_words) and our_words <= set(quoted_clauses.phrase.terms)


def _clauses(row: Sequence[TiedPhrase]) -> list[list[TiedPhrase]]:
    """Stretches up to a pause or, in lists of figures, up to と."""
    clauses: list[list[TiedPhrase]] = [[]]
    for tied in row:
        if clauses[-1] and clauses[-1][-1].sentence != tied.sentence:
            clauses.append([])
        clauses[-1].append(tied)
        phrase = tied.phrase
        paused = phrase.broken and (phrase.predicate or (phrase.figures and case_of(phrase.role) != "が"))
        if paused or (phrase.role == "と" and phrase.figures):
            clauses.append([])
    return [clause for clause in clauses if clause]
