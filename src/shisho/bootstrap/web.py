"""Build web access from settings.

Engines, fetcher and rate limits for search and fetch jobs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from shisho import settings as settings_
from shisho.bootstrap.engine_file import LiveMapping, open_engine_file
from shisho.bootstrap.personal import locate_personal_folder
from shisho.domain.corpus import LOCAL_OWNER
from shisho.errors import EngineUnavailable, InvalidParams
from shisho.messages import install_command
from shisho.ports import (
    Clock,
    DiscoveredUrls,
    Fetcher,
    SerpEngine,
    SerpParser,
)
from shisho.records import dataclass
from shisho.settings import Settings
from shisho.version import VERSION

if TYPE_CHECKING:
    from shisho.bootstrap.browser import BrowserAccess
    from shisho.domain.intervention import HumanChallenge
    from shisho.services.ingest_jobs import IngestHandler
    from shisho.services.result_pages import EngineAccess
    from shisho.services.stores import RateLimits
    from shisho.services.web_pages import PageIntake
    from shisho.system.consent import ConsentFile
    from shisho.web.http.pacing import Browse
    from shisho.web.serp.stopping import PagingSettings


async def refuse_window(challenge: HumanChallenge) -> bool:
    """Report that no browser is installed: the window callback of a machine without one."""
    raise EngineUnavailable(
        "browser.extra_missing",
        install=install_command("browser"),
        url=challenge.url,
    )


@dataclass(frozen=True)
class WebAccess:
    """Access to the web. Its fetcher and its browser are built at their first use.

    `robots`: whether robots.txt is obeyed. `keys`: the user's own API keys, by setting. `window` shows a page
    to the person at the screen and returns whether they solved its challenge. `needs_consent`: a person must
    first agree to send words out. `paging`: the settings of engines that can page.
    """

    engines: Mapping[str, SerpEngine]
    build_fetcher: Callable[[], Fetcher]
    parser: SerpParser
    robots: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)
    window: Callable[[HumanChallenge], Awaitable[bool]] = refuse_window
    browser: BrowserAccess | None = None
    needs_consent: bool = False
    paging: Mapping[str, PagingSettings] = field(default_factory=dict)

    @cached_property
    def fetcher(self) -> Fetcher:
        """The fetcher of pages."""
        return self.build_fetcher()

    @property
    def browse(self) -> Browse | None:
        """The function that opens a page in the browser; None if it is not installed."""
        return self.browser.browse if self.browser is not None and self.browser.is_installed else None

    async def close(self) -> None:
        """Close the parser, and the fetcher and the browser if they were built."""
        if "fetcher" in vars(self):
            await self.fetcher.close()
        await self.parser.close()
        if self.browser is not None:
            await self.browser.close()


def build_web(settings: Settings) -> WebAccess | None:
    """Build the web access of the settings without starting or sending anything; None if it is off."""
    if settings["web"] == "off":
        return None
    from shisho.bootstrap.browser import build_browser
    from shisho.system.box import find_box
    from shisho.system.resolver import SystemResolver
    from shisho.web.http.address import AllowList
    from shisho.web.serp.parser import KillableSerpParser

    file = open_engine_file(settings.home)
    table = LiveMapping(lambda: file.read().engines)
    box = find_box(Path(settings.read_text("box"))) if settings.read_text("box") else None
    resolver, trusted = (box.resolver, box.ssl_context) if box else (SystemResolver(), None)
    hosts = settings.read_words("allow_private_hosts").union(box.hosts if box else ())
    allow = AllowList.from_names(hosts, settings.read_words("allow_ports"))
    agent = format_user_agent(settings.read_text("contact"))
    keys = {credential.setting for engine in table.values() for credential in engine.about.credentials}
    overrides = LiveMapping(lambda: file.read().overrides)
    parser = KillableSerpParser(overrides, settings_.build_child_environment())
    browser = build_browser(settings, resolver, allow, agent, boxed=box is not None)

    def build_fetcher() -> Fetcher:
        from shisho.web.http.fetch import HttpFetcher

        return HttpFetcher(resolver, allow, agent, ssl_context=trusted)

    async def show_window(challenge: HumanChallenge) -> bool:
        from shisho.services.web import Window

        return await Window(browser.browser, parser)(challenge)

    return WebAccess(
        table,
        build_fetcher,
        parser,
        robots=bool(settings["robots"]),
        keys={name: settings.read_text(name) for name in keys if settings.read_text(name)},
        window=show_window,
        browser=browser,
        needs_consent=settings["web"] == "ask",
        paging=LiveMapping(lambda: file.read().paging),
    )


def format_user_agent(contact: str) -> str:
    """Return the user agent with an address for site owners. Raises InvalidParams."""
    if not contact:
        return f"Shisho/{VERSION}"
    if not contact.isascii() or not contact.isprintable() or set(contact) & set("() "):
        raise InvalidParams("settings.bad_contact", contact=contact)
    return f"Shisho/{VERSION} (+{contact})"


def open_consent(settings: Settings, clock: Clock, mode: str, owner: str = LOCAL_OWNER) -> ConsentFile:
    """Open a person's answer, under that mode (ask, on, off)."""
    from shisho.system.consent import ConsentFile

    path = locate_personal_folder(settings.home, owner) / "web_consent.json"
    return ConsentFile(path, clock, mode, boxed=bool(settings.read_text("box")))


def build_engine_access(web: WebAccess, rate_limits: RateLimits, finds: DiscoveredUrls) -> EngineAccess:
    """Build the access that search jobs use to request result pages."""
    from shisho.services.result_pages import EngineAccess
    from shisho.web.serp.client import SerpClient, assume_nobody
    from shisho.web.serp.credentials import find_missing_keys

    asking = SerpClient(
        web.fetcher,
        web.browse,
        web.parser,
        rate_limits.limiter,
        rate_limits.health,
        rate_limits.clock,
        web.keys,
        web.browser.has_profile if web.browser is not None else assume_nobody,
    )
    absent = find_missing_keys([engine.about for engine in web.engines.values()], web.keys)
    stand = rate_limits.interventions
    return EngineAccess(
        web.engines,
        absent,
        asking,
        finds,
        rate_limits.cache,
        stand.find_pending,
        stand.list_solved,
        web.paging,
    )


def build_page_intake(web: WebAccess, rate_limits: RateLimits, shelving: IngestHandler) -> PageIntake:
    """Build the intake that search and fetch jobs use to visit web pages."""
    from shisho.services.web_pages import PageIntake
    from shisho.web.crawl.robots import RobotsCache
    from shisho.web.crawl.visit import PageClient

    robots = (
        RobotsCache(web.fetcher, rate_limits.cache, rate_limits.limiter, rate_limits.clock)
        if web.robots
        else None
    )
    visiting = PageClient(
        web.fetcher, web.browse, robots, rate_limits.limiter, rate_limits.cache, rate_limits.clock
    )
    return PageIntake(visiting, shelving, shelving.finds, rate_limits.cache, rate_limits.clock)
