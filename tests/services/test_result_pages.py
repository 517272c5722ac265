"""Result pages of one search over waits, kills and engines that forget: each asked as often as it must be,
and no oftener."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from shisho.domain.job import Job
from shisho.domain.payloads import SearchJob
from shisho.domain.politeness import RequestOutcome
from shisho.domain.web import (
    Challenge,
    ChallengeKind,
    EngineQuery,
    PagingStop,
    Request,
    Response,
    Serp,
    SerpHit,
    Tier,
    TimeRange,
)
from shisho.errors import BudgetExhausted, EngineUnavailable, StoreUnavailable, TimedOut
from shisho.jobs.context import JobContext
from shisho.services.result_pages import LONGEST_SNIPPET, LONGEST_TITLE, MAX_HITS, WHOLE_S, SerpAttempt
from shisho.testing import make_engine
from shisho.web.serp.client import PersonNeeded, is_plain
from tests.queues import OWNER
from tests.services.searching import QUERY, Forgetful, World, hits, searching

BARRED = Serp("memory", challenge=Challenge(ChallengeKind.CAPTCHA, "captcha"))


Said = Serp | Response | Exception


def short(world: World) -> list[str]:
    """What was asked, by engine, page and token."""
    search = ".example/search?q=%E6%B1%BA%E5%AE%9A%E4%BF%82%E6%95%B0&p="
    return [url.removeprefix("https://").replace(search, " ") for url in world.answers.asked]


def with_tokens(tokens: list[str], *, page_2: Callable[[], Said] | None = None) -> Callable[[str], Said]:
    """Page 1 gives the tokens one after another; page 2 takes the latest and no other."""
    given: list[str] = []

    def rule(url: str) -> Said:
        name = url.removeprefix("https://").partition(".")[0]
        if "p=1" in url:
            given.append(tokens[len(given)])
            return Serp(name, hits(1, 2), {"token": given[-1]} if given[-1] else None)
        if page_2 is not None:
            return page_2()
        return (
            Serp(name, hits(3), None)
            if url.endswith(f"token={given[-1]}") and len(given) == len(tokens)
            else BARRED
        )

    return rule


async def test_a_page_in_two_requests_asks_each_once_and_pays_for_both(tmp_path: Path) -> None:
    def rule(url: str) -> Serp:
        if "ids" in url:
            return Serp("memory", hits(1, 2))
        return Serp("memory", next={"s": "1"}, follow=Request("https://memory.example/ids"))

    async with searching(tmp_path, rule, make_engine(interval_s=5.0)) as world:
        (page,) = await world.pages(1)
        assert len(page.urls) == 2 and page.next == {"s": "1"}
        assert short(world) == ["memory 1", "memory.example/ids"] and world.waits == [pytest.approx(5.0)]


async def test_a_budget_covers_the_second_request_too(tmp_path: Path) -> None:
    async with searching(
        tmp_path, lambda url: Serp("memory", follow=Request("https://memory.example/ids")), max_pages=1
    ) as world:
        with pytest.raises(BudgetExhausted):
            await world.pages(1)
        assert short(world) == ["memory 1"]


async def test_an_outage_of_the_store_is_no_reason_to_ask_another_engine(tmp_path: Path) -> None:
    def rule(url: str) -> Serp | Exception:
        return StoreUnavailable("Away.") if "ana" in url else Serp("ben", hits(1))

    async with searching(tmp_path, rule, make_engine("ana"), make_engine("ben")) as world:
        with pytest.raises(StoreUnavailable):
            await world.pages(1, engines=("ana", "ben"))


async def test_an_expired_state_is_renewed_once_however_often_the_job_waits(tmp_path: Path) -> None:
    async with searching(
        tmp_path, with_tokens(["old", "new"]), Forgetful(make_engine(interval_s=5.0))
    ) as world:
        pages = await world.pages(2)
        assert [len(each.urls) for each in pages] == [2, 1] and pages[0].next == {"token": "old"}
        assert short(world) == ["memory 1", "memory 2&token=old", "memory 1", "memory 2&token=new"]
        assert (await world.engines.asking.health.read(["memory"]))["memory"].failures == 0, (
            "the engine did nothing wrong"
        )


async def test_an_engine_that_shows_no_way_any_more_ends_paging_and_not_the_job(tmp_path: Path) -> None:
    async with searching(tmp_path, with_tokens(["old", ""]), Forgetful(make_engine(interval_s=5.0))) as world:
        with pytest.raises(EngineUnavailable, match="no longer links to its page 2"):
            await world.pages(2)
        assert short(world) == ["memory 1", "memory 2&token=old", "memory 1"]


async def test_a_later_first_page_is_asked_with_the_state_of_its_own_engine(tmp_path: Path) -> None:
    def rule(url: str) -> Serp | Exception:
        name = url.removeprefix("https://").partition(".")[0]
        if "p=1" in url:
            return Serp(name, hits(1), {"token": name})
        return TimedOut("browser.no_answer") if name == "ana" else Serp(name, hits(2))

    ana, ben = (Forgetful(make_engine(name, interval_s=5.0)) for name in ("ana", "ben"))
    async with searching(tmp_path, rule, ana, ben) as world:
        (page,) = await world.pages(1, engines=("ana", "ben"), serp_page=2)
        assert page.engine == "ben" and short(world) == [
            "ana 1",
            "ana 2&token=ana",
            "ben 1",
            "ben 2&token=ben",
        ]


async def test_slow_down_is_no_fault_of_an_old_state(tmp_path: Path) -> None:
    slow = Response(b"", "https://memory.example/", 429, headers={"retry-after": "77"})
    said: Iterator[Said] = iter([slow, Serp("memory", hits(3))])
    async with searching(
        tmp_path, with_tokens(["old"], page_2=lambda: next(said)), Forgetful(make_engine(interval_s=5.0))
    ) as world:
        await world.pages(2)
        assert short(world) == ["memory 1", "memory 2&token=old", "memory 2&token=old"]
        assert world.waits[-1] == pytest.approx(77.0)


async def test_one_who_may_try_an_engine_may_renew_its_state(tmp_path: Path) -> None:
    async with searching(
        tmp_path, with_tokens(["old", "new"]), Forgetful(make_engine(interval_s=0.0))
    ) as world:
        await world.pages(1)
        await world.engines.asking.health.record("memory", RequestOutcome.CHALLENGE, 0.1)
        world.clock.pass_(1801)
        await world.pages(2)
        assert short(world) == ["memory 1", "memory 2&token=old", "memory 1", "memory 2&token=new"]


async def test_a_hostile_result_page_does_not_fill_the_database(tmp_path: Path) -> None:
    many = [
        SerpHit(rank, f"https://site{rank}.example/", "題" * 1_000, "文" * 4_000) for rank in range(1, 1_001)
    ]
    odd = [
        "javascript:alert(1)",
        "javascript://www.google.com/url?q=https://a.example/",
        "https://[::1/",
        "https://a.example/" + "a" * 10_000,
    ]
    hits = (*(SerpHit(0, url, "x") for url in odd), *many)
    async with searching(tmp_path, lambda url: Serp("memory", hits)) as world:
        (page,) = await world.pages(1)
        kept = await world.engines.finds.list_of_job(world.job)
        assert len(kept) == len(page.urls) == MAX_HITS - len(odd) and all(
            one.find.url.startswith("https://site") for one in kept
        )
        assert (
            max(len(one.find.title) + len(one.find.snippet) for one in kept)
            == LONGEST_TITLE + LONGEST_SNIPPET
        )


async def test_pages_of_the_cache_are_the_pages_that_were_asked(tmp_path: Path) -> None:
    shown = {1: hits(1, 2, 3), 2: hits(2, 3, 4), 3: hits(1, 2)}

    def rule(url: str) -> Serp:
        number = int(url.rpartition("p=")[2])
        return Serp("memory", shown[number], {} if number < 3 else None)

    async with searching(tmp_path, rule) as world:
        asked = await world.pages(3, remember=PagingStop.REPEATED)
        await world.next_job("t2")
        again = await world.pages(3, remember=PagingStop.REPEATED)
        assert len(world.answers.asked) == 3 and all(each.cached for each in again)
        assert [(each.urls, each.fresh, each.repeats) for each in again] == [
            (each.urls, each.fresh, each.repeats) for each in asked
        ]
        assert [each.repeats for each in again] == [False, False, True]
        world.clock.pass_(WHOLE_S - 60)
        await world.next_job("t3")
        await world.pages(3, remember=PagingStop.REPEATED)
        world.clock.pass_(61)
        await world.next_job("t4")
        await world.pages(1)
        assert len(world.answers.asked) == 4, "using it must not make it last"


async def test_an_engine_that_rests_after_its_person_was_there_asks_for_nobody(tmp_path: Path) -> None:
    shown = {1: Serp("memory", hits(1), {}), 2: BARRED, 3: Serp("memory", hits(3))}
    async with searching(tmp_path, lambda url: shown[int(url.rpartition("p=")[2])]) as world:
        health = world.engines.asking.health

        async def barred(job: Job, context: JobContext) -> None:
            serps = SerpAttempt(world.engines, job, context, SearchJob(query=QUERY, owner=OWNER))
            first = await serps.read_next([])
            for _ in range(2):  # met, and remembered while the engine rests
                with pytest.raises(PersonNeeded) as needs:
                    await serps.read_next([first])
                await serps.remember_need(needs.value.met, [first])

        await world.attempt(barred)
        await health.close_breaker("memory")
        shown[2] = Serp("memory", hits(2), {})
        await world.pages(2)
        for _ in range(2):
            await health.record("memory", RequestOutcome.FAILURE, 0.1)
        await world.pages(3)
        assert world.waits == [pytest.approx(1800)]


@pytest.mark.parametrize(("time_range", "answers"), [(TimeRange.ALL, "loud"), (TimeRange.DAY, "silent")])
async def test_no_results_for_plain_words_is_a_block_where_an_engine_blocks_in_silence(
    tmp_path: Path, time_range: TimeRange, answers: str
) -> None:
    def rule(url: str) -> Serp:
        return Serp("silent", no_results=True) if "silent" in url else Serp("loud", hits(1))

    silent = make_engine("silent", blocks_in_silence=True, tier=Tier.YOURS, time_ranges=(TimeRange.DAY,))
    async with searching(tmp_path, rule, silent, make_engine("loud", time_ranges=(TimeRange.DAY,))) as world:
        (page,) = await world.pages(1, PagingStop.END, time_range=time_range)
        assert page.engine == answers
        assert (await world.engines.asking.health.read(["silent"]))["silent"].failures == (answers == "loud")
        await world.next_job("t2")
        await world.pages(1, time_range=time_range)
        asked = [url for url in world.answers.asked if "silent" in url]
        assert len(asked) == (2 if answers == "loud" else 1), (
            "an empty page is kept only where it is believed"
        )


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("決定係数 定義", True),
        ("C++ Rust 違い", True),
        ("state-of-the-art 2024", True),
        ('"Orb (univers de fiction)"', False),
        ("「吾輩は猫である」", False),
        ("猫 -犬", False),
        ("司書 site:example.jp", False),
    ],
)
def test_plain_words(text: str, plain: bool) -> None:
    assert is_plain(EngineQuery(text, date(2026, 7, 1))) is plain
