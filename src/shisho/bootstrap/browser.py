"""The browser of this machine.

For engines that need one, and for challenges that a person solves.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from shisho.domain.web import Request, Response
from shisho.ports import Browser, Resolver
from shisho.settings import Settings, child_environment
from shisho.web.browser import chromium

if TYPE_CHECKING:
    from shisho.web.http.address import AllowList
    from shisho.web.http.pacing import Browse


def build_browser(
    settings: Settings, resolver: Resolver, allow: AllowList, agent: str, *, boxed: bool
) -> Browser:
    """Build the browser without starting it.

    A missing one raises an error with install advice at first use.

    Invalid certificates are only trusted in a box, which issues its own.
    """
    from shisho.web.browser.browser import ChromiumBrowser
    from shisho.web.browser.launch import LaunchOptions
    from shisho.web.browser.proxy import GuardedProxy

    manner = LaunchOptions(
        path=settings.text("browser_path"),
        agent=agent,
        max_tabs=settings.read_int("max_tabs"),
        memory_mb=settings.read_int("browser_memory_mb"),
        trust_any_certificate=boxed,
    )
    return ChromiumBrowser(
        GuardedProxy(resolver, allow),
        settings.home / "profiles",
        child_environment(screen=True),
        manner,
    )


def build_browse(settings: Settings, browser: Browser) -> Browse | None:
    """Return how engines use the browser; None if it is not installed."""
    if find_spec("playwright") is None or chromium.find(settings.text("browser_path")) is None:
        return None
    return partial(_open_page, browser, settings.read_float("browser_seconds"))


async def _open_page(browser: Browser, seconds: float, request: Request, profile: str) -> Response:
    return await browser.open(request, profile, deadline_s=seconds)
