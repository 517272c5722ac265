"""The desk for an assistant that is its own librarian: it searches, claims and writes; code shows, verifies and renders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.corpus import Condition, SearchRequest
from shisho.domain.inquiry import Finding, Goal
from shisho.domain.session import Claimed, Composed, Opened, Read, Searched, Submitted


class Sessions:
    """Sessions live in the database, by id or unique prefix (or `last`): NotFound where there is none."""

    async def open_session(
        self,
        question: str,
        *,
        goals: Sequence[Goal] = (),
        condition: str = "",
        corpora: Sequence[str] = (),
        filters: Mapping[str, Condition] | None = None,
    ) -> Opened:
        """Begin a session. Without goals, they are made from the question; without a condition, all goals are asked for.
        Raises InvalidParams for a blank question, doubled goal ids or a condition that cannot be read; EmptyCorpus."""
        raise NotImplementedError

    async def search_corpus(
        self,
        request: SearchRequest,
        *,
        session_id: str | None = None,
        corpora: Sequence[str] = (),
        filters: Mapping[str, Condition] | None = None,
    ) -> Searched:
        """Without a session: passages with document, page, offsets and score parts. With one: the next round, none of whose
        passages was shown before. Raises InvalidParams for a blank request, EmptyCorpus."""
        raise NotImplementedError

    async def submit_findings(self, session_id: str, findings: Sequence[Finding]) -> Submitted:
        """Verify findings against what was shown. What stands is numbered, and its number never changes; the same quotation
        for the same goal keeps the one it has."""
        raise NotImplementedError

    async def compose_answer(self, session_id: str, sentences: Sequence[Claimed]) -> Composed:
        """Verify the sentences of an answer against the evidence they cite, render and save it."""
        raise NotImplementedError

    async def read_passage(
        self, *, session_id: str | None = None, number: int | None = None, id: str | None = None, context: int = 0
    ) -> Read:
        """A passage by session and number, or by the id of a passage or of evidence, with up to 5 neighbours on each side.
        Raises NotFound, SourceRemoved after a purge."""
        raise NotImplementedError
