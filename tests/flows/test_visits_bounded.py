"""`max_results_per_query` limits the pages visited for a query under every stop strategy, never the result
pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.testing import MemoryWeb
from tests.flows.boxed import output
from tests.flows.smallweb import QUERY, address, ended, html, small_web, way

PAGES = ([1, 2, 3, 4, 5, 6], [7, 8, 9, 10], [11, 12])


def list_visited(web: MemoryWeb) -> list[str]:
    return [url for url in web.asked if "/search?" not in url]


@pytest.mark.parametrize(
    ("strategy", "serps", "stop"),
    [(StopStrategy.FIXED, 3, "LIMIT"), (StopStrategy.EXHAUSTIVE, 3, "END"), (StopStrategy.AUTO, 1, "ENOUGH")],
)
async def test_visits_are_bounded_under_every_strategy(
    tmp_path: Path, strategy: StopStrategy, serps: int, stop: str
) -> None:
    web = small_web(*PAGES)
    most = None if strategy is StopStrategy.EXHAUSTIVE else 3
    options = SearchOptions(max_results_per_query=3, serp_max_pages=most, stop_strategy=strategy)
    async with open_library(home=tmp_path, web_access=way(web)) as library, library.working(2):
        queued = await library.tasks.queue_searches([QUERY], options=options)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
    assert sorted(list_visited(web)) == [address(number) for number in (1, 2, 3)]
    assert (done["paging_stop"], len(done["pages"]), len(done["documents"])) == (stop, serps, 3)
    assert len(done["hits"]) == sum(map(len, PAGES[:serps])), "hits that are not visited stay listed"


async def test_a_page_that_cannot_be_read_gives_its_visit_to_the_next(tmp_path: Path) -> None:
    web = small_web(*PAGES)
    web.pages = {url: data for url, data in web.pages.items() if url != address(2)}
    options = SearchOptions(max_results_per_query=3, stop_strategy=StopStrategy.FIXED)
    async with open_library(home=tmp_path, web_access=way(web)) as library, library.working(2):
        queued = await library.tasks.queue_searches([QUERY], options=options)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
    visited = [hit["url"] for hit in done["hits"] if hit["status"] == "visited"]
    assert visited == [address(number) for number in (1, 3, 4)] and len(list_visited(web)) == 4


async def test_auto_asks_for_no_page_whose_hits_it_may_not_visit(tmp_path: Path) -> None:
    web = small_web(*PAGES)
    web.pages = {**web.pages, address(1): html("別の話", "漁港の朝市では干物が売られている。")}
    options = SearchOptions(max_results_per_query=3, serp_max_pages=3)
    async with open_library(home=tmp_path, web_access=way(web)) as library, library.working(2):
        queued = await library.tasks.queue_searches([QUERY], options=options)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
    assert (done["paging_stop"], len(done["pages"]), len(list_visited(web))) == ("ENOUGH", 1, 3)
    assert [hit["useful"] for hit in done["hits"] if hit["status"] == "visited"] == [False, True, True]
