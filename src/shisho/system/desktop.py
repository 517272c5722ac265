"""Desktop notifications by the system's own program."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections.abc import Mapping, Sequence

from shisho.domain.intervention import PendingIntervention
from shisho.messages.catalogue import translate_word
from shisho.telemetry import log

# Texts are passed as separate arguments, never inside a script.
SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)
PROGRAMS: Mapping[str, Sequence[str]] = {
    "linux": ("notify-send", "--app-name=Shisho"),
    "darwin": ("osascript", *(word for line in SCRIPT for word in ("-e", line))),
}
TITLE = "司書 Shisho"
SECONDS = 5.0
UNSAFE_CHARACTERS = re.compile(r"[^\w.-]")
LONGEST = 253  # characters in a domain name


class DesktopNotifier:
    """`ports.Notifier` by a program that takes a title and a text.

    It learns only the engine and the domain.
    """

    def __init__(self, program: Sequence[str], environment: Mapping[str, str], *, language: str) -> None:
        self._program = tuple(program)
        self._environment = environment
        self._language = language

    async def notify(self, waiting: PendingIntervention) -> None:
        engine, domain = (
            UNSAFE_CHARACTERS.sub("_", name)[:LONGEST] for name in (waiting.engine, waiting.domain)
        )
        who = f"{engine} ({domain})" if engine else domain
        text = translate_word("desktop", self._language, who=who, domain=domain)
        nowhere = asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *self._program,
                TITLE,
                text,
                stdin=nowhere,
                stdout=nowhere,
                stderr=nowhere,
                env=self._environment,
            )
        except OSError as error:
            log.debug("the desktop could not be told: %s", error)
            return
        try:
            async with asyncio.timeout(SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def find_program() -> Sequence[str] | None:
    """Return the command of this system's notification program, or None if there is none."""
    command = PROGRAMS.get(sys.platform)
    return command if command and shutil.which(command[0]) else None
