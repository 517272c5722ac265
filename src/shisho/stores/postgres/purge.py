"""Erase the text, passages, postings and vectors of a document, and all copies of it."""

from __future__ import annotations

import asyncio

from shisho.errors import ShishoError
from shisho.messages.message import Message
from shisho.stores.postgres import postings, rows, standing
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.sql.traces import TABLES_OF_TRACES, forget_copies
from shisho.telemetry import log

# Blank a document; it keeps its ID, the hash of its bytes and its times.
DOCUMENT = "UPDATE documents SET warnings = '[]', source = '', title = '' WHERE id = %s"
# Find the older versions of a changed file, whose texts are still stored.
VERSIONS = """SELECT old.id FROM documents d JOIN documents old ON old.corpus_id = d.corpus_id AND old.id <> d.id
    WHERE d.id = %s AND old.source = d.source AND old.state IN ('superseded', 'removed')"""
# Delete the text and the metadata of a document; the table is filled in.
EMPTY = "DELETE FROM {table} WHERE document_id = %s"
HOLD_TEXT = ("short_names", "definitions", "passages", "parts", "arrivals", "document_meta", "places")
# A deleted or updated row stays in the table's file until a vacuum; autovacuum runs only after a fifth of a
# table has changed. Tables that another process is vacuuming are skipped.
SWEEP = f"VACUUM (SKIP_LOCKED) {', '.join(sorted({'documents', 'postings', *HOLD_TEXT, *TABLES_OF_TRACES}))}"


def erase(connection: Connection, corpus_id: int, document_id: str) -> None:
    """Erase a document and the older versions of its file, in the caller's transaction.

    The caller must hold the lock of the corpus. The document keeps its ID, the hash of its bytes and its
    times.
    """
    for version in rows.fetch_all(connection, VERSIONS, (document_id,)):
        rows.change(connection, standing.SET_STATE, ("purged", version.id))
        _erase(connection, corpus_id, version.id)
    _erase(connection, corpus_id, document_id)


def _erase(connection: Connection, corpus_id: int, document_id: str) -> None:
    forget_copies(PostgresQueries(connection), document_id)
    postings.erase(connection, corpus_id, document_id)
    for table in HOLD_TEXT:
        rows.change(connection, EMPTY.format(table=table), (document_id,))
    rows.change(connection, DOCUMENT, (document_id,))


async def erase_rows(database: PostgresDatabase) -> bool:
    """Remove the erased rows from the table files, after the commit. Returns False on failure."""

    def work(connection: Connection) -> None:
        rows.change(connection, SWEEP)

    try:
        await asyncio.to_thread(database.run, work)
    except ShishoError as error:  # queries already cannot see the erased rows
        log.warning(Message("postgres.purge_unswept", why=error.message))
        return False
    return True
