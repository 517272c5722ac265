"""One visit: what is asked in which order, what is paid and given back, and what an answer means."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest

from shisho.domain.politeness import Limit
from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed, AuthRequired, BudgetExhausted, RobotsDisallowed, TimedOut
from shisho.web.crawl.robots import RobotsCache
from shisho.web.crawl.visit import REMEMBERED_S, PageClient
from shisho.web.http.pacing import MAX_TRIES, RetryLater
from tests.clocks import TwoHands
from tests.temporary import new_cache, new_limiter

pytestmark = pytest.mark.usefixtures("temporary_stores")

URL = "https://a.example/page"
TEXT = b"<html><body>" + b"<p>text</p>" * 5 + b"</body></html>"
SLOW = Response(b"", URL, 429, headers={"retry-after": "90"})
LIMIT = Limit(1.0, 1, 200)
Said = Response | BaseException


class Site:
    """`ports.Fetcher` that gives these answers in turn, the last for ever; and a purse. `shut`: robots.txt of
    other hosts."""

    def __init__(self, *answers: Said, money: int = 99, robots: bytes | None = None) -> None:
        self.answers: Sequence[Said] = answers
        self.money = money
        self.robots = robots
        self.asked: list[str] = []
        self.shut: dict[str, bytes] = {}
        self.clock = TwoHands()
        self.limiter = new_limiter(self.clock)
        cache = new_cache(self.clock)
        book = RobotsCache(self, cache, self.limiter) if robots is not None else None
        self.visiting = PageClient(self, None, book, self.limiter, cache, self.clock)

    async def fetch(self, request: Request) -> Response:
        self.asked.append(request.url)
        if request.url.endswith("/robots.txt"):
            text = self.shut.get(request.url.split("/")[2], self.robots or b"")
            return Response(text, request.url, media_type="text/plain")
        said = self.answers[0]
        self.answers = self.answers[1:] or self.answers
        await asyncio.sleep(0)
        if isinstance(said, BaseException):
            raise said
        return said

    async def close(self) -> None: ...

    async def pay(self) -> bool:
        self.money -= 1
        return self.money >= 0

    async def visit(self, ticket: str = "t", url: str = URL) -> Response:
        return await self.visiting.fetch_page(Request(url), ticket, self.pay)

    async def after(self, seconds: float, ticket: str = "t") -> Response:
        self.clock.pass_(seconds)
        return await self.visit(ticket)


async def test_nothing_is_asked_that_cannot_be_paid_and_the_host_is_free_again() -> None:
    site = Site(Response(TEXT, URL), money=0)
    with pytest.raises(BudgetExhausted):
        await site.visit()
    assert site.asked == []
    site.money = 1
    await site.after(1.0, "other")


@pytest.mark.parametrize("wrong", [TimedOut("late"), Response(b"", URL, 500), asyncio.CancelledError()])
async def test_a_host_is_given_back_whatever_became_of_the_visit(wrong: Said) -> None:
    site = Site(wrong, Response(TEXT, URL))
    with pytest.raises((TimedOut, AllFetchesFailed, asyncio.CancelledError)):
        await site.visit()
    with pytest.raises(RetryLater) as later:
        await site.visit("other")
    assert later.value.seconds == pytest.approx(1.0)
    assert (await site.after(1.0, "other")).body == TEXT


@pytest.mark.parametrize("status", [202, 204, 206, 300, 301, 302, 307])
async def test_an_answer_that_is_not_the_page_is_none(status: int) -> None:
    """A part, "accepted", and "moved" without an address: their words are no page of that name."""
    with pytest.raises(AllFetchesFailed, match=f"status {status}"):
        await Site(Response(TEXT, URL, status)).visit()


@pytest.mark.parametrize("status", [200, 203, 304])
async def test_the_page_by_whoever_hands_it_on_is_one(status: int) -> None:
    assert (await Site(Response(TEXT, URL, status)).visit()).body == TEXT


async def test_a_page_that_only_leads_on_is_no_page() -> None:
    """Publishers behind a DOI answer so, and pages that have moved."""
    moved = b'<meta http-equiv="refresh" content="2; url=https://b.example/new"><p>Redirecting</p>'
    site = Site(Response(moved, URL), Response(TEXT, "https://b.example/new"))
    assert (await site.visit()).body == TEXT
    assert site.asked == [URL, "https://b.example/new"] and site.money == 98, "one page is paid"


async def test_robots_of_where_a_page_leads_are_asked() -> None:
    moved = b'<meta http-equiv="refresh" content="0; url=https://b.example/new">'
    site = Site(Response(moved, URL), robots=b"")
    site.shut["b.example"] = b"User-agent: *\nDisallow: /\n"
    with suppress(RetryLater):
        await site.visit()
    with pytest.raises(RobotsDisallowed):
        await site.after(1.0)
    assert "https://b.example/new" not in site.asked


async def test_a_page_that_leads_back_to_itself_is_read() -> None:
    itself = b'<meta http-equiv="refresh" content="5; url=/page">' + TEXT
    assert (await Site(Response(itself, URL)).visit()).body == itself


async def test_a_host_that_asks_for_patience_has_it_from_everybody() -> None:
    site = Site(SLOW, Response(TEXT, URL))
    with pytest.raises(RetryLater) as later:
        await site.visit()
    assert later.value.seconds == 90
    with pytest.raises(RetryLater):
        await site.after(88, "other")
    assert (await site.after(2.1, "other")).status == 200 and len(site.asked) == 2


async def test_a_host_that_asks_too_often_is_left_alone_for_a_while() -> None:
    site = Site(SLOW)
    for _ in range(MAX_TRIES - 1):
        with pytest.raises(RetryLater):
            await site.after(91)
    with pytest.raises(AllFetchesFailed, match="asks for a pause"):
        await site.after(91)
    with pytest.raises(AllFetchesFailed, match="asks for a pause"):
        await site.after(91, "other")
    assert len(site.asked) == MAX_TRIES, "the other page was asked for all the same"
    site.answers = [Response(TEXT, URL)]
    assert (await site.after(REMEMBERED_S, "other")).status == 200


async def test_an_answer_ends_the_counting() -> None:
    site = Site(*[SLOW] * (MAX_TRIES - 1), Response(TEXT, URL), SLOW)
    for _ in range(MAX_TRIES - 1):
        with pytest.raises(RetryLater):
            await site.after(91)
    assert (await site.after(91)).status == 200
    with pytest.raises(RetryLater):
        await site.after(91)


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (
            Response(b"<html><div class='g-recaptcha'></div></html>", URL, 403, media_type="text/html"),
            AuthRequired,
        ),
        (
            Response(b"<html><div class='g-recaptcha'></div></html>", URL, 429, media_type="text/html"),
            AuthRequired,
        ),
        (Response(b"<title>Too many requests</title>", URL, 429, media_type="text/html"), RetryLater),
        (Response(b"gone", URL, 404, media_type="text/plain"), AllFetchesFailed),
        (
            Response(
                TEXT.replace(b"</body>", b"<div class='g-recaptcha'></div></body>"),
                URL,
                media_type="text/html",
            ),
            None,
        ),
        (Response(b"", URL, 304), None),
    ],
)
async def test_what_an_answer_means(response: Response, error: type[Exception] | None) -> None:
    site = Site(response)
    if error is None:
        assert await site.visit() == response
        return
    with pytest.raises(error):
        await site.visit()


async def test_robots_are_asked_first_in_the_pace_of_the_host_and_cost_no_page() -> None:
    site = Site(Response(TEXT, URL), money=1, robots=b"User-agent: *\nDisallow: /secret\nCrawl-delay: 3")
    with pytest.raises(RetryLater) as later:
        await site.visit()
    assert later.value.seconds == pytest.approx(3.0) and site.asked == ["https://a.example/robots.txt"]
    assert (await site.after(3.0)).status == 200 and site.money == 0
    with pytest.raises(RobotsDisallowed):
        await site.visit(url="https://a.example/secret/1")
    assert site.asked == ["https://a.example/robots.txt", URL]


THERE = "https://b.example/page"
LED = Response(b"", URL, 302, headers={"location": THERE})
HOUR = Response(b"", THERE, 503, headers={"retry-after": "3600"})


async def test_where_a_redirect_leads_to_robots_txt_counts_too() -> None:
    site = Site(LED, Response(TEXT, THERE), robots=b"")
    site.shut["b.example"] = b"User-agent: *\nDisallow: /"
    with pytest.raises(RetryLater):
        await site.visit()
    with pytest.raises(RobotsDisallowed, match=r"b\.example"):
        await site.after(1.0)
    assert site.asked == ["https://a.example/robots.txt", URL, "https://b.example/robots.txt"]


async def test_each_host_of_a_chain_has_its_turn_and_its_day_and_one_page_is_paid() -> None:
    site = Site(LED, Response(TEXT, THERE), money=1)
    assert (await site.limiter.acquire("host:b.example", LIMIT, "another")).granted
    with pytest.raises(RetryLater) as later:
        await site.visit()
    assert later.value.host == "b.example" and site.asked == [URL]
    await site.limiter.release("host:b.example", LIMIT, "another")
    assert (await site.after(1.0)).url == THERE
    assert site.asked == [URL, THERE] and site.money == 0, "the first host was asked, or paid for, twice"
    standing = await site.limiter.read_status({f"host:{name}": LIMIT for name in ("a.example", "b.example")})
    assert [how.used_today for how in standing.values()] == [1, 2]


async def test_an_hour_is_an_hour_for_the_host_that_asked_for_it_and_for_no_other() -> None:
    site = Site(LED, HOUR, Response(TEXT, THERE))
    with pytest.raises(RetryLater) as later:
        await site.visit()
    assert (later.value.seconds, later.value.host) == (3600, "b.example")
    standing = await site.limiter.read_status({f"host:{name}": LIMIT for name in ("a.example", "b.example")})
    assert standing["host:a.example"].free_in_s <= 1 and standing[
        "host:b.example"
    ].free_in_s == pytest.approx(3600)
    with pytest.raises(RetryLater):
        await site.after(3599)
    assert (await site.after(1.1)).url == THERE and site.asked == [URL, THERE, THERE]


async def test_a_challenge_that_names_a_time_has_it_too() -> None:
    walled = Response(
        b"<html><div class='g-recaptcha'></div></html>", URL, 429, headers={"retry-after": "600"}
    )
    site = Site(walled)
    with pytest.raises(AuthRequired):
        await site.visit()
    assert (await site.limiter.read_status({"host:a.example": LIMIT}))[
        "host:a.example"
    ].free_in_s == pytest.approx(600)


@pytest.mark.parametrize(
    ("targets", "words"),
    [([URL], "loop"), ([f"https://a.example/{number}" for number in range(6)], "more than 5 times")],
)
async def test_a_chain_ends(targets: list[str], words: str) -> None:
    site = Site(
        *(Response(b"", URL, 301, headers={"location": target}) for target in targets), Response(TEXT, URL)
    )
    with pytest.raises(AllFetchesFailed, match=words):
        for _ in range(9):
            with suppress(RetryLater):
                await site.after(1.0)
    assert len(site.asked) == len(targets)


async def test_what_a_browser_was_led_to_counts_as_asked_and_is_not_read_where_it_may_not_be() -> None:
    site = Site(robots=b"")
    site.shut["b.example"] = b"User-agent: *\nDisallow: /"

    async def browse(request: Request, profile: str) -> Response:
        return Response(TEXT, THERE)

    with pytest.raises(RetryLater):
        await site.visiting.fetch_page(Request(URL), "t", site.pay, browse=browse)
    site.clock.pass_(1.0)
    with pytest.raises(RobotsDisallowed, match=r"b\.example"):
        await site.visiting.fetch_page(Request(URL), "t", site.pay, browse=browse)
