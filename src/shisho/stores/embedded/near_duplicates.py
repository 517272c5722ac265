"""The bands of passages, by which near-duplicates are looked up.

A passage keeps its own bands, so that they can be deleted by their keys. Only the low 32 bits of a band are
stored: a passage that shares them by chance is compared and rejected.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from shisho.domain.corpus import Passage
from shisho.stores import nouns

CODE = "i"
OLDER_CODE = "q"  # before script 0090
SIGN = 1 << 31
# Add a band of a passage; bands may repeat.
INSERT = "INSERT INTO passage_bands(band, passage_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
# Read the bands of a document's passages.
BANDS = "SELECT id, bands FROM passages WHERE document_id = ?"
# Delete a band of a passage.
DELETE = "DELETE FROM passage_bands WHERE band = ? AND passage_id = ?"


def truncate(band: int) -> int:
    """Return the low 32 bits of a band, with a sign."""
    return (band & (SIGN - 1)) - (band & SIGN)


def pack(bands: Iterable[int]) -> bytes:
    """Pack bands into 4 bytes each."""
    return array(CODE, map(truncate, bands)).tobytes()


def truncate_bands(packed: bytes) -> bytes:
    """Pack older bands anew: a function of schema scripts."""
    return pack(array(OLDER_CODE, packed))


def unpack(packed: bytes) -> array[int]:
    """Unpack the bands of `pack`."""
    return array(CODE, packed)


def widen(packed: bytes, whole: Mapping[int, int]) -> tuple[int, ...]:
    """Unpack bands, with all bits of those that `whole` has by their low 32 bits."""
    return tuple(whole.get(band, band) for band in unpack(packed))


def insert(connection: apsw.Connection, passages: Sequence[Passage]) -> None:
    # In index order: the rows of a long document then touch each index page once.
    numbered = [(nouns.passage_number(passage.id), passage.bands) for passage in passages]
    connection.executemany(
        INSERT, sorted({(truncate(band), number) for number, bands in numbered for band in bands})
    )


def delete(connection: apsw.Connection, document_id: str) -> None:
    """Delete the bands of a document, before its passages."""
    stored: list[Any] = connection.execute(BANDS, (document_id,)).fetchall()
    connection.executemany(DELETE, [(band, number) for number, packed in stored for band in unpack(packed)])
