"""One query, result page after result page: pulled one at a time, so that nothing is asked before what is
there was visited."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from shisho.domain.intervention import HumanChallenge
from shisho.domain.payloads import SearchFailure
from shisho.domain.web import PagingStop
from shisho.errors import BudgetExhausted, ShishoError, StoreUnavailable
from shisho.web.serp.client import EngineRefused, PersonNeeded, QuotaSpent


class DepthReached(Exception):
    """No engine shows pages as far down as the one to begin with."""


@dataclass(frozen=True, slots=True)
class ResultPage:
    """The record of a result page for going on after it; what stood on it is kept where a purge finds
    it. `urls` are canonical, `fresh` of them the task had not met. `attempt`: the job's attempt that
    brought it, and with it the engine's state in `next`. `cached`: nobody was asked. `repeats`: an
    earlier page again; nothing of it is stored."""

    engine: str
    number: int
    url: str
    status: int
    urls: tuple[str, ...]
    fresh: int
    next: Mapping[str, str] | None
    attempt: int
    warnings: tuple[str, ...] = ()
    cached: bool = False
    repeats: bool = False


@dataclass(slots=True)
class ResultPages:
    """The result pages of one search. `stop_reason` judges all pages so far and says why to stop, or None;
    `ask` brings the next.

    Pages 1..N stay whatever becomes of page N+1. Before the first one is there, what goes wrong is raised;
    after it, it is the reason to stop. `RetryLater` passes through, and StoreUnavailable too: whoever waits
    comes back with the pages it had. After the end `stop` says why it ended, `met` is what asks for a
    person, and `errors` what went wrong."""

    ask: Callable[[Sequence[ResultPage]], Awaitable[ResultPage]]
    stop_reason: Callable[[Sequence[ResultPage]], Awaitable[PagingStop | None]]
    pages: list[ResultPage] = field(default_factory=list)
    stop: PagingStop | None = None
    met: HumanChallenge | None = None
    errors: list[SearchFailure] = field(default_factory=list)

    async def pull(self) -> AsyncGenerator[ResultPage, None]:
        """Each page once. Ends with `stop` set."""
        while (stop := await self.stop_reason(self.pages)) is None:
            try:
                page = await self.ask(self.pages)
            except DepthReached:
                self.stop = PagingStop.LIMIT
                return
            except PersonNeeded as needs:
                self.met = needs.met
                self.stop = PagingStop.CHALLENGE
                return
            except StoreUnavailable:  # says nothing of the engine
                raise
            except (QuotaSpent, ShishoError) as error:
                self.end(error)
                return
            self.pages.append(page)
            yield page
        self.stop = stop

    def end(self, error: QuotaSpent | ShishoError) -> None:
        """End for this reason, with the pages there are; raises it where there are none."""
        if not self.pages:
            raise error
        if isinstance(error, QuotaSpent):
            self.stop = PagingStop.QUOTA
            return
        self.errors.append(SearchFailure("", error.code, error.message))
        if isinstance(error, BudgetExhausted):
            self.stop = PagingStop.BUDGET
        else:
            self.stop = PagingStop.CHALLENGE if isinstance(error, EngineRefused) else PagingStop.ERROR
