"""Erase what a purge promises to erase: the text, its passages, their postings and vectors, every snippet and
every copy in the ledger."""

from __future__ import annotations

import asyncio

from shisho.errors import ShishoError
from shisho.messages.message import Message
from shisho.stores.postgres import postings, rows, standing
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.traces import TABLES_OF_TRACES, forget_copies
from shisho.telemetry import log

# A document keeps its id, the hash of its bytes and its times.
DOCUMENT = "UPDATE documents SET warnings = '[]', source = '', title = '' WHERE id = %s"
# A file that has changed since it was added has left its older texts behind.
VERSIONS = """SELECT old.id FROM documents d JOIN documents old ON old.corpus_id = d.corpus_id AND old.id <> d.id
    WHERE d.id = %s AND old.source = d.source AND old.state IN ('superseded', 'removed')"""
# The text of a document, and what was said of it; the table is filled in.
EMPTY = "DELETE FROM {table} WHERE document_id = %s"
HOLD_TEXT = ("short_names", "definitions", "passages", "parts", "arrivals", "document_meta", "places")
# A row that was deleted or changed stands in the table's file as it was until the file is swept; by itself
# the server does that when a fifth of a table has changed. What somebody else sweeps just now is left to
# them.
SWEEP = f"VACUUM (SKIP_LOCKED) {', '.join(sorted({'documents', 'postings', *HOLD_TEXT, *TABLES_OF_TRACES}))}"


def erase(connection: Connection, corpus_id: int, document_id: str) -> None:
    """The document and the older versions of its file, inside the caller's transaction, who may change the
    corpus; of the document its id, the hash of its bytes and its times are left."""
    for version in rows.fetch_all(connection, VERSIONS, (document_id,)):
        rows.change(connection, standing.SET_STATE, ("purged", version.id))
        _erase(connection, corpus_id, version.id)
    _erase(connection, corpus_id, document_id)


def _erase(connection: Connection, corpus_id: int, document_id: str) -> None:
    forget_copies(connection, document_id)
    postings.erase(connection, corpus_id, document_id)
    for table in HOLD_TEXT:
        rows.change(connection, EMPTY.format(table=table), (document_id,))
    rows.change(connection, DOCUMENT, (document_id,))


async def erase_rows(database: PostgresDatabase) -> bool:
    """Once the erasure is committed: out of the files of the tables too. False where that could not be done
    now."""

    def work(connection: Connection) -> None:
        rows.change(connection, SWEEP)

    try:
        await asyncio.to_thread(database.run, work)
    except ShishoError as error:  # what was erased is, for everyone who asks the database
        log.warning(Message("postgres.purge_unswept", why=error.message))
        return False
    return True
