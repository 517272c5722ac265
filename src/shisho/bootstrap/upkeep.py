"""Records that expire, and free space that is given back."""

from __future__ import annotations

from pathlib import Path

from shisho import settings as settings_
from shisho.bootstrap.shared import SharedLibrary
from shisho.domain.corpus import Check
from shisho.domain.time import add_seconds
from shisho.errors import ShishoError
from shisho.messages.message import Message
from shisho.ports import Clock, Ledger
from shisho.settings import Settings, Value

DAY_SECONDS = 86_400.0


async def expire_steps(ledger: Ledger, clock: Clock, settings: Settings) -> int:
    """Drop the steps of runs that are older than the settings allow. Returns how many were dropped."""
    days = settings.read_int("keep_steps_days")
    return await ledger.expire_steps(add_seconds(clock.now(), -days * DAY_SECONDS)) if days else 0


async def tidy_library(**options: Value | Path | None) -> Check:
    """Remove expired records and give free space back to the system. Returns what was done, as a check."""
    try:
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
