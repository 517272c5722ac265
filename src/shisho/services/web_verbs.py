"""The desk's verbs of web access: consent, engines, and the preview of outgoing queries."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.task import EngineStatus, OutgoingQueries, WebConsent
from shisho.services.coercion import coerce
from shisho.services.question_queue import QuestionQueue
from shisho.services.requirements import GoalLike, build_requirements


class WebVerbs(QuestionQueue):
    """The web verbs of `TaskDesk`."""

    __slots__ = ()

    async def list_engines(self) -> Sequence[EngineStatus]:
        """List all engines, available ones first. Raises InvalidParams for an invalid engines.toml."""
        return sorted(await self._parts.engines(), key=lambda row: not row.available)

    def get_web_consent(self) -> WebConsent:
        """Return the user's consent to web searches."""
        return self._parts.consent.state()

    def get_web_consent_time(self) -> str:
        """Return the time of the user's choice; "" if there is none, or a setting decides."""
        return self._parts.consent.read_since()

    def set_web_consent(self, consent: WebConsent | str) -> None:
        """Store a yes (`given`) or a no (`off`); `not_asked` deletes both."""
        self._parts.consent.keep(coerce(WebConsent, consent, "consent"))

    async def preview_question(
        self, question: str, goals: GoalLike | Sequence[GoalLike] = ()
    ) -> OutgoingQueries:
        """Preview the web queries and engines for a question with these goals. Nothing is sent."""
        return await self._parts.outgoing.preview_question(question, build_requirements(goals))

    async def preview_queries(self, *queries: str) -> OutgoingQueries:
        """Preview these queries unchanged."""
        return await self._parts.outgoing.preview_queries(*queries)
