"""Texts of documents in SQLite, assembled from their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from shisho.stores.embedded.blocks import decompress
from shisho.stores.embedded.rows import Row, fetch_all
from shisho.stores.step_content import Slice

# List the blocks of a document that overlap a slice of its text.
OVERLAPPING = """SELECT start, text, content FROM blocks WHERE document_id = ? AND start < ? AND "end" > ?
    ORDER BY start, "end\""""
# List all blocks of a document.
ALL_BLOCKS = 'SELECT start, text, content FROM blocks WHERE document_id = ? ORDER BY start, "end"'


def register(connection: apsw.Connection) -> None:
    """Register the function that `rows.TEXT` calls."""
    connection.create_scalar_function("cut_text", _cut, 5, deterministic=True)


def _cut(*values: Any) -> str:
    """Return a slice of a document's text from a block that begins at `at`."""
    text, content, at, start, end = values
    return decompress(text, content)[start - at : end - at]


def read_text(connection: apsw.Connection, document_id: str) -> str:
    """Return the whole text of a document."""
    return _join(fetch_all(connection.execute(ALL_BLOCKS, (document_id,))), 0)


def read_slices(connection: apsw.Connection, slices: Sequence[Slice]) -> list[str | None]:
    """Return slices of documents; None for each missing one."""
    return [_read_slice(connection, *each) for each in slices]


def _read_slice(connection: apsw.Connection, document_id: str, start: int, end: int) -> str | None:
    blocks = fetch_all(connection.execute(OVERLAPPING, (document_id, end, start)))
    return _join(blocks, start)[: end - start] if blocks else None


def _join(blocks: Sequence[Row], start: int) -> str:
    """Return the text of blocks from `start` on, without what the next one repeats."""
    pieces = []
    for block in blocks:
        text = decompress(block.text, block.content)
        if block.start + len(text) > start:
            pieces.append(text[start - block.start :])
            start = block.start + len(text)
    return "".join(pieces)
