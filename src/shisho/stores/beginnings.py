"""Ids by their beginning: the same rule in every store."""

from __future__ import annotations

from shisho.errors import InvalidParams
from shisho.messages.message import Message

TOP = "\U0010ffff"


def check_beginning(prefix: str, noun: str) -> None:
    """Raises InvalidParams for a blank: every id begins with it, so that it would name whatever is alone."""
    if not prefix.strip():
        raise InvalidParams("common.blank_id", noun=Message(f"noun.{noun}"))


def bound_ids(prefix: str, noun: str) -> tuple[str, str]:
    """The lowest id that begins so, and what all of them lie below. Raises InvalidParams for a blank."""
    check_beginning(prefix, noun)
    return prefix, prefix + TOP
