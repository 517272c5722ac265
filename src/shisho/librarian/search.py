"""Run the request of a plan and return numbered passages.

The session behind it keeps ids, read passages, N and k.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from shisho.domain.corpus import (
    UNBOUNDED_ROOM,
    Citation,
    Complexity,
    NumberedPassage,
    Round,
    SearchRequest,
)
from shisho.domain.inquiry import Goal, Plan, Strategy
from shisho.errors import InvalidParams
from shisho.ports import SearchSession
from shisho.records import dataclass

SessionOpener = Callable[[Complexity, bool], Awaitable[SearchSession]]
"""Opens or resumes the session of a run. The flag: include web pages."""


@dataclass(frozen=True, slots=True)
class SearchedRound:
    """The passages of a round with their citations.

    Enough to show it again after the library has changed.
    """

    number: int
    shown: tuple[NumberedPassage, ...]
    sources: tuple[Citation, ...]


class InquirySearch:
    """The session of one inquiry, opened at first use: a replayed run may never need it."""

    def __init__(self, opener: SessionOpener) -> None:
        self._opener = opener
        self._sessions: dict[bool, SearchSession] = {}
        self.rounds: list[SearchedRound] = []
        """The rounds of this process, in order."""

    async def search_round(
        self,
        plan: Plan,
        complexity: Complexity,
        is_reached: bool,
        round_: int,
        wanted_words: Sequence[str],
        room_tokens: int = UNBOUNDED_ROOM,
        anew: bool = False,
        fills_room: bool = False,
    ) -> tuple[Round, Mapping[str, float]]:
        """Return the passages of this round that fit the room, and the rarity of the wanted terms.

        `fills_room`: as many as fit, whatever the round's rank limit.
        """
        if not _has_query(plan):
            return Round((), 0, 0, False), {}
        session = await self._get_session(complexity, is_reached)
        request = SearchRequest(
            plan.search_intent,
            (*plan.keyword_query, *plan.added_words),
            plan.vector_query,
            plan.filter_conditions,
            plan.with_synonyms,
            are_filters_optional=True,
            read_around=plan.read_around,
            fills_room=fills_room,
        )
        shown_round = await session.search(request, round_, room_tokens, anew=anew)
        self.rounds.append(SearchedRound(round_, shown_round.shown, shown_round.sources))
        return shown_round, await session.measure_rarity(wanted_words)

    async def list_earlier(
        self, complexity: Complexity, is_reached: bool, plans: Sequence[Plan], after: int = 0
    ) -> tuple[NumberedPassage, ...]:
        """Return the passages shown after round `after` and before the last round, in order.

        Rounds of another process are read from the session. A run that was stopped after a plan has no round
        for it.
        """
        made = {shown_round.number: shown_round.shown for shown_round in self.rounds}
        earlier: list[NumberedPassage] = []
        for number, plan in enumerate(plans[:-1], 1):
            if number <= after or not _has_query(plan):
                continue
            if number not in made:
                session = await self._get_session(complexity, is_reached)
                try:
                    made[number] = (await session.search(SearchRequest(), number)).shown
                except InvalidParams:  # planned, but not searched: a new round needs a query
                    continue
            earlier += made[number]
        return tuple(earlier)

    async def list_read(
        self, complexity: Complexity, is_reached: bool, plans: Sequence[Plan]
    ) -> Sequence[str]:
        """Return title and heading of each passage shown in the rounds of these plans."""
        passages = await self.list_earlier(complexity, is_reached, (*plans, Plan("", (), "", "")))
        return [" › ".join(filter(None, (passage.title, passage.heading))) for passage in passages]

    async def find_short_names(
        self, complexity: Complexity, is_reached: bool, question: str
    ) -> Mapping[str, frozenset[str]]:
        """Return the synonyms; see `SearchSession.find_short_names`."""
        return await (await self._get_session(complexity, is_reached)).find_short_names(question)

    async def resolve(
        self, complexity: Complexity, is_reached: bool, temp_index: int, start: int, end: int
    ) -> Citation:
        """Return a citation; see `SearchSession.resolve`."""
        session = await self._get_session(complexity, is_reached)
        return await session.resolve(temp_index, start, end)

    async def list_fields(self, complexity: Complexity, is_reached: bool) -> Sequence[str]:
        """Return the metadata fields; see `SearchSession.list_fields`."""
        return await (await self._get_session(complexity, is_reached)).list_fields()

    async def respell(self, aim: Strategy, goals: Sequence[Goal], is_reached: bool) -> Strategy:
        """Return the strategy with these goals respelled as in the texts in scope."""
        from shisho.librarian.strategy import respell_strategy

        texts = await (await self._get_session(aim.complexity, is_reached)).read_texts()
        return await asyncio.to_thread(respell_strategy, aim, goals, texts)

    async def _get_session(self, complexity: Complexity, is_reached: bool) -> SearchSession:
        if is_reached not in self._sessions:
            self._sessions[is_reached] = await self._opener(complexity, is_reached)
        return self._sessions[is_reached]


def _has_query(plan: Plan) -> bool:
    return bool(plan.keyword_query or plan.added_words or plan.vector_query)
