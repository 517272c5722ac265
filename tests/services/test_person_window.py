"""When a window has done its work, by the pages a person walks through; read by the real parser in its
child."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from shisho.domain.intervention import HumanChallenge
from shisho.domain.web import Request, Response
from shisho.services.web import Window
from shisho.settings import build_child_environment
from shisho.web.serp.parser import KillableSerpParser

URL = "https://www.bing.com/search?q=x"
CAPTCHA = Response(
    b"<html><title>One more step</title><div class='g-recaptcha' data-sitekey='k'></div></html>",
    URL,
    429,
    media_type="text/html",
)
BLANK = Response(b"<html><body></body></html>", "about:blank", media_type="text/html")
RESULTS = Response(
    "<html><title>x - Bing</title><ol id=b_results><li class=b_algo><h2><a href='https://a.example/'>題</a></h2></ol></html>".encode(),
    URL,
    media_type="text/html",
)
ARTICLE = Response(
    b"<html><title>A page</title><p>Text.</p></html>", "https://paper.example/", media_type="text/html"
)


class Walk:
    """`ports.Browser` whose person comes by these pages and then closes the window."""

    def __init__(self, *pages: Response) -> None:
        self.pages = pages
        self.seen = 0
        self.shown: tuple[str, str] | None = None

    async def open(self, request: Request, profile: str = "", *, deadline_s: float = 30.0) -> Response:
        raise AssertionError("nobody asked for a page without a person")

    async def open_for_person(
        self,
        url: str,
        profile: str,
        solved: Callable[[Response], Awaitable[bool]],
        *,
        deadline_s: float = 1800.0,
    ) -> bool:
        self.shown = (url, profile)
        for page in self.pages:
            self.seen += 1
            if await solved(page):
                return True
        return False

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
async def parser() -> AsyncIterator[KillableSerpParser]:
    made = KillableSerpParser(environment=build_child_environment())
    yield made
    await made.close()


@pytest.mark.parametrize(
    ("engine", "pages", "through", "seen"),
    [
        ("bing", [CAPTCHA, BLANK, CAPTCHA, RESULTS, CAPTCHA], True, 4),
        ("bing", [CAPTCHA, BLANK], False, 2),
        ("", [CAPTCHA, ARTICLE], True, 2),
        ("", [CAPTCHA, CAPTCHA], False, 2),
    ],
)
async def test_a_window_is_through_when_its_page_asks_no_more(
    parser: KillableSerpParser, engine: str, pages: list[Response], through: bool, seen: int
) -> None:
    walk = Walk(*pages)
    met = HumanChallenge(engine, "www.bing.com", URL, "captcha")
    assert (await Window(walk, parser)(met), walk.seen, walk.shown) == (through, seen, (URL, engine))
