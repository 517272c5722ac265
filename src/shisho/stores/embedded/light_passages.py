"""Stored passages of older libraries, brought to the schema of script 0087."""

from __future__ import annotations

import json
from array import array
from dataclasses import replace

import apsw

from shisho.stores import nouns
from shisho.stores.embedded import blocks, rows
from shisho.stores.embedded.near_duplicates import OLDER_CODE

SCRIPT = "0087_blocks.sql"
ENDLESS = 1 << 62
# List the documents.
DOCUMENTS = "SELECT id FROM documents ORDER BY added_at, id"
# List the parts of a document's text, as stored before.
PARTS = "SELECT start, text FROM parts WHERE document_id = ? ORDER BY start"
# List the passages of a part, as stored before.
PASSAGES = """SELECT id, document_id, ordinal, start, "end", page, heading, kind, text, terms, heading_terms, bigrams, cluster,
        place, ocr, (SELECT json_group_array(b.band) FROM passage_bands b WHERE b.passage_id = passages.id) AS bands
    FROM passages WHERE document_id = ? AND start >= ? AND start < ? ORDER BY ordinal"""
# Record the location of a passage's vector, and its bands.
UPDATE = """UPDATE passages SET block = ?, spans = ?, term_count = ?, heading_count = ?, pair_count = ?, bands = ?
    WHERE id = ?"""


def fill(connection: apsw.Connection) -> None:
    """Compress the texts together with what searches weigh."""
    for document in rows.fetch_all(connection.execute(DOCUMENTS)):
        parts = rows.fetch_all(connection.execute(PARTS, (document.id,)))
        ends = [*(part.start for part in parts[1:]), ENDLESS]
        for part, end in zip(parts, ends, strict=False):  # a purged document has no parts
            stored = rows.fetch_all(connection.execute(PASSAGES, (document.id, part.start, end)))
            passages = [
                replace(
                    nouns.passage(row),
                    terms=row.terms,
                    heading_terms=row.heading_terms,
                    bigrams=row.bigrams,
                )
                for row in stored
            ]
            locations = blocks.insert(connection, document.id, part.start, part.text, passages)
            values = [
                (*location, _pack_bands(row.bands), row.id)
                for row, location in zip(stored, locations, strict=True)
            ]
            connection.executemany(UPDATE, values)


def _pack_bands(bands: str) -> bytes:
    """Pack bands from a JSON list as script 0087 stored them."""
    return array(OLDER_CODE, json.loads(bands)).tobytes()
