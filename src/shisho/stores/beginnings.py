"""ID prefixes: the same rules in every store."""

from __future__ import annotations

from shisho.errors import InvalidParams
from shisho.messages.message import Message

TOP = "\U0010ffff"


def check_beginning(prefix: str, noun: str) -> None:
    """Raise InvalidParams for a blank prefix, which would match every ID."""
    if not prefix.strip():
        raise InvalidParams("common.blank_id", noun=Message(f"noun.{noun}"))


def bound_ids(prefix: str, noun: str) -> tuple[str, str]:
    """Return the range of IDs with a prefix: inclusive start, exclusive end.

    Raises: InvalidParams for a blank prefix.
    """
    check_beginning(prefix, noun)
    return prefix, prefix + TOP
