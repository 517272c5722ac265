"""Conversations by the names that people give: the same messages in every store."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.errors import NotFound
from shisho.messages.message import Message


def expect_only_conversation(ids: Sequence[str], prefix: str) -> str:
    """Return the only matching conversation. Raises NotFound."""
    if not ids:
        raise no_conversation(prefix)
    if len(ids) > 1:
        raise NotFound(
            "common.ambiguous_prefix",
            noun=Message("noun.conversation"),
            prefix=prefix,
        )
    return ids[0]


def no_conversation(prefix: str) -> NotFound:
    """Return the error for a conversation that this user does not have."""
    if prefix == "last":
        return NotFound("conversation.nothing_asked")
    return NotFound(
        "conversation.not_found",
        prefix=prefix,
    )
