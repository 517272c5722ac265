"""The way to the web, and what keeps it polite."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from shisho.domain.politeness import (
        CacheEntry,
        EngineHealth,
        Limit,
        LimiterStatus,
        PageMemory,
        Permit,
        RequestOutcome,
    )
    from shisho.domain.web import Endpoint, EngineAbout, EngineQuery, Request, Response, Serp, State


class SerpEngine(Protocol):
    """A search engine as two pure functions and what is known of it. It sends nothing itself."""

    @property
    def about(self) -> EngineAbout: ...

    def request(self, query: EngineQuery, page: int, state: State) -> Request:
        """The request for result page `page` (from 1); `state` is what the page before gave. Raises
        InvalidParams."""

    def parse(self, response: Response) -> Serp:
        """Challenges and "no results" are answers. Raises ParserFailed (unknown layout) or
        EngineUnavailable."""


class SerpParser(Protocol):
    """Reads a result page where it can do no harm."""

    async def parse(self, engine: str, response: Response) -> Serp:
        """As the engine's own `parse`; a page that breaks its reader or overruns raises ParserFailed."""

    async def close(self) -> None:
        """End what was started for reading."""


class Fetcher(Protocol):
    """The way to a web page: guarded and bounded. Politeness is its caller's."""

    async def fetch(self, request: Request) -> Response:
        """Fetch what the server answers, errors and challenges too. Raises a ShishoError where there was
        no answer to be had: ForbiddenAddress, TooLarge, UnsupportedMedia, TimedOut, AllFetchesFailed,
        InvalidParams. Redirects are followed, but for a request of `one_hop`: its answer says where it
        leads."""

    async def close(self) -> None:
        """End what was opened for fetching."""


class Browser(Protocol):
    """A real browser for pages that only scripts fill. Guarded and bounded as the Fetcher; politeness is its
    caller's."""

    async def open(self, request: Request, profile: str = "", *, deadline_s: float = 30.0) -> Response:
        """The page as its scripts have made it, in UTF-8, `url` where it ended; `profile` is the engine whose
        cookies are used and kept ("": none). Waits for a free tab first. Raises as the Fetcher, and
        ExtraMissing, EngineUnavailable (there is no browser), Conflict (the profile is in use)."""

    async def open_for_person(
        self,
        url: str,
        profile: str,
        solved: Callable[[Response], Awaitable[bool]],
        *,
        deadline_s: float = 1800.0,
    ) -> bool:
        """Show the page in a window on that profile until `solved` says so of what it has become (True), or
        until the person closes it or the time is over (False); cookies stay. Raises AuthRequired where there
        is no screen."""

    async def close(self) -> None:
        """End what was started for browsing."""


class Resolver(Protocol):
    """Where a name leads now. Asked before every connection; whether it may be connected to is the guard's to
    say."""

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """All addresses of a host. Raises AllFetchesFailed where it has none."""


class Limiter(Protocol):
    """One pace for each resource, kept by all workers of all processes together. A resource is
    `engine:<name>` or `host:<name>`; a ticket is one waiter's place in its line, the same each time it asks:
    a job's id and its page, so that a job that died and runs again is the same waiter."""

    async def acquire(self, resource: str, limit: Limit, ticket: str) -> Permit:
        """Ask to send one request. Granted: it is counted, and under way until `release`, or for a minute at
        most. Not granted: the ticket has its place in line, until half a minute after it should have asked
        again; those behind it go ahead once it is two seconds late. Asked again while under way: whoever had
        it is gone and may have sent the request just now, so it waits an interval and is not counted
        again."""

    async def release(self, resource: str, limit: Limit, ticket: str, *, after_s: float = 0.0) -> None:
        """The request is over. Nobody asks this resource for the limit's interval, or for `after_s` if that
        is longer. A ticket that was never taken says that a request was sent all the same."""

    async def read_status(self, limits: Mapping[str, Limit]) -> Mapping[str, LimiterStatus]:
        """How busy each resource is."""


class Health(Protocol):
    """How engines have answered, and their breakers, known to all processes."""

    async def read(self, engines: Sequence[str]) -> Mapping[str, EngineHealth]:
        """The health of engines as it is remembered; an engine never asked is healthy."""

    async def record(
        self, engine: str, outcome: RequestOutcome, latency_s: float, error: str = ""
    ) -> EngineHealth:
        """Count an answer and move the breaker."""

    async def probe(self, engine: str, asker: str = "") -> bool:
        """Tell whether one request may be sent: yes while closed, no while open, and while half open to
        one asker at a time, for a minute or until `record`. An asker that gives its name (its ticket)
        may ask again."""

    async def mend(self, engine: str) -> None:
        """A person has solved what held it: the breaker closes."""


class Cache(Protocol):
    """A store of what was fetched and may be used again for a while."""

    async def get(self, key: str) -> CacheEntry | None:
        """None: never kept, or kept too long ago."""

    async def put(self, key: str, value: Any, seconds: float, *, partial: bool = False) -> None:
        """Keep a JSON-ready value for so long, in place of what was there."""

    async def read_page(self, corpus: str, owner: str, canonical_url: str) -> PageMemory | None:
        """The record of what a page became in a corpus, while that document is live."""

    async def remember(self, corpus: str, owner: str, canonical_url: str, page: PageMemory) -> None: ...
