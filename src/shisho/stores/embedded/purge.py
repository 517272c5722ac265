"""Erase the text and passages of a document, every snippet, and every copy in the ledger."""

from __future__ import annotations

import apsw

from shisho.stores.embedded import near_duplicates
from shisho.stores.embedded.queries import EmbeddedQueries
from shisho.stores.embedded.rows import fetch_all
from shisho.stores.sql.traces import forget_copies

# Blank a document; it keeps its ID, the hash of its bytes and its times.
DOCUMENT = "UPDATE documents SET warnings = '[]', source = '', title = '' WHERE id = ?"
# Find the older versions of a changed file, whose texts are still stored.
VERSIONS = """SELECT old.id FROM documents d JOIN documents old ON old.corpus_id = d.corpus_id AND old.id <> d.id
    WHERE d.id = ? AND old.source = d.source AND old.state IN ('superseded', 'removed')"""

# Purge an older version too.
PURGE = "UPDATE documents SET state = 'purged' WHERE id = ?"
# Delete the text and the metadata of a document; the table is filled in.
EMPTY = "DELETE FROM {table} WHERE document_id = ?"
HOLD_TEXT = (
    "short_names",
    "definitions",
    "passages",
    "blocks",
    "layouts",
    "arrivals",
    "document_meta",
    "places",
)


def erase(connection: apsw.Connection, document_id: str) -> None:
    """Erase a document and the older versions of its file, in the caller's transaction.

    Answers that quoted them stay, without the quotations. The document keeps its ID, the hash of its bytes
    and its times.
    """
    for version in fetch_all(connection.execute(VERSIONS, (document_id,))):
        connection.execute(PURGE, (version.id,))
        _erase(connection, version.id)
    _erase(connection, document_id)


def _erase(connection: apsw.Connection, document_id: str) -> None:
    forget_copies(EmbeddedQueries(connection), document_id)
    near_duplicates.delete(connection, document_id)
    for table in HOLD_TEXT:
        connection.execute(EMPTY.format(table=table), (document_id,))
    connection.execute(DOCUMENT, (document_id,))
