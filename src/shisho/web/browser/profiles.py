"""Browser profiles of engines: one folder each, with one owner at a time, and their session cookies."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shisho.errors import Conflict, InvalidParams

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
            cookies = json.loads(self._kept.read_text("utf-8")) if self.folder else []
        except (OSError, ValueError):
            return []
        return cookies if isinstance(cookies, list) else []

    def keep(self, cookies: Sequence[Mapping[str, Any]]) -> None:
        if self.folder is None:
            return
        session_cookies = [dict(cookie) for cookie in cookies if cookie.get("expires", -1) == -1]
        fresh = self._kept.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(session_cookies), "utf-8")
        fresh.replace(self._kept)

    @property
    def _kept(self) -> Path:
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
        _forget_strangers(folder / "SingletonLock")
        yield Profile(folder)


def _lock(file: int, name: str) -> None:
    if sys.platform == "win32":  # Chromium's own lock has to suffice
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Conflict("browser.profile_in_use", name=name) from error


def _forget_strangers(lock: Path) -> None:
    """Remove a lock from another host name.

    Chromium replaces the lock of a dead process only if the host has kept its name; a container has not.
    """
    if lock.is_symlink() and os.readlink(lock).rpartition("-")[0] != socket.gethostname():  # noqa: PTH115 — it leads nowhere
        for name in ("SingletonLock", "SingletonSocket", "SingletonCookie"):
            lock.with_name(name).unlink(missing_ok=True)
