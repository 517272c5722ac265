"""Text without the character NUL, for which PostgreSQL has no place; pages and file names of others may carry
it."""

from __future__ import annotations

NUL = "\0"
INSTEAD = "\N{REPLACEMENT CHARACTER}"  # one character for one: offsets in a text stay


def replace_nul(text: str) -> str:
    """The text as every kind of database can hold it."""
    return text.replace(NUL, INSTEAD)
