"""The desk's verbs of the way to the web: whether it may be asked, by which engines, and what would be
sent."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.desk.coercion import coerce
from shisho.desk.question_queue import QuestionQueue
from shisho.desk.requirements import GoalLike, build_requirements
from shisho.domain.task import EngineStatus, OutgoingQueries, WebConsent


class WebVerbs(QuestionQueue):
    """These verbs of `TaskDesk`."""

    __slots__ = ()

    async def list_engines(self) -> Sequence[EngineStatus]:
        """All engines, those that are set up first. Raises InvalidParams for an engines.toml that cannot be
        followed."""
        return sorted(await self._parts.engines(), key=lambda row: not row.available)

    def get_web_consent(self) -> WebConsent:
        """The person's consent to web searches."""
        return self._parts.consent.state()

    def get_web_consent_time(self) -> str:
        """When they said it; "" where a setting decides, or nobody has."""
        return self._parts.consent.read_since()

    def set_web_consent(self, consent: WebConsent | str) -> None:
        """Remember a person's yes (`given`) or no (`off`); `not_asked` forgets both."""
        self._parts.consent.keep(coerce(WebConsent, consent, "consent"))

    async def preview_question(
        self, question: str, goals: GoalLike | Sequence[GoalLike] = ()
    ) -> OutgoingQueries:
        """Preview the queries that the web would be asked for a question with these goals, and the engines.
        Nothing is sent."""
        return await self._parts.outgoing.preview_question(question, build_requirements(goals))

    async def preview_queries(self, *queries: str) -> OutgoingQueries:
        """The same of queries as they stand."""
        return await self._parts.outgoing.preview_queries(*queries)
