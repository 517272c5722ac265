"""The depth of paging: the last page allowed, and after each page whether to continue.

Pure. A page that repeats an earlier one (`is_repeat`) must be neither stored nor visited by the caller; its
facts end the list passed to `stop_reason`, and are all that remains of it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any

from shisho.domain.codec import build
from shisho.domain.intervention import HumanChallenge
from shisho.domain.payloads import SearchFailure
from shisho.domain.task import StopStrategy
from shisho.domain.web import EngineAbout, PagingStop
from shisho.errors import BudgetExhausted, InvalidParams, ShishoError, StoreUnavailable
from shisho.records import dataclass
from shisho.web.serp.client import EngineRefused, PersonNeeded, QuotaSpent

PRESETS = {"academic": 3, "technical": 3, "general": 2, "government": 2, "news": 1}  # result pages
MAX_PAGES = 10
MIN_NOVELTY = 0.1
MIN_HARVEST = 0.05
ENOUGH_VISITED = 3  # fewer visits say nothing about a page's harvest
IGNORED = "paging_ignored"  # the engine shows one result page only
LIMITED = "paging_limited"  # engines.toml allows fewer result pages than were asked for


@dataclass(frozen=True, slots=True)
class PagingSettings:
    """The settings of paging for one engine, from `[paging]` of engines.toml.

    The limits `enabled` and `max_pages`, the thresholds of `auto`, and the number of result pages for a query
    of each category.
    """

    enabled: bool = True
    max_pages: int = MAX_PAGES
    novelty: float = MIN_NOVELTY
    harvest: float = MIN_HARVEST
    presets: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        are_shares = 0 <= self.novelty <= 1 and 0 <= self.harvest <= 1
        counts = [self.max_pages, *self.presets.values()]
        if not are_shares or not all(1 <= count <= MAX_PAGES for count in counts):
            raise ValueError("out of range")
        if not self.presets.keys() <= PRESETS.keys():
            raise ValueError("unknown category")

    @property
    def most(self) -> int:
        """The maximum number of result pages of a search."""
        return self.max_pages if self.enabled else 1

    def find_preset(self, categories: Sequence[str]) -> int:
        """Return the result pages of a query of these categories."""
        presets = {**PRESETS, **self.presets}
        return max(presets.get(category, presets["general"]) for category in categories or ("general",))


def read_paging(table: Mapping[str, Any], engines: Collection[str]) -> dict[str, PagingSettings]:
    """Return the settings of each engine from the table `[paging]` of engines.toml.

    `[paging.mojeek]` is for one engine; no engine may page further than the general limit.

    Raises: InvalidParams, which names the field.
    """
    common = {name: value for name, value in table.items() if name not in engines}
    settings = dict.fromkeys(engines, _read_table("paging", common))
    for name in table.keys() & settings.keys():
        if not isinstance(table[name], Mapping):
            raise _refuse_value("paging", name, table[name])
        own = _read_table(f"paging.{name}", {**common, **table[name]})
        enabled = own.enabled and settings[name].enabled
        settings[name] = replace(own, enabled=enabled, max_pages=min(own.most, settings[name].most))
    return settings


def _read_table(where: str, values: Mapping[str, Any]) -> PagingSettings:
    for name, value in values.items():
        if name not in {each.name for each in fields(PagingSettings)}:
            raise InvalidParams("engine.file_unknown_field", engine=where, field=name)
        try:
            build({name: value}, PagingSettings)
        except (TypeError, ValueError, AttributeError) as error:
            raise _refuse_value(where, name, value) from error
    return PagingSettings(**values)


def _refuse_value(where: str, name: str, value: object) -> InvalidParams:
    return InvalidParams("engine.file_bad_value", engine=where, field=name, value=value)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The facts of a result page that matter for paging.

    `urls` are canonical and distinct; `fresh` of them are new to the task. `visited` and `useful` count hits
    that this search found here first, so that sums over pages count each once. `opening`: the first page of
    the search. `last`: the engine shows no way to a further one.
    """

    number: int
    urls: tuple[str, ...]
    fresh: int
    visited: int = 0
    useful: int = 0
    last: bool = False
    opening: bool = False

    @property
    def novelty(self) -> float:
        """The share of URLs that are new to the task; 1 for the opening page."""
        if not self.urls:
            return 0.0
        return 1.0 if self.opening else self.fresh / len(self.urls)

    @property
    def harvest(self) -> float | None:
        """The share of visited hits with a useful passage; None before the first visit."""
        return self.useful / self.visited if self.visited else None


@dataclass(frozen=True, slots=True)
class PagingRules:
    """The paging limits of one search.

    Its first and last page by number, the sufficient number of useful hits, and the maximum number of visits,
    None for unlimited. `settings` None: the defaults.
    """

    strategy: StopStrategy
    first: int
    deepest: int
    enough: int
    most_visits: int | None = None
    settings: PagingSettings | None = None

    def is_enough(self, pages: Sequence[PageFacts]) -> bool:
        """Return True if enough hits were useful, or no more of them may be visited."""
        visited = sum(page.visited for page in pages)
        is_used_up = self.most_visits is not None and visited >= self.most_visits
        return is_used_up or sum(page.useful for page in pages) >= self.enough


def find_deepest_page(
    serp_page: int,
    serp_max_pages: int | None,
    strategy: StopStrategy,
    categories: Sequence[str],
    about: EngineAbout,
    settings: PagingSettings = PagingSettings(),
) -> int:
    """Return the number of the last page to request.

    It is below `serp_page` if the engine does not reach that far.
    """
    if not about.pagination_enabled:
        pages = 1
    elif serp_max_pages is not None:
        pages = min(serp_max_pages, MAX_PAGES)
    elif strategy is StopStrategy.EXHAUSTIVE:
        pages = MAX_PAGES
    else:
        pages = settings.find_preset(categories)
    return min(serp_page + min(pages, settings.most) - 1, about.max_pages)


def list_paging_warnings(
    serp_max_pages: int | None, strategy: StopStrategy, about: EngineAbout, settings: PagingSettings
) -> tuple[str, ...]:
    """Return the warning code if a search for several result pages may not get them."""
    asked = serp_max_pages or (MAX_PAGES if strategy is StopStrategy.EXHAUSTIVE else 1)
    if asked > 1 and (not about.pagination_enabled or about.max_pages == 1):
        return (IGNORED,)
    return (LIMITED,) if asked > settings.most else ()


def stop_reason(pages: Sequence[PageFacts], rules: PagingRules) -> PagingStop | None:
    """Return the reason to stop after the last of `pages`, whose hits were visited; None to continue.

    The first applicable reason in the order of `PagingStop`. An empty or repeated page has no novelty either,
    but END and REPEATED say more than SATURATED would.
    """
    if not pages:
        return PagingStop.LIMIT if rules.first > rules.deepest else None
    page = pages[-1]
    least_novelty = MIN_NOVELTY if rules.settings is None else rules.settings.novelty
    least_harvest = MIN_HARVEST if rules.settings is None else rules.settings.harvest
    auto = rules.strategy is StopStrategy.AUTO
    repeated = is_repeat(page, pages[:-1])
    reasons = {
        PagingStop.LIMIT: page.number >= rules.deepest,
        PagingStop.ENOUGH: auto and rules.is_enough(pages),
        PagingStop.SATURATED: auto and bool(page.urls) and not repeated and page.novelty < least_novelty,
        PagingStop.BARREN: auto and page.visited >= ENOUGH_VISITED and (page.harvest or 0.0) < least_harvest,
        PagingStop.END: not page.urls or page.last,
        PagingStop.REPEATED: repeated,
    }
    return next((stop for stop, holds in reasons.items() if holds), None)


def is_repeat(page: PageFacts, earlier: Iterable[PageFacts]) -> bool:
    """Return True if one earlier page contains all of the page's URLs.

    Past the end some engines show their first page again, at times with an entry less, so a subset counts.
    URLs from several pages are overlap, not repetition.
    """
    return bool(page.urls) and any(set(page.urls) <= set(page_facts.urls) for page_facts in earlier)


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
