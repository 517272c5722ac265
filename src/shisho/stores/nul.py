"""Text without the NUL character, which PostgreSQL cannot store.

Web pages and file names may contain it.
"""

from __future__ import annotations

NUL = "\0"
INSTEAD = "\N{REPLACEMENT CHARACTER}"  # one character for one, so that offsets in a text do not change


def replace_nul(text: str) -> str:
    """Return the text in a form that every kind of database can store."""
    return text.replace(NUL, INSTEAD)
