"""The postings of the lexical index, updated in the transaction that changes the shelf.

So the index is never behind (schema/0022). Every function runs inside its caller's transaction.
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from shisho.domain.corpus import Passage
from shisho.stores.indexing import HEADING
from shisho.stores.postgres import rows
from shisho.stores.postgres.pool import Connection

FAN_IN = 8  # segments of one level that are merged into one of the next level
MAX_TIMES = 255
MAX_WORDS = 65_535
BATCH = 1_000  # passages of one document that are in memory at once
MERGING = 1909  # the class of the advisory lock for merging or erasing in a corpus

# Add a segment.
SEGMENT = "INSERT INTO segments(corpus_id, level, document_id) VALUES (%s, %s, %s) RETURNING id"
# Copy its rows.
ENTRIES = "COPY postings(term, corpus_id, segment, passages, entries) FROM STDIN WITH (FORMAT binary)"
COLUMNS = ("int8", "int4", "int4", "int4", "bytea")
# Make the segments of a completed document searchable.
SHOW = "UPDATE segments SET level = %(level)s, document_id = NULL WHERE document_id = %(document_id)s RETURNING id"
# Count their passages.
COUNT_IN = "UPDATE postings SET passages = octet_length(entries) / 8 WHERE segment = ANY(%s)"
# Delete the segments of a document that is still being added.
DROP = "DELETE FROM segments WHERE document_id = %s RETURNING id"
# Delete all rows of some segments.
CLEAR = "DELETE FROM postings WHERE segment = ANY(%s)"
# Read the terms of a document's passages after a given one, in order.
WORDS = """SELECT p.number, p.ordinal, p.terms, p.heading_terms, p.bigrams, d.corpus_id
    FROM passages p JOIN documents d ON d.id = p.document_id
    WHERE p.document_id = %s AND p.ordinal > %s ORDER BY p.ordinal LIMIT %s"""
# Find the lowest level of a corpus that has enough segments to merge.
FULL = """SELECT level FROM segments WHERE corpus_id = %s AND level IS NOT NULL
    GROUP BY level HAVING count(*) >= %s ORDER BY level LIMIT 1"""
# Only one process at a time merges or erases in a corpus; a merge gives up if the lock is taken.
TRY_LOCK = "SELECT pg_try_advisory_xact_lock(%s, %s) AS has"
# Erasure waits for the lock.
LOCK = "SELECT pg_advisory_xact_lock(%s, %s)"
# A merge of large segments may take any time.
NO_LIMIT = "SET LOCAL statement_timeout = 0"
# Delete the segments of a level.
TAKE_SEGMENTS = "DELETE FROM segments WHERE corpus_id = %s AND level = %s RETURNING id"
# Merge their rows into one segment; words without any live passage are dropped.
MERGE = """WITH taken AS (DELETE FROM postings WHERE segment = ANY(%(taken)s) RETURNING term, passages, entries)
    INSERT INTO postings(term, corpus_id, segment, passages, entries)
    SELECT term, %(corpus_id)s, %(segment)s, sum(passages), string_agg(entries, ''::bytea) FROM taken GROUP BY term
    HAVING sum(passages) <> 0 OR sum(octet_length(entries)) > 0"""
# Read the rows of some words in a corpus.
ROWS = """SELECT term, segment, entries FROM postings
    WHERE term = ANY(%s) AND corpus_id = %s AND octet_length(entries) > 0 FOR UPDATE"""
# Replace the entries of a row by the remaining ones.
REPLACE = "UPDATE postings SET entries = %s WHERE term = %s AND corpus_id = %s AND segment = %s"


@lru_cache(maxsize=100_000)
def term_key(field: str, word: str) -> int:
    """Return 64 bits of the hash of a word in its field."""
    digest = hashlib.blake2b(f"{field} {word}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def add(
    connection: Connection,
    corpus_id: int,
    passages: Sequence[Passage],
    numbers: Sequence[int],
    arriving: str | None = None,
) -> None:
    """Add a segment of new passages.

    `arriving` is the ID of their document if it is added in parts and not live yet.
    """
    entries: defaultdict[int, list[int]] = defaultdict(list)
    for passage, number in zip(passages, numbers, strict=True):
        for term, entry in _list_entries(number, passage.terms, passage.heading_terms, passage.bigrams):
            entries[term].append(entry)
    level = _compute_level(len(passages)) if arriving is None else None
    segment = _add_segment(connection, corpus_id, level, arriving)
    copied = (
        (term, corpus_id, segment, 0 if arriving else len(listed), _pack(listed))
        for term, listed in entries.items()
    )
    rows.copy(connection, ENTRIES, copied, COLUMNS)


def finish(connection: Connection, document_id: str) -> None:
    """Make the segments of a completed document searchable."""
    segments = rows.fetch_all(connection, SHOW, {"level": _compute_level(BATCH), "document_id": document_id})
    rows.change(connection, COUNT_IN, ([row.id for row in segments],))


def discard(connection: Connection, document_id: str) -> None:
    """Delete the segments of an incomplete document."""
    dropped = rows.fetch_all(connection, DROP, (document_id,))
    if dropped:
        rows.change(connection, CLEAR, ([row.id for row in dropped],))


def subtract_counts(connection: Connection, document_id: str) -> None:
    """Subtract the passages of a document from the counts.

    Their entries stay: a search skips passages that are not live.
    """
    _count(connection, document_id, -1)


def restore_counts(connection: Connection, document_id: str) -> None:
    """Add the passages of a document to the counts again."""
    _count(connection, document_id, 1)


def erase(connection: Connection, corpus_id: int, document_id: str) -> None:
    """Erase the entries of a document's passages; call this before the passages are deleted."""
    rows.fetch_all(connection, LOCK, (MERGING, corpus_id))
    for batch in _read_batches(connection, document_id):
        terms = {term for row in batch for term, _ in _list_row_entries(row)}
        erased = {row.number for row in batch}
        for row in rows.fetch_all(connection, ROWS, (list(terms), corpus_id)):
            entries = struct.unpack(f"<{len(row.entries) // 8}Q", row.entries)
            rest = [entry for entry in entries if entry >> 24 not in erased]
            if len(rest) < len(entries):
                rows.change(connection, REPLACE, (_pack(rest), row.term, corpus_id, row.segment))


def merge(connection: Connection, corpus_id: int) -> bool:
    """Merge the segments of one level into one of the next, if there are enough.

    Returns False if there are too few, or if another process holds the lock.
    """
    if not rows.fetch_all(connection, TRY_LOCK, (MERGING, corpus_id))[0].has:
        return False
    full = rows.fetch_first(connection, FULL, (corpus_id, FAN_IN))
    if full is None:
        return False
    rows.change(connection, NO_LIMIT)
    merged = [row.id for row in rows.fetch_all(connection, TAKE_SEGMENTS, (corpus_id, full.level))]
    segment = _add_segment(connection, corpus_id, full.level + 1, None)
    rows.change(connection, MERGE, {"taken": merged, "corpus_id": corpus_id, "segment": segment})
    return True


def _count(connection: Connection, document_id: str, sign: int) -> None:
    counts: Counter[int] = Counter()
    corpus_id = 0
    for batch in _read_batches(connection, document_id):
        corpus_id = batch[0].corpus_id
        for row in batch:
            counts.update(term for term, _ in _list_row_entries(row))
    if counts:
        segment = _add_segment(connection, corpus_id, 0, None)
        copied = ((term, corpus_id, segment, sign * count, b"") for term, count in counts.items())
        rows.copy(connection, ENTRIES, copied, COLUMNS)


def _read_batches(connection: Connection, document_id: str) -> Iterator[list[rows.Row]]:
    after = -1
    while batch := rows.fetch_all(connection, WORDS, (document_id, after, BATCH)):
        yield batch
        after = batch[-1].ordinal


def _list_row_entries(row: rows.Row) -> Iterator[tuple[int, int]]:
    """Yield the entries of a row of `WORDS`."""
    return _list_entries(row.number, row.terms, row.heading_terms, row.bigrams)


def _list_entries(number: int, terms: str, heading_terms: str, bigrams: str) -> Iterator[tuple[int, int]]:
    """Yield the words of a passage, each with its entry."""
    words = Counter(terms.split())
    heading = heading_terms.split()
    length = words.total() + HEADING * len(heading)
    for word in heading:
        words[word] += HEADING
    pairs = Counter(bigrams.split())
    for field, counts, size in (("terms", words, length), ("bigrams", pairs, pairs.total())):
        shared = number << 24 | min(size, MAX_WORDS)
        for word, count in counts.items():
            yield term_key(field, word), shared | min(count, MAX_TIMES) << 16


def _pack(entries: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(entries)}Q", *entries)


def _add_segment(connection: Connection, corpus_id: int, level: int | None, document_id: str | None) -> int:
    return int(rows.fetch_all(connection, SEGMENT, (corpus_id, level, document_id))[0].id)


def _compute_level(passages: int) -> int:
    """Return the merge level of a segment: the logarithm of its passages to base `FAN_IN`."""
    level = 0
    while passages >= FAN_IN:
        passages //= FAN_IN
        level += 1
    return level
