"""What sites ask of programs, read and kept."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from shisho.domain.politeness import Limit
from shisho.domain.web import Request, Response
from shisho.errors import (
    AllFetchesFailed,
    ForbiddenAddress,
    ShishoError,
    TimedOut,
    TooLarge,
    UnsupportedMedia,
)
from shisho.stores.sql.limiter import StoredLimiter
from shisho.web.crawl.robots import MAX_BYTES, Robots, RobotsCache, derive_limit, parse_robots
from shisho.web.http.pacing import RetryLater, retry_after
from tests.queues import SetClock
from tests.tables import each_row
from tests.temporary import new_cache, new_limiter

pytestmark = pytest.mark.usefixtures("temporary_stores")

NOW = "2026-07-01T09:00:00.000000+00:00"
PAGE = "https://example.org/a/page.html"


@each_row(
    ("text", "url", "allowed"),
    [
        ("", PAGE, True),
        ("User-agent: *\nDisallow: /", PAGE, False),
        ("User-agent: *\nDisallow:", PAGE, True),
        ("User-agent: *\nDisallow: /a/", PAGE, False),
        ("User-agent: *\nDisallow: /a/\nAllow: /a/page", PAGE, True),
        ("User-agent: *\nDisallow: /*.html$", PAGE, False),
        ("User-agent: *\nDisallow: /*.html$", PAGE + "?x=1", True),
        ("User-agent: Shisho\nDisallow: /\n\nUser-agent: *\nDisallow:", PAGE, False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: shisho\nAllow: /", PAGE, True),
        ("User-agent: Googlebot\nDisallow: /", PAGE, True),
        ("User-agent: Shisho/1.0\nDisallow: /", PAGE, False),
        ("User-Agent : shisho/2.3-beta # ours\nDisallow: /\n\nUser-agent: *\nAllow: /", PAGE, False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Shisho/1.0\nAllow: /", PAGE, True),
        ("User-agent: Other/1.0 (like Shisho)\nDisallow: /", PAGE, True),
        ("User-agent: shishobot\nDisallow: /", PAGE, True),
        ("\ufeffUser-agent: *\nDisallow: /a/", PAGE, False),
        ("User-agent: *\nDisallow: /統計/", "https://example.org/%E7%B5%B1%E8%A8%88/1", False),
        ("User-agent: *\nDisallow: /%E7%B5%B1%E8%A8%88/", "https://example.org/統計/1", False),
        ("<html><body>ページが見つかりません</body></html>", PAGE, True),
        ("User-agent: *\nCrawl-delay: 31", PAGE, True),
        ("User-agent: *\nCrawl-delay: 86400", PAGE, True),
        ("User-agent: *\nCrawl-delay: 30", PAGE, True),
        ("\x00\x01\x02" * 100, PAGE, True),
    ],
)
def test_rules(text: str, url: str, allowed: bool) -> None:
    rules = parse_robots(Response(text.encode()))
    assert rules.is_allowed(url) is allowed
    assert bool(rules.explain_refusal(url)) is not allowed


THERE_IS_NONE = (304, 400, 401, 403, 404, 410, 451)
UNKNOWN = (429, 500, 502, 503, 599)


@each_row(
    ("status", "allowed"),
    [(200, False), *((code, True) for code in THERE_IS_NONE), *((code, False) for code in UNKNOWN)],
)
def test_the_status_decides(status: int, allowed: bool) -> None:
    assert parse_robots(Response(b"User-agent: *\nDisallow: /", status=status)).is_allowed(PAGE) is allowed


def test_only_the_beginning_of_a_huge_one_is_read() -> None:
    head = b"User-agent: *\nDisallow: /a/\n"
    rest = b"Disallow: /b/" + b"x" * 87 + b"\n"
    rules = parse_robots(Response(head + rest * 20_000))
    assert len(rules.text) <= MAX_BYTES and rules.text.endswith("x\n")
    assert not rules.is_allowed(PAGE) and rules.is_allowed("https://example.org/c")
    assert len(parse_robots(Response(b"x" * 2 * MAX_BYTES)).text) == MAX_BYTES


def test_stars_without_end_cost_no_time() -> None:
    rules = parse_robots(Response(b"User-agent: *\n" + b"Disallow: /" + b"*a" * 2_000 + b"$\n"))
    assert rules.is_allowed("https://example.org/" + "a" * 1_900 + "b")


@each_row(
    ("text", "interval"),
    [
        ("", 1.0),
        ("User-agent: *\nCrawl-delay: 0.2", 1.0),
        ("User-agent: *\nCrawl-delay: 5", 5.0),
        ("User-agent: *\nCrawl-delay: 3600", 3600.0),
        ("User-agent: *\nCrawl-delay: -1", 1.0),
        ("User-agent: *\nCrawl-delay: nan", 1.0),
        ("User-agent: *\nCrawl-delay: soon", 1.0),
        ("User-agent: *\nRequest-rate: 1/10", 10.0),
        ("User-agent: *\nCrawl-delay: 9\n\nUser-agent: Shisho\nCrawl-delay: 2", 2.0),
    ],
)
def test_the_pace_of_a_host(text: str, interval: float) -> None:
    assert derive_limit(Robots(text)) == Limit(interval, 1, 200)
    assert derive_limit(None) == Limit(1.0, 1, 200)


@each_row(
    ("said", "seconds"),
    [
        ("30", 30.0),
        (" 0 ", 0.0),
        ("121", 121.0),
        ("3600", 3600.0),
        ("864000", 864_000.0),
        ("9" * 5_000, 999_999_999.0),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("soon", None),
        ("３０", None),
        ("Wed, 01 Jul 2026 09:00:30 GMT", 30.0),
        ("Wed, 01 Jul 2026 18:00:30 +0900", 30.0),
        ("Wed, 01 Jul 2026 09:00:30", 30.0),
        ("Wed, 01 Jul 2026 08:00:00 GMT", 0.0),
        ("Thu, 02 Jul 2026 09:00:00 GMT", 86_400.0),
        ("Wed, 99 Jul 2026 09:00:30 GMT", None),
        ("Wed, 01 Jul 99999999999 09:00:30 GMT", None),
    ],
)
def test_retry_after(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}, NOW) == seconds


def test_nothing_said_is_nothing() -> None:
    assert retry_after({}, NOW) is None


@dataclass
class Sites:
    """A fetcher that answers for robots.txt alone."""

    answers: Mapping[str, Response | ShishoError]
    asked: list[str] = field(default_factory=list)

    async def fetch(self, request: Request) -> Response:
        self.asked.append(request.url)
        await asyncio.sleep(0.01)
        answer = self.answers[request.url]
        if isinstance(answer, ShishoError):
            raise answer
        return answer

    async def close(self) -> None: ...


@dataclass
class RobotsSetup:
    book: RobotsCache
    sites: Sites
    clock: SetClock
    limiter: StoredLimiter


def set_up(answers: Mapping[str, Response | ShishoError]) -> RobotsSetup:
    clock = SetClock()
    sites = Sites(answers)
    limiter = new_limiter(clock)
    return RobotsSetup(RobotsCache(sites, new_cache(clock), limiter, clock), sites, clock, limiter)


SHUT = Response(b"User-agent: *\nDisallow: /a/")


async def test_it_is_asked_once_a_day_and_once_at_a_time() -> None:
    setup = set_up({"https://example.org/robots.txt": SHUT})
    found = await asyncio.gather(
        *(setup.book.find_rules(f"https://someone@Example.org/a/{n}", str(n)) for n in range(20))
    )
    assert not any(rules.is_allowed(PAGE) for rules in found) and len(setup.sites.asked) == 1
    setup.clock.pass_(86_399)
    await setup.book.find_rules(PAGE, "job")
    assert len(setup.sites.asked) == 1
    setup.clock.pass_(1)
    await setup.book.find_rules(PAGE, "job")
    assert len(setup.sites.asked) == 2


async def test_each_scheme_and_port_is_a_site_of_its_own() -> None:
    sites = (
        "https://example.org",
        "http://example.org",
        "https://example.org:8443",
        "https://www.example.org",
    )
    setup = set_up({f"{site}/robots.txt": SHUT for site in sites})
    for site in sites:
        await setup.book.find_rules(f"{site}/a", "job")
        setup.clock.pass_(1)
    assert setup.sites.asked == [f"{site}/robots.txt" for site in sites]


@pytest.mark.parametrize(
    "answer",
    [AllFetchesFailed("x"), TimedOut("x"), TooLarge("x"), UnsupportedMedia("x"), Response(b"", status=503)],
    ids=lambda answer: type(answer).__name__,
)
async def test_what_does_not_answer_is_left_alone_for_ten_minutes(answer: Response | ShishoError) -> None:
    setup = set_up({"https://example.org/robots.txt": answer})
    assert "currently" in (await setup.book.find_rules(PAGE, "job")).explain_refusal(PAGE)
    setup.clock.pass_(599)
    assert not (await setup.book.find_rules(PAGE, "job")).is_allowed(PAGE) and len(setup.sites.asked) == 1
    setup.clock.pass_(1)
    await setup.book.find_rules(PAGE, "job")
    assert len(setup.sites.asked) == 2


async def test_it_is_asked_at_the_hosts_pace() -> None:
    setup = set_up({"https://example.org/robots.txt": SHUT})
    limit = derive_limit(None)
    assert (await setup.limiter.acquire("host:example.org", limit, "another process")).granted
    with pytest.raises(RetryLater):
        await setup.book.find_rules(PAGE, "job")
    await setup.limiter.release("host:example.org", limit, "another process")
    setup.clock.pass_(1)
    await setup.book.find_rules(PAGE, "job")
    assert (await setup.limiter.read_status({"host:example.org": limit}))["host:example.org"].used_today == 2


async def test_a_forbidden_address_is_said_as_such() -> None:
    setup = set_up({"https://example.org/robots.txt": ForbiddenAddress("x")})
    with pytest.raises(ForbiddenAddress):
        await setup.book.find_rules(PAGE, "job")


async def test_the_first_page_waits_after_robots_txt() -> None:
    setup = set_up({"https://example.org/robots.txt": Response(b"User-agent: *\nCrawl-delay: 4")})
    limit = derive_limit(await setup.book.find_rules(PAGE, "job"))
    assert (await setup.limiter.acquire("host:example.org", limit, "job")).wait_s == pytest.approx(4)
    setup.clock.pass_(4)
    assert (await setup.limiter.acquire("host:example.org", limit, "job")).granted


async def test_a_large_one_does_not_hold_the_loop_up() -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: /{n}/*/x$\n" for n in range(20_000))
    setup = set_up({"https://example.org/robots.txt": Response(text.encode())})
    reading = asyncio.create_task(setup.book.find_rules("https://example.org/19999/y/x", "job"))
    turns = 0
    while not reading.done():
        await asyncio.sleep(0.005)
        turns += 1
    assert not (await reading).is_allowed("https://example.org/19999/y/x") and turns > 5


def led(url: str) -> Response:
    return Response(b"", status=301, headers={"location": url})


async def test_a_robots_txt_that_stands_elsewhere_counts_for_the_first_host_and_each_host_has_its_turn() -> (
    None
):
    there = "https://rules.example/all.txt"
    setup = set_up({"https://example.org/robots.txt": led(there), there: SHUT})
    limit = derive_limit(None)
    assert (await setup.limiter.acquire("host:rules.example", limit, "another process")).granted
    with pytest.raises(RetryLater) as later:
        await setup.book.find_rules(PAGE, "job")
    assert later.value.host == "rules.example"
    await setup.limiter.release("host:rules.example", limit, "another process")
    setup.clock.pass_(1)
    assert not (await setup.book.find_rules(PAGE, "job")).is_allowed(PAGE)
    assert setup.sites.asked == ["https://example.org/robots.txt", there], "the first host was asked twice"
    standing = await setup.limiter.read_status(
        {f"host:{name}": limit for name in ("example.org", "rules.example")}
    )
    assert [how.used_today for how in standing.values()] == [1, 2]


async def test_five_redirects_of_a_robots_txt_are_followed_and_a_circle_closes_the_site() -> None:
    chain = [f"https://h{number}.example/robots.txt" for number in range(6)]
    answers = {url: led(onward) for url, onward in itertools.pairwise(chain)}
    setup = set_up({**answers, chain[5]: SHUT})
    assert not (await setup.book.find_rules("https://h0.example/a/1", "job")).is_allowed(
        "https://h0.example/a/1"
    )
    assert setup.sites.asked == chain
    circle = set_up({**answers, chain[5]: led(chain[0])})
    assert "loop" in (await circle.book.find_rules("https://h0.example/", "job")).explain_refusal(
        "https://h0.example/"
    )


async def test_a_robots_txt_that_wants_to_be_left_alone_is_left_alone_for_as_long() -> None:
    setup = set_up(
        {"https://example.org/robots.txt": Response(b"", status=503, headers={"retry-after": "7200"})}
    )
    await setup.book.find_rules(PAGE, "job")
    setup.clock.pass_(7_199)
    assert not (await setup.book.find_rules(PAGE, "job")).is_allowed(PAGE) and len(setup.sites.asked) == 1
    assert (await setup.limiter.read_status({"host:example.org": derive_limit(None)}))[
        "host:example.org"
    ].free_in_s > 0
