"""Rows of older libraries, brought to the current schema: what schema scripts cannot write in SQL."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import apsw

from shisho.stores import nouns
from shisho.stores.embedded import blocks, rows
from shisho.stores.embedded.near_duplicates import OLDER_CODE
from shisho.stores.sql.migrating import COLUMNS, PATTERN, identify_content, identify_messages
from shisho.stores.step_content import pack_step

NEW_NAMES = {"near": "related", "not_found": "nothing"}
# A level is followed by the next key of a goal's status, a draft or an answer, unlike metadata of documents.
_OLD_LEVEL = re.compile(r'("level": ?)"(near|not_found)"(?=, ?"(?:met|missing|loop_stop)":)')


def rename_levels(text: str) -> str:
    """Rename the levels in our JSON."""
    return _OLD_LEVEL.sub(lambda found: f'{found[1]}"{NEW_NAMES[found[2]]}"', text)


def hash_input(node: str, input_: str) -> str:
    """Return the hash of a step's input, as run records store it."""
    return sha256(f'["{node}",{input_}]'.encode()).hexdigest()


def compress_step(output: str) -> bytes:
    """Return the stored content of a step with this output."""
    return pack_step(output, (), lambda slices: [])


FUNCTIONS: dict[str, tuple[Callable[..., str | bytes], int]] = {
    "compress_step": (compress_step, 1),
    "rename_levels": (rename_levels, 1),
    "hash_input": (hash_input, 2),
    "identify_messages": (identify_messages, 1),
    "identify_content": (identify_content, 1),
}


def register(connection: apsw.Connection) -> None:
    """Register the functions, for schema scripts."""
    for name, (function, arguments) in FUNCTIONS.items():
        connection.create_scalar_function(name, function, arguments, deterministic=True)


TEXTS_SCRIPT = "0087_blocks.sql"
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


def compress_texts(connection: apsw.Connection) -> None:
    """Compress the texts together with the terms that searches score."""
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


SENTENCES_SCRIPT = "0086_message_ids.sql"
# The sentences of each column become ids.
UPDATES = tuple(
    f"UPDATE {table} SET {column} = identify_messages({column}) WHERE {column} LIKE ?"
    for table, column in COLUMNS
)
# The sentences inside steps become ids.
STEPS = "UPDATE steps SET content = identify_content(content) WHERE identify_content(content) <> content"


def identify_sentences(connection: apsw.Connection) -> None:
    """Put an id in place of each stored sentence."""
    for update in UPDATES:
        connection.execute(update, (PATTERN,))
    connection.execute(STEPS)
