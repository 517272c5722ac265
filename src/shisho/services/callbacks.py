"""Callbacks of a caller: for progress, and for stopping early."""

from __future__ import annotations

from collections.abc import Callable

from shisho.services.news import News

Notify = Callable[[News], None]
Stop = Callable[[], bool]


def never() -> bool:
    """Return False: never stop early."""
    return False
