"""A browser in the reading room: what it asked for, and what the page's own policy refused, is noted."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright, expect
from playwright.async_api import Error as BrowserError

from shisho.interfaces.http.guard import COOKIE, AccessRules
from tests.fonts import japanese_fonts
from tests.machine import PATIENCE
from tests.web.browsing import find_page_browser, need_browser

SHOTS = Path(__file__).parents[3] / "build" / "screenshots"
SAMPLES = Path(__file__).parents[3] / "samples" / "lectures"
QUESTION = "決定係数が0に近いとき何を意味するか"
WAIT = PATIENCE * 1_000  # ms
NOTE_VIOLATIONS = """
addEventListener('securitypolicyviolation', (event) => {
  console.error('POLICY ' + event.violatedDirective + ' ' + event.blockedURI);
});
"""


@dataclass(frozen=True)
class Reader:
    """A person with a token of their own on a server that several share."""

    url: str
    token: str

    @property
    def cookie(self) -> Mapping[str, str]:
        """What the browser of a reader who is let in has."""
        value = AccessRules(people={"reader": self.token}).cookie_for(self.token)
        assert value is not None
        return {"name": COOKIE, "value": value, "url": self.url}


@dataclass
class RoomVisit:
    """A page of the room, and what happened in it."""

    page: Page
    url: str
    hosts: set[str] = field(default_factory=set)
    trouble: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    unanswered: set[str] = field(default_factory=set)
    bytes: int = 0

    def listen(self) -> None:
        """Note from now on what the page asks for and says."""
        self.page.on("request", self._hear_request)
        self.page.on("requestfinished", lambda request: self.unanswered.discard(request.url))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("console", self._hear_console)

    def _hear_request(self, request: Request) -> None:
        self.hosts.add(urlsplit(request.url).netloc)
        self.unanswered.add(request.url)

    def _hear_console(self, message: ConsoleMessage) -> None:
        self.said.append(message.text)
        if "POLICY" in message.text:
            self.trouble.append(message.text)

    async def open(self, path: str) -> None:
        """Go there, and wait until the page says that it is ready."""
        await self.page.goto(self.url + path)
        await self.ready()

    async def ready(self) -> None:
        """Wait until the page says that it is ready."""
        await self.page.wait_for_selector("body[data-ready]", state="attached")

    async def shot(self, name: str) -> None:
        """A picture for people to look at."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=SHOTS / f"{name}.png", full_page=False)


@asynccontextmanager
async def chromium_browser() -> AsyncIterator[Browser]:
    """Debian's Chromium with Japanese letters, or a skip with a clear word."""
    need_browser()
    with tempfile.TemporaryDirectory() as data:
        letters = japanese_fonts(Path(data))
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=find_page_browser(),
                args=["--no-sandbox", "--disable-dev-shm-usage"],
                env={**os.environ, **letters},
            )
            yield browser
            await browser.close()


@asynccontextmanager
async def visiting(browser: Browser, room: Reader | str, **manner: Any) -> AsyncIterator[RoomVisit]:
    """A person with a browser of their own, in a room that asks for a token or at an address that does not.
    Ends with the checks that hold for every page: nothing was asked of another host, no script failed, and
    the policy had nothing to refuse."""
    given = {"locale": "ja-JP", "viewport": {"width": 1280, "height": 850}, **manner}
    context = await browser.new_context(**given)
    url = room if isinstance(room, str) else room.url
    if isinstance(room, Reader):
        await context.add_cookies([{**room.cookie}])
    await context.add_init_script(NOTE_VIOLATIONS)
    page = await context.new_page()
    page.set_default_timeout(WAIT)
    visit = RoomVisit(page, url)
    visit.listen()
    try:
        yield visit
        assert visit.trouble == []
        assert visit.hosts <= {urlsplit(url).netloc, ""}
    except BrowserError as error:
        error.add_note(
            f"frames: {[frame.url for frame in page.frames]}; unanswered: {sorted(visit.unanswered)}; "
            f"trouble: {visit.trouble}; said: {visit.said[-9:]}"
        )
        raise
    finally:
        await context.close()


async def fill_library(visit: RoomVisit, *paths: Path) -> None:
    """Hand these files in, or a sample, and wait until they are listed."""
    await visit.open("/")
    await visit.page.set_input_files("#files", [str(path) for path in paths or (sample(1),)])
    await expect(visit.page.locator("#documents li .head")).to_have_count(len(paths) or 1)


async def view(visit: RoomVisit, file: Path) -> None:
    """Hand a file in, and open it in the viewer."""
    await fill_library(visit, file)
    await visit.page.locator("#documents li .head a").click()
    await visit.ready()


def sample(number: int) -> Path:
    return next(SAMPLES.glob(f"{number:02}-*.pdf"))


async def ask(page: Page, question: str = QUESTION) -> None:
    """Ask, and wait for the whole answer."""
    await page.fill("#question", question)
    await page.press("#question", "Enter")
    await expect(page.locator(".turn").last.locator(".answer .why")).to_have_count(1)
