"""Starting and ending browsers: Playwright's driver, the proxy, one Chromium per page."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shisho.errors import EngineUnavailable, ExtraMissing
from shisho.records import dataclass
from shisho.telemetry import log
from shisho.web.browser import chromium
from shisho.web.browser.proxy import GuardedProxy, PageHosts

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page, Playwright


import json
import re
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from shisho.errors import Conflict, InvalidParams

START_S = 60.0
CLOSE_S = 5.0


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """Options of the browser.

    `path` "": any installed one. `agent` is appended to the browser's own user agent. `trust_any_certificate`
    is only for a web in a box.
    """

    path: str = ""
    agent: str = ""
    max_tabs: int = 1
    memory_mb: int = 1500
    trust_any_certificate: bool = False


@dataclass(frozen=True, slots=True)
class _Driver:
    playwright: Playwright
    way: str
    user_agent: str


class RunningBrowser:
    """A running browser with its processes."""

    def __init__(self, context: BrowserContext, session: CDPSession, root: int) -> None:
        self.context = context
        self._session = session
        self._root = root

    async def list_processes(self) -> list[int]:
        return _list_processes(await self._session.send("SystemInfo.getProcessInfo"))

    def kill(self) -> None:
        """Kill the first process; the others end with it."""
        with suppress(ProcessLookupError):
            os.kill(self._root, getattr(signal, "SIGKILL", signal.SIGTERM))

    async def end(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_S):
                await self.context.close()
        except Exception as failure:  # dead browser, dead driver or a hang: kill it
            log.debug("the browser did not close by itself: %r", failure)
            self.kill()


class Launcher:
    """A launcher of browsers for one event loop. Starts nothing before the first browser is needed."""

    def __init__(self, proxy: GuardedProxy, environment: Mapping[str, str], manner: LaunchOptions) -> None:
        self._proxy = proxy
        self._environment: dict[str, str | float | bool] = {**environment}
        self._manner = manner
        self._turn = asyncio.Lock()
        self._driver: _Driver | None = None

    @asynccontextmanager
    async def launch(self, profile: Profile, *, headless: bool = True) -> AsyncIterator[RunningBrowser]:
        """Launch a fresh browser on this profile for a block. Raises ExtraMissing, EngineUnavailable."""
        with self._proxy.visit() as hosts:
            live = await self._start_browser(profile, headless, hosts)
            try:
                yield live
            finally:
                await live.end()

    async def close(self) -> None:
        async with self._turn:
            await self._stop()
            await self._proxy.close()

    async def _start_browser(self, profile: Profile, headless: bool, hosts: PageHosts) -> RunningBrowser:
        """Launch a browser; replace a driver that turns out to be dead and retry."""
        try:
            from playwright.async_api import Error
        except ImportError as missing:
            raise ExtraMissing("browser.playwright_missing", extra="browser") from missing
        try:
            return await self._launch(await self._begin_driver(), profile, headless, hosts)
        except Error as failure:
            log.info("the browser did not start (%s); trying anew", _cut_first_line(failure))
        try:
            async with self._turn:
                await self._stop()
            return await self._launch(await self._begin_driver(), profile, headless, hosts)
        except Error as failure:
            raise _make_unusable(failure) from failure

    async def _launch(
        self, driver: _Driver, profile: Profile, headless: bool, hosts: PageHosts
    ) -> RunningBrowser:
        launching = asyncio.ensure_future(
            driver.playwright.chromium.launch_persistent_context(
                str(profile.folder or ""),
                headless=headless,
                user_agent=driver.user_agent,
                accept_downloads=False,
                service_workers="block",
                permissions=[],
                no_viewport=not headless,
                proxy={
                    "server": driver.way,
                    "bypass": chromium.BYPASS,
                    "username": hosts.user,
                    "password": self._proxy.password,
                },
                **self._make_options(),
            )
        )
        try:
            context = await asyncio.shield(launching)
        except asyncio.CancelledError:
            # Playwright would continue to start it, and nothing would be left to end it.
            launching.add_done_callback(_close_unneeded)
            raise
        try:
            await _note_hosts(context, hosts)
            await context.grant_permissions([])  # none is granted, so all are denied
            await context.add_cookies(profile.read_session_cookies())  # type: ignore[arg-type]
            assert context.browser is not None
            session = await context.browser.new_browser_cdp_session()
            return RunningBrowser(
                context, session, _list_processes(await session.send("SystemInfo.getProcessInfo"))[0]
            )
        except BaseException:
            await asyncio.shield(context.close())
            raise

    async def _begin_driver(self) -> _Driver:
        async with self._turn:
            if self._driver is None:
                self._driver = await self._begin()
            return self._driver

    async def _begin(self) -> _Driver:
        from playwright.async_api import async_playwright

        installed = _identify_installation(chromium.require_program(self._manner.path))
        playwright = await async_playwright().start()
        try:
            own_agent = _USER_AGENTS.get(installed)
            if own_agent is None:
                own_agent = _USER_AGENTS[installed] = await self._read_user_agent(playwright)
            return _Driver(playwright, await self._proxy.start(), f"{own_agent} {self._manner.agent}".strip())
        except BaseException:
            await playwright.stop()
            raise

    async def _read_user_agent(self, playwright: Playwright) -> str:
        browser = await playwright.chromium.launch(headless=True, **self._make_options())
        session = await browser.new_browser_cdp_session()
        version = await session.send("Browser.getVersion")
        await browser.close()
        return str(version["userAgent"])

    async def _stop(self) -> None:
        driver = self._driver
        self._driver = None
        if driver is not None:
            with suppress(Exception):  # a dead driver cannot be stopped
                await driver.playwright.stop()
            await self._proxy.close()

    def _make_options(self) -> dict[str, Any]:
        return {
            "executable_path": chromium.require_program(self._manner.path),
            "args": chromium.build_flags(trust_any_certificate=self._manner.trust_any_certificate),
            # Playwright's default is no sandbox for anyone.
            "chromium_sandbox": chromium.is_sandboxed(),
            "env": self._environment,
            "timeout": START_S * 1000,
        }


async def _note_hosts(context: BrowserContext, hosts: PageHosts) -> None:
    """Record the hosts of all requests of a page, its frames, workers and windows, and of each redirect."""

    async def note_lines(page: Page) -> None:
        # Playwright reports a WebSocket only when it is connected.
        with suppress(Exception):  # the page is gone
            session = await context.new_cdp_session(page)
            session.on("Network.webSocketCreated", lambda line: hosts.add(line["url"]))
            await session.send("Network.enable")

    context.on("request", lambda request: hosts.add(request.url))
    context.on("page", note_lines)
    for page in context.pages:
        await note_lines(page)


def _close_unneeded(launching: asyncio.Future[BrowserContext]) -> None:
    if not launching.cancelled() and launching.exception() is None:
        ending = asyncio.ensure_future(launching.result().close())
        _ENDING.add(ending)
        ending.add_done_callback(_ENDING.discard)


# User agents by browser: finding one takes a browser started only for that.
_USER_AGENTS: dict[tuple[str, int, int], str] = {}


def _identify_installation(program: str) -> tuple[str, int, int]:
    """Return an identity of the program that changes with an update, also at the same path."""
    status = Path(program).stat()
    return program, status.st_mtime_ns, status.st_size


_ENDING: set[asyncio.Future[None]] = set()  # the loop itself references its tasks weakly


def _list_processes(info: Mapping[str, Any]) -> list[int]:
    """Return process ids, the browser's first process first."""
    processes = sorted(info["processInfo"], key=lambda process: process["type"] != "browser")
    return [int(process["id"]) for process in processes]


def _cut_first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:300]


def _make_unusable(failure: Exception) -> EngineUnavailable:
    if "No usable sandbox" in str(failure):
        return EngineUnavailable("browser.no_sandbox")
    return EngineUnavailable(
        "browser.cannot_start",
        cause=_cut_first_line(failure),
    )


if sys.platform != "win32":
    import fcntl

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Profile:
    """A browser profile. `folder` None: nothing is stored beyond this page."""

    folder: Path | None

    def read_session_cookies(self) -> list[dict[str, Any]]:
        """Return the cookies without an expiry date.

        Chromium drops them when it closes, and with them the proof that a person has just solved a challenge.
        """
        try:
            cookies = json.loads(self._cookie_file.read_text("utf-8")) if self.folder else []
        except (OSError, ValueError):
            return []
        return cookies if isinstance(cookies, list) else []

    def keep(self, cookies: Sequence[Mapping[str, Any]]) -> None:
        if self.folder is None:
            return
        session_cookies = [dict(cookie) for cookie in cookies if cookie.get("expires", -1) == -1]
        fresh = self._cookie_file.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(session_cookies), "utf-8")
        fresh.replace(self._cookie_file)

    @property
    def _cookie_file(self) -> Path:
        assert self.folder is not None
        return self.folder.with_name(f"{self.folder.name}.cookies.json")


@contextmanager
def hold(profiles: Path, name: str) -> Iterator[Profile]:
    """Lock the profile of this name ("": a temporary one) against other processes. Raises Conflict."""
    if not name:
        yield Profile(None)
        return
    if not _NAME.fullmatch(name):
        raise InvalidParams("browser.bad_profile", name=name)
    folder = profiles / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (profiles / f"{name}.lock").open("ab") as lock:
        _lock(lock.fileno(), name)
        _remove_foreign_lock(folder / "SingletonLock")
        yield Profile(folder)


def _lock(file: int, name: str) -> None:
    if sys.platform == "win32":  # Chromium's own lock has to suffice
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Conflict("browser.profile_in_use", name=name) from error


def _remove_foreign_lock(lock: Path) -> None:
    """Remove a lock from another host name.

    Chromium replaces the lock of a dead process only if the host has kept its name; a container has not.
    """
    if lock.is_symlink() and os.readlink(lock).rpartition("-")[0] != socket.gethostname():  # noqa: PTH115 — it leads nowhere
        for name in ("SingletonLock", "SingletonSocket", "SingletonCookie"):
            lock.with_name(name).unlink(missing_ok=True)
