"""A passage as the librarian reads it: its sentences, what part each plays, and the words and
figures in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from shisho.language.normalise import fold_map
from shisho.language.numbers import Figures, figures
from shisho.language.sentences import is_row, sentences
from shisho.language.terms import fold, pairs, terms
from shisho.language.wordings import find_long_words
from shisho.librarian.designations import Designation, find_begun, find_designations
from shisho.librarian.line_roles import LineRole, mark, roles

NOTHING = frozenset[str]()


@dataclass(frozen=True, slots=True)
class SentenceLine:
    """One sentence: `text[start:end]` of its passage, folded, with its terms. `mark`: the kind of mark that
    it begins with as an item of a list, 0 for none. `under`: the terms of the heading, question or lead-in of
    the passage that it stands under. `designations`: the things of a numbered kind that it names, and
    that it, or what it stands under, begins with (第二種, レベル1); for a row those of all columns."""

    start: int
    end: int
    folded: str
    terms: frozenset[str]
    role: LineRole = LineRole.PROSE
    mark: int = 0
    under: frozenset[str] = frozenset()
    designations: frozenset[Designation] = frozenset()


@dataclass(frozen=True, slots=True)
class AnalysedPassage:
    """A passage with its heading. `terms`, `pairs` and `folded` take in both. `following`: the lines after
    its own, whose words are not read; offsets go on from those of the passage."""

    lines: tuple[SentenceLine, ...]
    heading: frozenset[str]
    terms: frozenset[str]
    pairs: frozenset[str]
    folded: str
    following: tuple[SentenceLine, ...] = ()


@lru_cache(maxsize=1_024)
def read(text: str, heading: str, after: str = "", code: bool = False) -> AnalysedPassage:
    """A passage, read once: the same one may be shown to several goals. `code` is one line to its end."""
    title = fold(heading)
    named_words = list_words(title)
    lines, following = (_code_lines(text), ()) if code else _lines(text, heading, after)
    return AnalysedPassage(
        lines,
        named_words,
        named_words.union(*(line.terms for line in lines)),
        frozenset(pairs(title)).union(*(pairs(line.folded) for line in lines)),
        "\n".join([title, *(line.folded for line in lines)]),
        following,
    )


def list_words(folded: str) -> frozenset[str]:
    """The terms of a folded text, and its words of several terms (在宅勤務) that others mean the same as."""
    words = terms(folded)
    return frozenset((*words, *map("".join, find_long_words(words))))


@lru_cache(maxsize=1_024)
def figures_of(text: str, heading: str) -> Figures:
    """The figures of a passage and its heading."""
    return figures(f"{heading}\n{text}")


def _lines(
    passage: str, heading: str, after: str
) -> tuple[tuple[SentenceLine, ...], tuple[SentenceLine, ...]]:
    text = passage + after
    spans = sentences(text)
    parts = roles([text[start:end] for start, end in spans], heading)
    read_lines: list[SentenceLine] = []
    titled: frozenset[str] = frozenset()
    led: frozenset[str] = frozenset()
    begun = find_designations(fold(heading))
    own_spans = sum(start < len(passage) for start, _ in spans)
    for (start, end), role in zip(spans[:own_spans], parts, strict=False):
        line = _line(text, start, end, role, titled | led)
        printed = text[start:end]
        cells = printed.split("\t") if is_row(printed) else ()
        things = find_designations(line.folded).union(*(find_designations(fold(cell)) for cell in cells))
        if not cells:
            begun = find_begun(line.folded) or begun
        elif role is LineRole.HEADING:
            begun = things  # each column is of another one, and all rows of all
        line = replace(line, designations=things | begun)
        read_lines.append(line)
        if role in (LineRole.HEADING, LineRole.QUESTION):
            # Headings in a row are steps of one path; what was announced before is over.
            above = _heads_too(read_lines[:-1])
            titled = line.terms | (titled if above else frozenset())
            led = frozenset()
        elif role is LineRole.LEAD:
            led = line.terms
    following = (
        SentenceLine(start, end, fold(text[start:end]), NOTHING, role, _mark(text, start, role))
        for (start, end), role in zip(spans[own_spans:], parts[own_spans:], strict=True)
    )
    return tuple(read_lines), tuple(following)


def _code_lines(text: str) -> tuple[SentenceLine, ...]:
    return (_line(text, 0, len(text), LineRole.PROSE, NOTHING),)


@lru_cache(maxsize=1_024)
def read_roles(text: str, heading: str) -> tuple[SentenceLine, ...]:
    """The lines of a text by the parts they play; their words are not read."""
    return _lines("", heading, text)[1]


def _heads_too(before: Sequence[SentenceLine]) -> bool:
    return bool(before) and before[-1].role in (LineRole.HEADING, LineRole.QUESTION)


def _line(text: str, start: int, end: int, role: LineRole, under: frozenset[str]) -> SentenceLine:
    # Printed lines end inside words; the view joins them.
    folded = fold(fold_map(text[start:end]).text)
    return SentenceLine(
        start,
        end,
        folded,
        list_words(folded),
        role,
        _mark(text, start, role),
        under,
    )


def _mark(text: str, start: int, role: LineRole) -> int:
    return mark(text[start : start + 20]) if role in (LineRole.ITEM, LineRole.LEAD) else 0
