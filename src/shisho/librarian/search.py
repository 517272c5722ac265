"""Plan → request → passages. The session behind it knows ids, what was seen, N and k; only numbered passages
come back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from shisho.domain.corpus import Complexity, Round, SearchRequest
from shisho.domain.inquiry import Plan
from shisho.ports import SearchSession

SessionOpener = Callable[[Complexity, bool], Awaitable[SearchSession]]
"""Opens the session of a run, where it left off. The flag: over the web's pages too."""


class InquirySearch:
    """One inquiry's session, opened when it is first needed: a replayed run may never need it."""

    def __init__(self, opener: SessionOpener) -> None:
        self._opener = opener
        self._sessions: dict[bool, SearchSession] = {}

    async def session(self, complexity: Complexity, is_reached: bool) -> SearchSession:
        if is_reached not in self._sessions:
            self._sessions[is_reached] = await self._opener(complexity, is_reached)
        return self._sessions[is_reached]

    async def round(
        self,
        plan: Plan,
        complexity: Complexity,
        is_reached: bool,
        round_: int,
        wanted_words: Sequence[str],
        anew: bool = False,
    ) -> tuple[Round, Mapping[str, float]]:
        """The passages of this round, and how rare the wanted terms are."""
        if not (plan.keyword_query or plan.vector_query):
            return Round((), 0, 0, False), {}
        session = await self.session(complexity, is_reached)
        request = SearchRequest(
            plan.search_intent, plan.keyword_query, plan.vector_query, plan.filter_conditions
        )
        shown_round = await session.search(request, round_, anew=anew)
        return shown_round, await session.rarity(wanted_words)

    async def texts(self, complexity: Complexity, is_reached: bool) -> Sequence[str]:
        """What stands in scope, as `SearchSession.texts`."""
        return await (await self.session(complexity, is_reached)).texts()
