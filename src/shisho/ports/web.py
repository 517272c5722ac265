"""The ports of web access, and of the state that keeps it polite."""

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
    """A search engine as two pure functions and its facts. It sends no requests."""

    @property
    def about(self) -> EngineAbout: ...

    def request(self, query: EngineQuery, page: int, state: State) -> Request:
        """Return the request for result page `page` (from 1).

        `state` comes from the previous page. Raises InvalidParams.
        """

    def parse(self, response: Response) -> Serp:
        """Parse a response. Challenges and "no results" are valid results.

        Raises: ParserFailed for an unknown layout, or EngineUnavailable.
        """


class SerpParser(Protocol):
    """A sandboxed parser of result pages."""

    async def parse(self, engine: str, response: Response) -> Serp:
        """Parse a response, as the engine's own `parse`.

        A page that crashes its parser or exceeds its limits raises ParserFailed.
        """

    async def close(self) -> None:
        """Stop the processes that were started for parsing."""


class Fetcher(Protocol):
    """A guarded and bounded HTTP client. The caller is responsible for politeness."""

    async def fetch(self, request: Request) -> Response:
        """Fetch a response, including errors and challenges.

        Redirects are followed, except for a request with `one_hop`, whose response names the target.

        Raises: a ShishoError if there is no response: ForbiddenAddress, TooLarge, UnsupportedMedia, TimedOut,
        AllFetchesFailed, InvalidParams.
        """

    async def close(self) -> None:
        """Release the client's resources."""


class Browser(Protocol):
    """A real browser for pages rendered by scripts.

    Guarded and bounded like the Fetcher; the caller is responsible for politeness.
    """

    async def open(self, request: Request, profile: str = "", *, deadline_s: float = 30.0) -> Response:
        """Return the rendered page in UTF-8, with its final `url`. Waits for a free tab first.

        `profile` is the engine whose cookies are used and stored ("": none).

        Raises: as the Fetcher, and ExtraMissing, EngineUnavailable (no browser), Conflict (profile in use).
        """

    async def open_for_person(
        self,
        url: str,
        profile: str,
        solved: Callable[[Response], Awaitable[bool]],
        *,
        deadline_s: float = 1800.0,
    ) -> bool:
        """Show the page in a window on that profile until `solved` accepts its content.

        Returns False if the person closes it or the time is over. Cookies are kept. Raises AuthRequired if
        there is no screen.
        """

    async def close(self) -> None:
        """Stop the browser."""


class Resolver(Protocol):
    """A DNS resolver, called before every connection. The guard decides about the addresses."""

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """Return all addresses of a host. Raises AllFetchesFailed if it has none."""


class Limiter(Protocol):
    """A rate limiter for each resource, shared by all workers of all processes.

    A resource is `engine:<name>` or `host:<name>`. A ticket is a place in the resource's queue; it is the
    same for each call of one waiter: a job's id and its page, so a job that died and runs again keeps its
    place.
    """

    async def acquire(self, resource: str, limit: Limit, ticket: str) -> Permit:
        """Ask to send one request.

        If granted, it is counted, and in flight until `release` or for a minute at most. Otherwise the ticket
        keeps its place in the queue until half a minute after it should have asked again; later tickets
        overtake it when it is two seconds late. A call while in flight means that the previous holder is gone
        and may just have sent the request: it waits an interval and is not counted again.
        """

    async def release(self, resource: str, limit: Limit, ticket: str, *, after_s: float = 0.0) -> None:
        """End the request.

        The resource is then blocked for the limit's interval, or for `after_s` if that is longer. A ticket
        that was never granted reports a request that was sent without one.
        """

    async def read_status(self, limits: Mapping[str, Limit]) -> Mapping[str, LimiterStatus]:
        """Return how busy each resource is."""


class Health(Protocol):
    """The health of engines and their circuit breakers, shared by all processes."""

    async def read(self, engines: Sequence[str]) -> Mapping[str, EngineHealth]:
        """Return the stored health of engines; an unknown engine is healthy."""

    async def record(
        self, engine: str, outcome: RequestOutcome, latency_s: float, error: str = ""
    ) -> EngineHealth:
        """Record a response and update the breaker."""

    async def probe(self, engine: str, asker: str = "") -> bool:
        """Return True if one request may be sent.

        Always if the breaker is closed, never if it is open; if half open, for one caller at a time, for a
        minute or until `record`. A caller that gives its name (its ticket) may ask again.
        """

    async def close_breaker(self, engine: str) -> None:
        """Close the breaker, because a person has solved the challenge."""


class Cache(Protocol):
    """A cache of fetched data with expiry."""

    async def get(self, key: str) -> CacheEntry | None:
        """Return an entry; None if it is missing or expired."""

    async def put(self, key: str, value: Any, seconds: float, *, partial: bool = False) -> None:
        """Store a JSON-ready value for `seconds`, replacing any earlier one."""

    async def read_page(self, corpus: str, owner: str, canonical_url: str) -> PageMemory | None:
        """Return the record of a page in a corpus while its document is live."""

    async def remember(self, corpus: str, owner: str, canonical_url: str, page: PageMemory) -> None: ...
