"""How deep one query is followed into an engine's result pages: the last page allowed, and after each page
whether to go on.

Pure. What the caller owes to it: a page that `repeats` an earlier one is neither stored nor visited; its
facts close the list that `stop_reason` is asked with, and that is all that remains of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shisho.domain.task import StopStrategy
from shisho.domain.web import EngineAbout, PagingStop

PRESETS = {"academic": 3, "technical": 3, "general": 2, "government": 2, "news": 1}  # result pages
MOST_PAGES = 10
LEAST_NOVELTY = 0.1
LEAST_HARVEST = 0.05
ENOUGH_VISITED = 3  # fewer visits say nothing about a page's harvest


@dataclass(frozen=True, slots=True)
class PageFacts:
    """A result page as paging sees it. `urls` are canonical and each stands once; `fresh` of them the task
    had not met.

    `visited` and `useful` count hits that this search met here first, so that sums over pages count each
    once. `opening`: the search began with it. `last`: the engine shows no way to a further one."""

    number: int
    urls: tuple[str, ...]
    fresh: int
    visited: int = 0
    useful: int = 0
    last: bool = False
    opening: bool = False

    @property
    def novelty(self) -> float:
        """The share of its URLs that are new to the task; the opening page is new as a whole."""
        if not self.urls:
            return 0.0
        return 1.0 if self.opening else self.fresh / len(self.urls)

    @property
    def harvest(self) -> float | None:
        """The share of its visited hits that gave a useful passage; None while none was visited."""
        return self.useful / self.visited if self.visited else None


@dataclass(frozen=True, slots=True)
class PagingRules:
    """The paging limits of one search: its first and its last page by number, how many useful hits are
    enough, and how many may be visited, None for any number."""

    strategy: StopStrategy
    first: int
    deepest: int
    enough: int
    most_visits: int | None = None

    def is_enough(self, pages: Sequence[PageFacts]) -> bool:
        """True if enough hits were useful, or no more of them may be visited."""
        visited = sum(page.visited for page in pages)
        is_used_up = self.most_visits is not None and visited >= self.most_visits
        return is_used_up or sum(page.useful for page in pages) >= self.enough


def find_deepest_page(
    serp_page: int,
    serp_max_pages: int | None,
    strategy: StopStrategy,
    categories: Sequence[str],
    about: EngineAbout,
) -> int:
    """The number of the last page that may be asked for. Below `serp_page` where the engine does not reach so
    far."""
    if not about.pagination_enabled:
        pages = 1
    elif serp_max_pages is not None:
        pages = min(serp_max_pages, MOST_PAGES)
    elif strategy is StopStrategy.EXHAUSTIVE:
        pages = MOST_PAGES
    else:
        pages = max(
            (PRESETS.get(category, PRESETS["general"]) for category in categories),
            default=PRESETS["general"],
        )
    return min(serp_page + pages - 1, about.max_pages)


def stop_reason(pages: Sequence[PageFacts], rules: PagingRules) -> PagingStop | None:
    """Why paging ends after the last of `pages`, whose hits have been visited; None: ask for the next one.

    Where several reasons hold, the first in the order of `PagingStop` is given. A page that is empty or
    repeated has no novelty either, yet END and REPEATED say more than SATURATED would."""
    if not pages:
        return PagingStop.LIMIT if rules.first > rules.deepest else None
    page = pages[-1]
    auto = rules.strategy is StopStrategy.AUTO
    repeated = repeats(page, pages[:-1])
    reasons = {
        PagingStop.LIMIT: page.number >= rules.deepest,
        PagingStop.ENOUGH: auto and rules.is_enough(pages),
        PagingStop.SATURATED: auto and bool(page.urls) and not repeated and page.novelty < LEAST_NOVELTY,
        PagingStop.BARREN: auto and page.visited >= ENOUGH_VISITED and (page.harvest or 0.0) < LEAST_HARVEST,
        PagingStop.END: not page.urls or page.last,
        PagingStop.REPEATED: repeated,
    }
    return next((stop for stop, holds in reasons.items() if holds), None)


def repeats(page: PageFacts, earlier: Iterable[PageFacts]) -> bool:
    """True where all of the page's URLs stood on one earlier page: past the end some engines show their
    first page again, at times with an entry less, so that a part of it counts. URLs gathered from
    several pages are overlap, not repetition."""
    return bool(page.urls) and any(set(page.urls) <= set(page_facts.urls) for page_facts in earlier)
