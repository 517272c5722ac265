"""The bell inside one process."""

from __future__ import annotations

from shisho.stores.ears import Ears


class MemoryBell(Ears):
    """`ports.Bell` for those who share an event loop."""
