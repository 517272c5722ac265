"""The bands of passages, by which near-duplicates are looked up.

A passage keeps its own bands, so that they can be deleted by their keys.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from shisho.domain.corpus import Passage
from shisho.stores import nouns

CODE = "q"
# Add a band of a passage; bands may repeat.
INSERT = "INSERT INTO passage_bands(band, passage_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
# Read the bands of a document's passages.
BANDS = "SELECT id, bands FROM passages WHERE document_id = ?"
# Delete a band of a passage.
DELETE = "DELETE FROM passage_bands WHERE band = ? AND passage_id = ?"


def pack(numbers: Iterable[int]) -> bytes:
    """Pack bands into 8 bytes each."""
    return array(CODE, numbers).tobytes()


def pack_json(numbers: str) -> bytes:
    """Pack bands from a JSON list."""
    return pack(json.loads(numbers))


def unpack(packed: bytes) -> tuple[int, ...]:
    """Unpack the result of `pack`."""
    return tuple(array(CODE, packed))


def insert(connection: apsw.Connection, passages: Sequence[Passage]) -> None:
    # In index order: the rows of a long document then touch each index page once.
    numbered = [(nouns.passage_number(passage.id), passage.bands) for passage in passages]
    connection.executemany(INSERT, sorted({(band, number) for number, bands in numbered for band in bands}))


def delete(connection: apsw.Connection, document_id: str) -> None:
    """Delete the bands of a document, before its passages."""
    stored: list[Any] = connection.execute(BANDS, (document_id,)).fetchall()
    connection.executemany(DELETE, [(band, number) for number, packed in stored for band in unpack(packed)])
