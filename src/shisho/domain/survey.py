"""Results looked up over whole documents for questions about the collection."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SurveyKind(StrEnum):
    """COUNT and LIST: the documents that mention something. SUMMARY: an extract of one. CHANGES: from one to
    another. DEADLINES: those that have not passed. UNNAMED: no one document has the name that was given.
    MODEL: only a model can write this."""

    COUNT = "count"
    LIST = "list"
    SUMMARY = "summary"
    CHANGES = "changes"
    DEADLINES = "deadlines"
    UNNAMED = "unnamed"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class SurveyRow:
    """A line over some quotations. `quotes`: the sign before each ("" for none, − and + for what has gone and
    come) and its place among the citations of the survey, from 0."""

    title: str
    quotes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """`lines` say what was counted or compared, in the language of the question; the last of them goes over
    the rows."""

    kind: SurveyKind
    lines: tuple[str, ...]
    rows: tuple[SurveyRow, ...] = ()
