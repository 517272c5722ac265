"""The browser of this machine.

For engines that need one, and for challenges that a person solves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
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


@dataclass(frozen=True)
class BrowserAccess:
    """A browser with the profiles of engines. Its first page builds and starts it.

    If no browser is installed, the first page raises an error with install advice.
    """

    build: Callable[[], Browser]
    profiles: Path
    seconds: float
    is_installed: bool

    @cached_property
    def browser(self) -> Browser:
        """The browser."""
        return self.build()

    async def browse(self, request: Request, profile: str) -> Response:
        """Open a page within the configured time."""
        return await self.browser.open(request, profile, deadline_s=self.seconds)

    def has_profile(self, engine: str) -> bool:
        """Return True if a person has used the engine in the browser's window."""
        return (self.profiles / engine).is_dir()

    async def close(self) -> None:
        """Close the browser if it was built."""
        if "browser" in vars(self):
            await self.browser.close()


def build_browser(
    settings: Settings, resolver: Resolver, allow: AllowList, agent: str, *, boxed: bool
) -> BrowserAccess:
    """Build the access to the browser.

    Invalid certificates are only trusted in a box, which issues its own.
    """
    profiles = settings.home / "profiles"
    path = settings.read_text("browser_path")

    def build() -> Browser:
        from shisho.web.browser.browser import ChromiumBrowser
        from shisho.web.browser.launch import LaunchOptions
        from shisho.web.browser.proxy import GuardedProxy

        options = LaunchOptions(
            path=path,
            agent=agent,
            max_tabs=settings.read_int("max_tabs"),
            memory_mb=settings.read_int("browser_memory_mb"),
            trust_any_certificate=boxed,
        )
        environment = build_child_environment(screen=True)
        return ChromiumBrowser(GuardedProxy(resolver, allow), profiles, environment, options)

    is_installed = find_spec("playwright") is not None and chromium.find(path) is not None
    return BrowserAccess(build, profiles, settings.read_float("browser_seconds"), is_installed)
