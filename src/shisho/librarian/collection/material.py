"""The sentences of a document as the questions about the collection read them, and what cites them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from shisho.domain.corpus import Citation, Passage
from shisho.domain.requirements import Requirements
from shisho.domain.survey import Survey
from shisho.language.sentences import sentences


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """A sentence and the passage it stands in, where `start` is an offset."""

    passage: Passage
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    @property
    def is_heading(self) -> bool:
        """True for the printed heading of its own passage."""
        parts = self.passage.heading.split(HEADING_MARK)
        return self.text.lstrip("# ").strip() in parts


HEADING_MARK = " › "


@dataclass(frozen=True, slots=True)
class CitedSurvey:
    """A survey with its citations, and the heading that each stands under."""

    survey: Survey
    citations: tuple[Citation, ...] = ()
    headings: tuple[str, ...] = ()


AskCollection = Callable[[str, Requirements], Awaitable[CitedSurvey | None]]
"""Looks up what answers a question about the collection; None for any other question."""


async def survey_nothing(question: str, required: Requirements) -> CitedSurvey | None:
    """No collection can be looked through here."""
    return None


def list_sentences(passages: Iterable[Passage], most: int) -> Sequence[SentencePlace]:
    """The sentences of a document in order, each once: a passage begins with the end of the one before."""
    places: list[SentencePlace] = []
    reached = 0
    for passage in passages:
        for start, end in sentences(passage.text):
            if passage.start + start >= reached:
                places.append(SentencePlace(passage, start, end))
                reached = passage.start + end
        if len(places) >= most:
            break
    return places[:most]
