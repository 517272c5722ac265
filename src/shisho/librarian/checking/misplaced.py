"""Find figures of a sentence that its quotations have for another thing."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.language.meanings import is_same_word
from shisho.language.numbers import Measure
from shisho.librarian.checking.clauses import Clause, Figure, are_of_one_kind, is_in, read_clauses


def list_misplaced(
    sentence: str, quotations: Sequence[str], headings: Sequence[str], excused: str = ""
) -> tuple[str, ...]:
    """Return figures that stand in a quotation while all else that their clause says stands there beside
    another figure of the kind. None if a word of the sentence is foreign. `headings`: contexts, too.
    `excused`: text whose figures need no quotation."""
    clauses = read_clauses(sentence)
    sources = [read_clauses(text) for text in (*quotations, *headings)]
    stated = frozenset(word for rows in sources for clause in rows for word in clause.words)
    words = {token.term for clause in clauses for token in clause.content if token.figure is None}
    ordered = sorted(stated)
    same = {word: _find_same(word, stated, ordered) for word in words}
    if not words or not all(same.values()):
        return ()
    figures = [figure for clause in clauses for figure in clause.figures]
    excused_figures = [figure for clause in read_clauses(excused) for figure in clause.figures]
    return tuple(
        token.surface
        for clause in clauses
        for token in clause.tokens
        if token.figure is not None
        and not is_in(token.figure, excused_figures)
        and any(
            _is_misplaced(
                token.figure,
                clause,
                figures,
                rows,
                {same[other.term] for other in clause.content if other.figure is None},
            )
            for rows in sources[: len(quotations)]
        )
    )


def _find_same(word: str, stated: frozenset[str], ordered: Sequence[str]) -> str | None:
    if word in stated:
        return word
    return next((other for other in ordered if is_same_word(word, other)), None)


def _is_misplaced(
    figure: Figure, clause: Clause, stated: Sequence[Figure], rows: Sequence[Clause], words: set[str | None]
) -> bool:
    homes = [row for row in rows if is_in(figure, row.figures)]
    if not homes:
        return _has_other_unit(figure, stated, rows)
    others = [other for other in clause.figures if not are_of_one_kind(figure, other)]
    if others and any(all(is_in(other, home.figures) for other in others) for home in homes):
        return False
    rivals = [
        row
        for row in rows
        if row not in homes
        and any(are_of_one_kind(figure, other) and not is_in(other, stated) for other in row.figures)
    ]
    at_home = [words.intersection(row.words) for row in homes]
    return any(
        words.intersection(rival.words) and all(home < words.intersection(rival.words) for home in at_home)
        for rival in rivals
    )


def _has_other_unit(figure: Figure, stated: Sequence[Figure], rows: Sequence[Clause]) -> bool:
    """True if the number stands there with another unit, and the unit with another number."""
    if not isinstance(figure, Measure) or not figure.unit:
        return False
    measures = [measure for row in rows for measure in row.figures if isinstance(measure, Measure)]
    return any(
        measure.value == figure.value and measure.unit not in ("", figure.unit) for measure in measures
    ) and any(measure.unit == figure.unit and not is_in(measure, stated) for measure in measures)
