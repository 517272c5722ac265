"""The user's consent to web searches, in a file of the home.

One entry for the web, one for a web in a box.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from shisho.domain.task import WebConsent
from shisho.errors import Conflict
from shisho.messages.system import explain_error
from shisho.ports import Clock
from shisho.records import dataclass

_WORDS = {"yes": WebConsent.GIVEN, "no": WebConsent.OFF}


@dataclass(frozen=True, slots=True)
class ConsentFile:
    """A file with the user's consent.

    `mode`: the setting `web` (ask, on, off); the user's own choice only counts under `ask`. `boxed`: nothing
    leaves this machine, so consent given there does not apply to the web. The file is read on each call,
    because a server outlives a change of mind.
    """

    path: Path
    clock: Clock
    mode: str
    boxed: bool = False

    def read_state(self) -> WebConsent:
        if self.mode != "ask":
            return WebConsent.GIVEN if self.mode == "on" else WebConsent.OFF
        return _WORDS.get(self._read_kept().get(self._place, {}).get("said", ""), WebConsent.NOT_ASKED)

    def read_since(self) -> str:
        """Return the time of the user's choice; "" if there is none, or the setting decides."""
        decided = self.mode == "ask" and self.read_state() is not WebConsent.NOT_ASKED
        return self._read_kept()[self._place].get("at", "") if decided else ""

    def keep(self, consent: WebConsent) -> None:
        """Store a yes or a no, or delete both (NOT_ASKED). Raises Conflict if the home cannot be written."""
        state_word = {state: word for word, state in _WORDS.items()}.get(consent)
        entries = {place: word for place, word in self._read_kept().items() if place != self._place}
        if state_word is not None:
            entries[self._place] = {"said": state_word, "at": self.clock.now()}
        fresh = self.path.with_suffix(".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps(entries), "utf-8")
            fresh.replace(self.path)
        except OSError as error:
            raise Conflict(
                "consent.not_writable",
                path=self.path,
                cause=explain_error(error),
            ) from error

    @property
    def _place(self) -> str:
        return "box" if self.boxed else "web"

    def _read_kept(self) -> Mapping[str, Mapping[str, str]]:
        try:
            entries = json.loads(self.path.read_text("utf-8"))
        # no choice yet, or an unreadable one: ask again
        except (OSError, ValueError):
            return {}
        well_formed = isinstance(entries, dict) and all(isinstance(word, dict) for word in entries.values())
        return entries if well_formed else {}
