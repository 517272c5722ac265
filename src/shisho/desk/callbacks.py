"""The callbacks of a caller: to be told how work goes, and to end it early."""

from __future__ import annotations

from collections.abc import Callable

from shisho.desk.news import News

Notify = Callable[[News], None]
Stop = Callable[[], bool]


def never() -> bool:
    """Goes on to the end."""
    return False
