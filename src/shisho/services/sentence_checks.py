"""Checks of an assistant's sentences in child processes with limited CPU time.

No call blocks the server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from shisho.domain.codec import build, dumps
from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Strategy
from shisho.domain.session import CitedSentence, SentenceRevision
from shisho.isolation.killable import ChildBroken, ChildExhausted, ChildOverrun, Killable, Work
from shisho.librarian.checking.check import AnswerUnit, leave_unchecked
from shisho.librarian.checking.child import CitationCheck, CitationOutcome, CitationSearch
from shisho.librarian.checking.unit_text import list_cited_numbers
from shisho.messages import Message
from shisho.telemetry import log

T = TypeVar("T")

SECONDS = 2.0  # of CPU time for each of the two steps of a call
MEMORY_MB = 2048
CHILDREN = 2  # so that one slow call does not delay all others


class KillableSentenceChecks:
    """A checker of sentences with `SECONDS` of CPU time per step. Belongs to one event loop.

    Cancelling a call ends its work at once. `environment` is for the children; without it they get the
    parent's.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._killable = Killable((), environment, CHILDREN)

    async def find_citations(
        self,
        evidence: Sequence[EvidenceRef],
        passages: Sequence[NumberedPassage],
        aim: Strategy,
        sentences: Sequence[CitedSentence],
    ) -> list[CitedSentence | Finding]:
        """Search for the support of sentences without citations.

        Sentences that were not reached in time stay unchanged.
        """
        numbers = {ref.number for ref in evidence}
        uncited = [
            place
            for place, sentence in enumerate(sentences)
            if not numbers.intersection((*sentence.cites, *list_cited_numbers(sentence.text)))
        ]
        cited: list[CitedSentence | Finding] = list(sentences)
        if uncited and (evidence or passages):
            sought = tuple(sentences[place] for place in uncited)
            batch = CitationSearch(sought, tuple(evidence), tuple(passages), aim.goals)
            outcomes = await self._run("cite", batch, CitationOutcome)
            for place, outcome in zip(uncited, outcomes, strict=False):
                cited[place] = outcome.finding or replace(sentences[place], cites=outcome.cites)
        return cited

    async def check(
        self, aim: Strategy, evidence: Sequence[EvidenceRef], sentences: Sequence[CitedSentence]
    ) -> list[SentenceRevision]:
        """Check sentences against their cited evidence.

        Sentences that were not reached in time are unverified, or left out if they cite nothing.
        """
        checked = tuple(sentence for sentence in sentences if sentence.text.strip())
        if not checked:
            return []
        batch = CitationCheck(checked, tuple(evidence), aim.question)
        revisions = await self._run("check", batch, SentenceRevision)
        rest = (AnswerUnit(sentence.text, sentence.cites) for sentence in checked[len(revisions) :])
        return revisions + [leave_unchecked(unit, evidence) for unit in rest]

    async def close(self) -> None:
        """Stop the children."""
        await self._killable.close()

    async def _run(self, function: str, batch: CitationSearch | CitationCheck, kind: type[T]) -> list[T]:
        """Return the outcomes that arrived in time, in the order of the sentences."""
        outcomes: list[T] = []

        def keep(value: Any) -> None:
            outcomes.append(build(value, kind))

        name = "shisho.librarian.checking.child"
        work = Work(f"{name}:{function}", f"{name}:pack", {}, SECONDS, MEMORY_MB)
        try:
            await self._killable.read_parts(work, dumps(batch).encode("utf-8", "surrogatepass"), keep)
        except ChildOverrun:
            pass  # the remaining sentences stay unchecked
        except (ChildExhausted, ChildBroken) as failure:
            log.warning(Message("check.sentences_failed", cause=str(failure) or type(failure).__name__))
        return outcomes
