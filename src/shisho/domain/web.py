"""Search engines as the web package sees them, from queries to result pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import date
from enum import StrEnum

from shisho.records import dataclass

State = Mapping[str, str]
"""The data that an engine needs for the next page (a token, a cursor). Empty: none."""


class TimeRange(StrEnum):
    """The maximum age of a page."""

    ALL = "all"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class Tier(StrEnum):
    """The rank of an engine when one is chosen.

    Last-mile engines come last and page only if requested.
    """

    DEFAULT = "default"
    LAST_MILE = "last_mile"
    KNOWLEDGE = "knowledge"
    ACADEMIC = "academic"
    YOURS = "yours"


class ChallengeKind(StrEnum):
    """The kind of obstacle between Shisho and a page.

    A person can solve all but `blocked`, which is a refusal.
    """

    CAPTCHA = "captcha"
    TURNSTILE = "turnstile"
    CONSENT = "consent"
    LOGIN = "login"
    JS_CHALLENGE = "js_challenge"
    BLOCKED = "blocked"


class PagingStop(StrEnum):
    """Why a search stopped following result pages."""

    LIMIT = "LIMIT"
    ENOUGH = "ENOUGH"
    SATURATED = "SATURATED"
    BARREN = "BARREN"
    END = "END"
    REPEATED = "REPEATED"
    QUOTA = "QUOTA"
    CHALLENGE = "CHALLENGE"
    ERROR = "ERROR"
    BUDGET = "BUDGET"
    STOPPED = "STOPPED"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An IP address, as text, and a port."""

    address: str
    port: int


@dataclass(frozen=True, slots=True)
class EngineQuery:
    """A query in the form an engine receives."""

    text: str
    today: date
    language: str = "ja"
    """A two-letter code, "" for any."""
    region: str | None = None
    """A two-letter country, None for any."""
    time_range: TimeRange = TimeRange.ALL


@dataclass(frozen=True, slots=True)
class Request:
    """One request for one page. The user's own keys are added later, by `Credential`."""

    url: str
    method: str = "GET"
    form: Mapping[str, str] = field(default_factory=dict)
    """The body of a POST."""
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    one_hop: bool = False
    """For a GET: return a redirect instead of following it, because the next host needs permission first."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response, undecoded."""

    body: bytes
    url: str = ""
    """The final address after redirects."""
    status: int = 200
    charset: str | None = None
    """As named by the header."""
    today: date | None = None
    """Turns "3 days ago" into a date."""
    media_type: str | None = None
    """As named by the header."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Only the headers that Shisho uses, in lower case: etag, last-modified, refresh, retry-after; and
    location, as an absolute address, of a redirect that was not followed.
    """


@dataclass(frozen=True, slots=True)
class SerpHit:
    """An entry of a result page."""

    rank: int
    """From 1 on its page."""
    url: str
    """The target address, without redirectors."""
    title: str
    snippet: str = ""
    date: str | None = None
    """ISO, as far as it is known: a year, a month or a day."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """A page that wants proof of a person. `marker` is the text that identified it."""

    kind: ChallengeKind
    marker: str


@dataclass(frozen=True, slots=True)
class Serp:
    """A parsed result page.

    `next` is None if the engine shows no further page. `follow` is a second request that this page needs
    before it has hits (E-utilities name ids first): its answer brings the hits, this one brings `next`.
    """

    engine: str
    hits: tuple[SerpHit, ...] = ()
    next: State | None = None
    challenge: Challenge | None = None
    no_results: bool = False
    follow: Request | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SerpLayout:
    """One layout of a result page, as CSS selectors.

    All but `hit` are searched for inside the hit. `skip` matches elements that look like a result but are
    not. An empty `link` means the hit is the link; an empty `title`, the link's own text.
    """

    hit: str
    link: str = ""
    title: str = ""
    snippet: str = ""
    date: str = ""
    skip: str = ""


@dataclass(frozen=True, slots=True)
class Credential:
    """A value of the user's own for a header or a parameter of each request.

    For example a key or a contact address. It is added after the request was built and stored, so that no
    record contains it. `interval_s` is the interval that the key allows.
    """

    setting: str
    header: str = ""
    param: str = ""
    interval_s: float | None = None
    required: bool = False


@dataclass(frozen=True, slots=True)
class SearchPaging:
    """The progress of a search through the result pages of its engine.

    `novelty` is the share of addresses on each page that were new to the task, `harvest` the share of its
    visited hits that were useful, None if none was visited. `paging_stop` None: the search is still running.
    `reason` is the stop in words, and `warnings` are codes, for a visitor with words.
    """

    job_id: str
    query: str
    engine: str
    pages: int
    novelty: tuple[float, ...]
    harvest: tuple[float | None, ...]
    paging_stop: PagingStop | None = None
    warnings: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """How an engine's pages are parsed. Selectors are CSS, phrases lower case.

    `signs`, `titles`: identify this engine's saved pages. `next_link`: the link to the next page, and
    `pager`: the block that contains it. `nothing`, `no_result_phrases`: "no results". `changed`: the engine
    answered another query than requested. `shell`: a page that only JavaScript would fill. `markers`: its own
    challenges.
    """

    layouts: tuple[SerpLayout, ...] = ()
    signs: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    next_link: str = ""
    pager: str = ""
    nothing: tuple[str, ...] = ()
    no_result_phrases: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    shell: tuple[str, ...] = ()
    markers: Mapping[str, ChallengeKind] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EngineAbout:
    """The description of an engine; the user's engines.toml may override any field.

    `kind` is html, json or xml; `pagination` the parameter that carries the page; `reason`: why it is not
    enabled. Intervals are seconds between requests, `per_day` None for no limit, `query_limit` in characters.
    Empty `languages`: any. `verified`: its parser has been tested on real pages. `blocks_in_silence`: it
    answers suspected bots with "no results", whatever they ask.
    """

    name: str
    site: str
    kind: str
    tier: Tier
    categories: tuple[str, ...]
    interval_s: float
    pagination: str
    page_size: int = 10
    max_pages: int = 10
    pagination_enabled: bool = True
    enabled: bool = True
    reason: str = ""
    needs_browser: bool = False
    verified: bool = True
    per_day: int | None = None
    parallel: int = 1
    query_limit: int | None = None
    languages: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    time_ranges: tuple[TimeRange, ...] = ()
    credentials: tuple[Credential, ...] = ()
    blocks_in_silence: bool = False
    look: Look = Look()
