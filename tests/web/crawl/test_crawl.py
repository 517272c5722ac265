"""Visits under way together: how many, at which hosts, and what becomes of them when one has to wait or
cannot be paid."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from shisho.domain.discovered_url import DiscoveredUrl
from shisho.errors import BudgetExhausted
from shisho.system.clock import SystemClock
from shisho.web.crawl import AT_ONCE, Crawl, Frontier, get_host
from shisho.web.http.pacing import RetryLater
from tests.machine import PATIENCE


def find(host: str, rank: int) -> DiscoveredUrl:
    return DiscoveredUrl(f"https://{host}/{rank}", f"https://{host}/{rank}", rank=rank)


def crawl(
    hits: list[DiscoveredUrl],
    visit: Callable[[DiscoveredUrl], Awaitable[None]],
    enough: Callable[[], bool] = lambda: False,
) -> Crawl:
    return Crawl(Frontier(hits), visit, enough, SystemClock())


async def test_four_at_once_and_one_of_each_host() -> None:
    now = Counter[str]()
    most = 0
    seen = list[int]()

    async def visit(hit: DiscoveredUrl) -> None:
        nonlocal most
        now[get_host(hit)] += 1
        most = max(most, now.total())
        assert now[get_host(hit)] == 1
        await asyncio.sleep(0.001)
        now[get_host(hit)] -= 1
        seen.append(hit.rank or 0)

    hits = [find(f"h{rank % 7}.example", rank) for rank in range(1, 41)]
    assert await crawl(hits, visit).run() is None
    assert most == AT_ONCE and sorted(seen) == list(range(1, 41))


async def test_a_short_wait_is_waited_and_a_long_one_told() -> None:
    asked = list[str]()

    async def visit(hit: DiscoveredUrl) -> None:
        host = get_host(hit)
        asked.append(host)
        if asked.count(host) == 1:
            raise RetryLater({"short.example": 0.01, "long.example": 30.0}[host])

    wait = await crawl([find("short.example", 1), find("long.example", 2)], visit).run()
    assert wait == pytest.approx(30, abs=1) and asked == ["short.example", "long.example", "short.example"]


async def test_a_host_that_is_ready_does_not_wait_for_a_slow_visit_elsewhere() -> None:
    order = list[str]()
    slow = asyncio.Event()

    async def visit(hit: DiscoveredUrl) -> None:
        host = get_host(hit)
        if host == "slow.example":
            await slow.wait()
        elif host not in order:
            order.append(host)
            raise RetryLater(0.01)
        else:
            slow.set()
        order.append(host)

    async with asyncio.timeout(PATIENCE):
        await crawl([find("slow.example", 1), find("ready.example", 2)], visit).run()
    assert order == ["ready.example", "ready.example", "slow.example"]


async def test_what_was_paid_for_is_kept_when_the_budget_ends() -> None:
    kept = list[int]()
    purse = 3

    async def visit(hit: DiscoveredUrl) -> None:
        nonlocal purse
        if purse == 0:
            raise BudgetExhausted("spent")
        purse -= 1
        await asyncio.sleep(0.005 * (hit.rank or 0))
        kept.append(hit.rank or 0)

    with pytest.raises(BudgetExhausted):
        await crawl([find(f"h{rank}.example", rank) for rank in range(1, 11)], visit).run()
    assert kept == [1, 2, 3]


async def test_enough_lets_those_under_way_end_and_begins_no_other() -> None:
    kept = list[int]()

    async def visit(hit: DiscoveredUrl) -> None:
        await asyncio.sleep(0.002 * (hit.rank or 0))
        kept.append(hit.rank or 0)

    assert (
        await crawl(
            [find(f"h{rank}.example", rank) for rank in range(1, 11)], visit, lambda: bool(kept)
        ).run()
        is None
    )
    assert kept == [1, 2, 3, 4]


async def test_leaving_in_the_middle_leaves_no_visit_behind() -> None:
    begun = asyncio.Event()
    ended = list[str]()

    async def visit(hit: DiscoveredUrl) -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)  # as a lease is given back
            ended.append(get_host(hit))

    run = asyncio.create_task(crawl([find("a.example", 1), find("b.example", 2)], visit).run())
    await begun.wait()
    run.cancel()
    await asyncio.wait([run])
    assert run.cancelled() and sorted(ended) == ["a.example", "b.example"]


async def test_no_more_begin_than_there_is_room_for() -> None:
    visited = list[int]()

    async def visit(hit: DiscoveredUrl) -> None:
        await asyncio.sleep(0.001)
        if hit.rank != 2:  # it could not be read
            visited.append(hit.rank or 0)

    hits = [find(f"h{rank}.example", rank) for rank in range(1, 10)]
    within = Crawl(Frontier(hits), visit, lambda: False, SystemClock(), lambda: 3 - len(visited))
    assert await within.run() is None
    assert visited == [1, 3, 4]
