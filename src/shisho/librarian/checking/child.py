"""Check an assistant's sentences in a child process.

The functions take JSON and yield the result of each sentence at once, so a timeout keeps earlier results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shisho.domain.codec import loads, to_plain
from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.domain.session import CitedSentence, SentenceRevision
from shisho.librarian.checking.check import AnswerUnit, check_units
from shisho.librarian.checking.search import SupportSearch
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class CitationSearch:
    """Sentences whose support is searched for among evidence and shown passages."""

    sentences: tuple[CitedSentence, ...]
    evidence: tuple[EvidenceRef, ...]
    passages: tuple[NumberedPassage, ...]
    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """Sentences that are checked against the evidence they cite."""

    sentences: tuple[CitedSentence, ...]
    evidence: tuple[EvidenceRef, ...]
    question: str


@dataclass(frozen=True, slots=True)
class CitationOutcome:
    """The evidence numbers of a sentence after the search, or the finding that becomes its evidence."""

    cites: tuple[int, ...]
    finding: Finding | None = None


def cite(data: bytes) -> Iterator[CitationOutcome]:
    """Search for the support of each sentence of a `CitationSearch`."""
    work = loads(data.decode(), CitationSearch)
    search = SupportSearch(work.evidence, work.passages, work.goals)
    for sentence in work.sentences:
        found = search.cite(AnswerUnit(sentence.text, sentence.cites))
        yield (
            CitationOutcome(sentence.cites, found)
            if isinstance(found, Finding)
            else CitationOutcome(found.cites)
        )


def check(data: bytes) -> Iterator[SentenceRevision]:
    """Check each sentence of a `CitationCheck`."""
    work = loads(data.decode(), CitationCheck)
    units = [AnswerUnit(sentence.text, sentence.cites) for sentence in work.sentences]
    yield from check_units(units, work.evidence, work.question)


def pack(outcomes: Iterator[Any]) -> Iterator[Any]:
    """Return JSON-ready data of each outcome."""
    return map(to_plain, outcomes)
