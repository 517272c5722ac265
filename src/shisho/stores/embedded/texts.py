"""Slices of document texts in SQLite."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from shisho.stores.embedded.rows import fetch_all
from shisho.stores.step_content import Slice

# List the parts of a document's text that overlap a slice.
PARTS = """SELECT start, text FROM parts WHERE document_id = ? AND start < ? AND start + length(text) > ?
    ORDER BY start"""


def read_slices(connection: apsw.Connection, slices: Sequence[Slice]) -> list[str | None]:
    """Return slices of documents; None for each missing one."""
    return [_read_slice(connection, *each) for each in slices]


def _read_slice(connection: apsw.Connection, document_id: str, start: int, end: int) -> str | None:
    parts = fetch_all(connection.execute(PARTS, (document_id, end, start)))
    if not parts:
        return None
    first = parts[0].start
    return "".join(part.text for part in parts)[max(0, start - first) : end - first]
