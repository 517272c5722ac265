"""What a caller hands over to be told how work goes, and to end it early."""

from __future__ import annotations

from collections.abc import Callable

Notify = Callable[..., None]
Stop = Callable[[], bool]


def silent(event: str, **facts: object) -> None:
    """Tells nobody."""


def never() -> bool:
    """Goes on to the end."""
    return False
