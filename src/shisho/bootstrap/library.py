"""Open a library with the given settings.

The only folder that knows both sides; optional drivers are imported here and nowhere else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from shisho import settings as settings_
from shisho.bootstrap.engine_file import read_config
from shisho.bootstrap.parts import PartBuilder
from shisho.bootstrap.shared import SharedLibrary
from shisho.bootstrap.web import WebAccess, open_consent
from shisho.domain.corpus import LOCAL_OWNER, Check
from shisho.errors import ShishoError, StorageUnusable
from shisho.messages import Message
from shisho.services.library import Library
from shisho.settings import Settings, Value
from shisho.system.clock import SystemClock

if TYPE_CHECKING:
    from shisho.domain.web import Response, Serp
    from shisho.system.consent import ConsentFile

IN_HOME = frozenset({"database", "index", "originals"})
"""Checks of data in the home."""


@asynccontextmanager
async def open_library(
    *, web_access: WebAccess | None = None, **given: Value | Path | None
) -> AsyncIterator[Library]:
    """Open a library over the configured home.

    Keyword arguments are settings: `async with shisho.open(home="~/library") as library: …`; None keeps the
    setting's value from its other sources. `web_access`: used in place of the configured access to the web.

    Raises: InvalidParams for an unknown setting or an invalid value, StorageUnusable.
    """
    settings = settings_.load(**given)
    library = build_library(settings, web_access)
    try:
        yield library
    finally:
        await library.close()


async def run_doctor(**options: Value | Path | None) -> Sequence[Check]:
    """Run the checks with the readable settings.

    Without a home folder, only those that need none.

    Raises: InvalidParams for an unknown setting.
    """
    settings, _ = settings_.load_readable(**options)
    with TemporaryDirectory(prefix="shisho-") as stand_in:
        homeless: tuple[Check, ...] = ()
        try:
            settings.home  # noqa: B018 raises
        except StorageUnusable as error:
            homeless = (Check("home", False, error.message),)
            settings, _ = settings_.load_readable(**{**options, "home": stand_in})
        library = build_library(settings)
        try:
            checks = await library.run_checks()
        finally:
            await library.close()
    return [*homeless, *(check for check in checks if not homeless or check.name not in IN_HOME)]


def build_library(settings: Settings, web: WebAccess | None = None) -> Library:
    """Build the library of this machine's owner without opening anything.

    Libraries of other owners use the same stores. No worker runs before `working` is entered.
    """
    return PartBuilder(SharedLibrary(settings, web)).get_library(LOCAL_OWNER)


async def read_result_page(engine: str, response: Response, **given: Any) -> Serp:
    """Parse a saved result page with the named engine, or `auto`, as configured in engines.toml.

    Keyword arguments are settings. Raises: ParserFailed, EngineUnavailable, InvalidParams.
    """
    from shisho.web.serp.parser import KillableSerpParser

    parser = KillableSerpParser(
        read_config(settings_.load(**given).home).overrides, settings_.build_child_environment()
    )
    try:
        return await parser.parse(engine, response)
    finally:
        await parser.close()


def open_web_consent(settings: Settings) -> ConsentFile:
    """Open the person's consent to web searches without opening a library."""
    return open_consent(settings, SystemClock(), settings.read_text("web"))


async def tidy_library(**options: Value | Path | None) -> Check:
    """Remove expired records and give free space back to the system. Returns what was done, as a check."""
    try:
        from shisho.bootstrap.worker import expire_steps

        settings = settings_.load(**options)
        library = SharedLibrary(settings)
        try:
            count = await expire_steps(library.stores.ledger, library.stores.clock, settings)
            before, after = await library.stores.storage.compact()
        finally:
            await library.close()
    except ShishoError as error:
        return Check("upkeep", False, error.message)
    done = Message(
        "doctor.upkeep_done",
        count=count,
        before=before,
        after=after,
    )
    return Check("upkeep", True, done)
