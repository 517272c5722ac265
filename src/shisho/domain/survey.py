"""Results over whole documents for questions about the collection."""

from __future__ import annotations

from enum import StrEnum

from shisho.records import dataclass

PORTION = 24  # quotations of a summary that a model reads in one call


class SurveyKind(StrEnum):
    """The kind of a survey.

    COUNT and LIST: the documents that mention something. SUMMARY: an extract of one. CHANGES: from one to
    another. DEADLINES: those that have not passed. UNNAMED: no single document has the given name. MODEL:
    only a model can write this.
    """

    COUNT = "count"
    LIST = "list"
    SUMMARY = "summary"
    CHANGES = "changes"
    DEADLINES = "deadlines"
    UNNAMED = "unnamed"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class SurveyRow:
    """A line over some quotations.

    `quotes`: the sign before each ("" for none, − and + for removed and added) and its index among the
    citations of the survey, from 0.
    """

    title: str
    quotes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of a survey.

    `lines`: the counts or comparisons, in the language of the question; the last line introduces the rows.
    """

    kind: SurveyKind
    lines: tuple[str, ...]
    rows: tuple[SurveyRow, ...] = ()
