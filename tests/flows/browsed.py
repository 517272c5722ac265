"""A library whose way to the web is the one that its settings describe, browser included, over a web in a
box."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from shisho import settings
from shisho.bootstrap.library import open_library
from shisho.bootstrap.web import build_web
from shisho.services import Library
from shisho_box.server import Box
from tests.web.browsing import need_browser

if TYPE_CHECKING:
    from shisho.web.browser.browser import ChromiumBrowser

BROWSER: Mapping[str, Mapping[str, Any]] = {"ecosia": {"interval_s": 0.2}, "qwant": {"interval_s": 0.2}}
"""Two engines that show nothing before their script has run."""


def write_engines(home: Path, overrides: Mapping[str, Mapping[str, Any]]) -> None:
    home.mkdir(exist_ok=True)
    lines = [
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in each.items())
        for name, each in overrides.items()
    ]
    (home / "engines.toml").write_text("".join(lines), "utf-8")


@asynccontextmanager
async def browsed(
    home: Path,
    box: Box,
    overrides: Mapping[str, Mapping[str, Any]] = BROWSER,
    *,
    slots: int = 2,
    **given: Any,
) -> AsyncIterator[tuple[ChromiumBrowser, Library]]:
    """Its browser, and the library; with no slots, nobody works there. `given` are settings; robots.txt is
    not asked otherwise."""
    need_browser()
    write_engines(home, overrides)
    web = build_web(
        settings.load(**{"home": home, "web": True, "box": str(box.folder), "robots": False, **given})
    )
    assert web is not None and web.browser is not None
    browser = cast("ChromiumBrowser", web.browser.browser)
    async with open_library(home=home, web_access=web) as library:
        if not slots:
            yield browser, library
            return
        async with library.working(slots):
            yield browser, library
