"""The result pages of one query, requested one at a time after the visits to the previous page's hits."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from shisho.domain.intervention import HumanChallenge
from shisho.domain.payloads import SearchFailure
from shisho.domain.web import PagingStop
from shisho.errors import BudgetExhausted, ShishoError, StoreUnavailable
from shisho.web.serp.client import EngineRefused, PersonNeeded, QuotaSpent


class DepthReached(Exception):
    """No engine has result pages as deep as the first one requested."""


@dataclass(frozen=True, slots=True)
class ResultPage:
    """The record of a result page, with the state to continue after it.

    Its hits are stored separately, where a purge finds them. `urls` are canonical, `fresh` of them new to the
    task. `attempt`: the job's attempt that fetched it, and thus the engine's state in `next`. `cached`: no
    request was sent. `repeats`: an earlier page again; nothing of it is stored.
    """

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
    """The result pages of one search.

    `stop_reason` returns the reason to stop after all pages so far, or None; `ask` returns the next page.

    Pages 1..N stay, whatever becomes of page N+1. Before the first page, errors are raised; later they are
    the reason to stop. `RetryLater` and StoreUnavailable always propagate: the job resumes later with the
    pages it had. At the end, `stop` is the reason, `met` is the challenge for a person, and `errors` lists
    failures.
    """

    ask: Callable[[Sequence[ResultPage]], Awaitable[ResultPage]]
    stop_reason: Callable[[Sequence[ResultPage]], Awaitable[PagingStop | None]]
    pages: list[ResultPage] = field(default_factory=list)
    stop: PagingStop | None = None
    met: HumanChallenge | None = None
    errors: list[SearchFailure] = field(default_factory=list)

    async def pull(self) -> AsyncGenerator[ResultPage, None]:
        """Yield each page once. Sets `stop` at the end."""
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
            except StoreUnavailable:  # not the engine's fault
                raise
            except (QuotaSpent, ShishoError) as error:
                self.end(error)
                return
            self.pages.append(page)
            yield page
        self.stop = stop

    def end(self, error: QuotaSpent | ShishoError) -> None:
        """End for this reason with the pages so far; raise it if there are none."""
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
