"""The browser of this machine.

For engines that need one, and for challenges that a person solves.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from shisho.domain.web import Request, Response
from shisho.ports import Browser, Resolver
from shisho.records import dataclass
from shisho.settings import Settings, build_child_environment
from shisho.web.browser import chromium

if TYPE_CHECKING:
    from shisho.web.http.address import AllowList


@dataclass(frozen=True, slots=True)
class BrowserAccess:
    """A browser with the profiles of engines. Its first page starts it.

    If no browser is installed, the first page raises an error with install advice.
    """

    browser: Browser
    profiles: Path
    seconds: float
    is_installed: bool

    async def browse(self, request: Request, profile: str) -> Response:
        """Open a page within the configured time."""
        return await self.browser.open(request, profile, deadline_s=self.seconds)

    def has_profile(self, engine: str) -> bool:
        """Return True if a person has used the engine in the browser's window."""
        return (self.profiles / engine).is_dir()


def build_browser(
    settings: Settings, resolver: Resolver, allow: AllowList, agent: str, *, boxed: bool
) -> BrowserAccess:
    """Build the browser without starting it.

    Invalid certificates are only trusted in a box, which issues its own.
    """
    from shisho.web.browser.browser import ChromiumBrowser
    from shisho.web.browser.launch import LaunchOptions
    from shisho.web.browser.proxy import GuardedProxy

    options = LaunchOptions(
        path=settings.read_text("browser_path"),
        agent=agent,
        max_tabs=settings.read_int("max_tabs"),
        memory_mb=settings.read_int("browser_memory_mb"),
        trust_any_certificate=boxed,
    )
    profiles = settings.home / "profiles"
    browser = ChromiumBrowser(
        GuardedProxy(resolver, allow), profiles, build_child_environment(screen=True), options
    )
    path = settings.read_text("browser_path")
    is_installed = find_spec("playwright") is not None and chromium.find(path) is not None
    return BrowserAccess(browser, profiles, settings.read_float("browser_seconds"), is_installed)
