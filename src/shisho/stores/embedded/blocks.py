"""Blocks: what is stored of a few passages in sequence.

The content of a block is what searches weigh: codes of terms, then characters (`language.vectors`). What
passages share, such as sentences and headings, is there once, and each passage keeps the spans of its own.
The text is compressed with the content as its dictionary, because it has mostly the same characters.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from shisho.domain.corpus import Passage, TermVector
from shisho.language.vectors import encode_characters
from shisho.stores.embedded.rows import Row, fetch_all
from shisho.stores.nouns import vector_of
from shisho.stores.step_content import Slice

# Bytes of content that fill a block. A search reads the whole block of a candidate; smaller ones share less,
# and those of this size leave least of SQLite's pages empty.
BLOCK = 4_500
PROBE = 16  # bytes by which a shared part is looked for
# Start and end of terms, heading terms, heading characters and characters.
SPANS = struct.Struct("<8H")
LARGE_SPANS = struct.Struct("<8I")
TEXT_CODE = "utf-16-le"  # as characters are
RAW = -zlib.MAX_WBITS  # deflate without a header

# List the blocks of a document that overlap a slice of its text.
OVERLAPPING = """SELECT start, text, content FROM blocks WHERE document_id = ? AND start < ? AND "end" > ?
    ORDER BY start, "end\""""
# List all blocks of a document.
ALL_BLOCKS = 'SELECT start, text, content FROM blocks WHERE document_id = ? ORDER BY start, "end"'
# Add a block.
INSERT = 'INSERT INTO blocks(document_id, start, "end", content, text) VALUES (?, ?, ?, ?, ?)'


class VectorLocation(NamedTuple):
    """Where the term vector of a passage is stored, and its counts."""

    block: int
    spans: bytes
    term_count: int
    heading_count: int
    pair_count: int


class BlockSpans(NamedTuple):
    """The spans of a passage's codes in a block."""

    terms: tuple[int, int]
    heading: tuple[int, int]
    heading_characters: tuple[int, int]
    characters: tuple[int, int]


class _Block:
    """A block that is being filled."""

    def __init__(self) -> None:
        self._terms = bytearray()
        self._characters = bytearray()
        self._filled: list[tuple[TermVector, BlockSpans]] = []

    def is_full(self) -> bool:
        return len(self._terms) + len(self._characters) >= BLOCK

    def add(self, heading: str, vector: TermVector) -> None:
        # Passages under one heading share it. Folding joins no letters across the line feed after it.
        characters = encode_characters(heading)
        rest = vector.characters.removeprefix(characters)
        if len(characters) + len(rest) != len(vector.characters):
            characters = b""
        spans = BlockSpans(
            _append(self._terms, vector.terms),
            _append(self._terms, vector.heading),
            _append(self._characters, characters),
            _append(self._characters, rest),
        )
        self._filled.append((vector, spans))

    def content(self) -> bytes:
        return bytes(self._terms + self._characters)

    def locate_vectors(self, number: int) -> Iterator[VectorLocation]:
        """Yield the location of each passage's vector. `number`: the key of the block."""
        shift = len(self._terms)
        for vector, (terms, heading, *others) in self._filled:
            shifted = [shift + end for span in others for end in span]
            spans = (*terms, *heading, *shifted)
            packer = SPANS if max(spans) < 1 << 16 else LARGE_SPANS
            yield VectorLocation(
                number, packer.pack(*spans), vector.term_count, vector.heading_count, vector.pair_count
            )


def insert(
    connection: apsw.Connection, document_id: str, start: int, text: str, passages: Sequence[Passage]
) -> list[VectorLocation]:
    """Store a part of a document's text and its passages, in order; return the locations of their vectors."""
    # Compute all before the first is stored, which keeps code and tables of each phase in the CPU cache.
    vectors = list(map(vector_of, passages))
    locations: list[VectorLocation] = []
    block = _Block()
    first = last = start
    for at, (passage, vector) in enumerate(zip(passages, vectors, strict=True), 1):
        block.add(passage.heading, vector)
        first = min(first, passage.start)
        last = max(last, passage.end)
        if block.is_full() and at < len(passages):
            number = _store(connection, document_id, (first, text[first - start : last - start]), block)
            locations.extend(block.locate_vectors(number))
            block = _Block()
            first = last
    number = _store(connection, document_id, (first, text[first - start :]), block)
    return [*locations, *block.locate_vectors(number)]


def _store(connection: apsw.Connection, document_id: str, slice_: tuple[int, str], block: _Block) -> int:
    """Store a block with its slice of the text; return its key."""
    start, text = slice_
    content = block.content()
    values = (document_id, start, start + len(text), content, compress(text, content))
    connection.execute(INSERT, values)
    return connection.last_insert_rowid()


def _append(content: bytearray, piece: bytes) -> tuple[int, int]:
    """Return the span of a piece in the content, to which its part that is not there yet is appended."""
    probe = piece[:PROBE]
    at = content.find(probe)
    while at >= 0 and not piece.startswith(content[at : at + len(piece)]):
        at = content.find(probe, at + 1)
    if at < 0:
        at = len(content)
    content += piece[len(content) - at :]
    return at, at + len(piece)


def compress(text: str, content: bytes) -> bytes:
    """Compress a text with the content of its block."""
    packer = zlib.compressobj(wbits=RAW, zdict=content)
    return packer.compress(text.encode(TEXT_CODE)) + packer.flush()


def decompress(text: bytes, content: bytes) -> str:
    """Undo `compress`. Raises zlib.error, UnicodeDecodeError."""
    unpacker = zlib.decompressobj(RAW, zdict=content)
    unpacked = unpacker.decompress(text)
    if not unpacker.eof:
        raise zlib.error("incomplete")
    return unpacked.decode(TEXT_CODE)


def register(connection: apsw.Connection) -> None:
    """Register the function that `rows.TEXT` calls."""
    connection.create_scalar_function("cut_text", _slice_block, 5, deterministic=True)


def _slice_block(*values: Any) -> str:
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
