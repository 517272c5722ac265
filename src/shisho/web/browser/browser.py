"""A real browser for pages rendered by scripts: an installed Chromium behind a guarded proxy.

Every page gets its own browser, which ends before anything waits. It starts in under a second, and between
pages it uses no memory, leaks no tab and locks no profile that a person may want to open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed, ShishoError, TimedOut, TooLarge
from shisho.messages import Message
from shisho.telemetry import log, span
from shisho.web.browser import chromium
from shisho.web.browser.launch import Launcher, LaunchOptions, Profile, RunningBrowser, hold
from shisho.web.browser.proxy import GuardedProxy
from shisho.web.browser.tab import Tab, has_broken
from shisho.web.http.url import strip_final_dot

WATCH_S = 0.25
LOOK_S = 1.0  # between two checks of a person's progress


class _Broken(Exception):
    """The browser or its driver ended while it loaded a page."""


class ChromiumBrowser:
    """`ports.Browser` with Chromium. Belongs to one event loop.

    `environment` is all that the browser sees of this process's environment; `profiles` is the folder of the
    engines' profiles. `heaviest_mb` is the largest memory use of any page so far.
    """

    def __init__(
        self,
        proxy: GuardedProxy,
        profiles: Path,
        environment: Mapping[str, str],
        manner: LaunchOptions,
    ) -> None:
        self.heaviest_mb = 0.0
        self.proxy = proxy
        self._profiles = profiles
        self._environment = environment
        self._memory_mb = manner.memory_mb
        self._tabs = asyncio.Semaphore(manner.max_tabs)
        self._launcher = Launcher(proxy, environment, manner)

    async def open(self, request: Request, profile: str = "", *, deadline_s: float = 30.0) -> Response:
        request = replace(request, url=strip_final_dot(request.url))
        async with self._tabs:
            with hold(self._profiles, profile) as locked_profile, span("browser.open", url=request.url):
                try:
                    return await self._load_twice(request, locked_profile, deadline_s)
                except TimeoutError as late:
                    raise TimedOut(
                        "browser.timeout",
                        url=request.url,
                        seconds=deadline_s,
                    ) from late

    async def open_for_person(
        self,
        url: str,
        profile: str,
        solved: Callable[[Response], Awaitable[bool]],
        *,
        deadline_s: float = 1800.0,
    ) -> bool:
        chromium.need_screen(self._environment, profile)
        with hold(self._profiles, profile) as locked_profile:
            try:
                async with (
                    self._launcher.launch(locked_profile, headless=False) as live,
                    asyncio.timeout(deadline_s),
                ):
                    return await self._watch_person(live, locked_profile, url, solved)
            except TimeoutError:
                return False

    async def close(self) -> None:
        await self._launcher.close()

    async def _load_twice(self, request: Request, profile: Profile, deadline_s: float) -> Response:
        try:
            return await self._load_page(request, profile, deadline_s)
        except _Broken as broken:
            log.warning(Message("browser.died", why=broken))
        try:
            return await self._load_page(request, profile, deadline_s)
        except _Broken as broken:
            raise AllFetchesFailed(
                "browser.broke_twice",
                url=request.url,
            ) from broken

    async def _load_page(self, request: Request, profile: Profile, deadline_s: float) -> Response:
        """Load a page in a fresh browser.

        The page's time limit excludes the start, which has its own limit.
        """
        async with self._launcher.launch(profile) as live:
            from playwright.async_api import Error

            heavy = asyncio.Event()
            watching = asyncio.create_task(self._watch_memory(live, heavy))
            try:
                tab = Tab(live.context.pages[0], self.proxy)
                # otherwise its waiters would wait forever
                live.context.pages[0].once("crash", lambda _: live.kill())
                async with asyncio.timeout(deadline_s):
                    await tab.go(request)
                    response = await tab.read()
                    profile.keep(await live.context.cookies())
                return response
            except Error as error:
                words = str(error).partition("\n")[0]
                if heavy.is_set():
                    raise TooLarge(
                        "browser.out_of_memory",
                        url=request.url,
                        megabytes=self._memory_mb,
                    ) from error
                if has_broken(error):
                    raise _Broken(words) from error
                raise AllFetchesFailed(
                    "browser.unreadable",
                    url=request.url,
                    cause=words,
                ) from error
            finally:
                watching.cancel()

    async def _watch_memory(self, live: RunningBrowser, heavy: asyncio.Event) -> None:
        with suppress(Exception):  # it has ended, and its user will notice
            while not heavy.is_set():
                used_mb = await chromium.measure_memory_mb(await live.list_processes())
                self.heaviest_mb = max(self.heaviest_mb, used_mb)
                if used_mb > self._memory_mb:
                    heavy.set()
                    live.kill()
                await asyncio.sleep(WATCH_S)

    async def _watch_person(
        self,
        live: RunningBrowser,
        profile: Profile,
        url: str,
        solved: Callable[[Response], Awaitable[bool]],
    ) -> bool:
        """Watch until it is solved, storing cookies all the while: the window may be closed at any moment."""
        from playwright.async_api import Error

        page = live.context.pages[0]
        tab = Tab(page, self.proxy, alone=False)
        try:
            await tab.go(Request(url))
        except ShishoError as failure:
            log.debug("the window shows it too: %s", failure)
        except Error:  # the window was closed while its page was loading
            return False
        while not page.is_closed():
            try:
                response = await tab.read()
                profile.keep(await live.context.cookies())
                if await solved(response):
                    return True
                await asyncio.sleep(LOOK_S)
            except Error as error:
                if has_broken(error):
                    return False
            except ShishoError:
                await asyncio.sleep(LOOK_S)
        return False
