"""The sources of documents, and their removal, replacement and restoration.

Every function runs inside its caller's transaction. A transaction that changes a corpus locks the row of the
corpus first: changes of one corpus are serialized, as in a database with one writer, while other corpora can
change concurrently.
"""

from __future__ import annotations

from shisho.domain.corpus import Document, DocumentId, DocumentState
from shisho.domain.time import Instant
from shisho.stores.postgres import postings, rows
from shisho.stores.postgres.pool import Connection
from shisho.stores.refusals import check_restorable, name_taken

# Add a corpus, unless one with its name exists.
NEW_CORPUS = "INSERT INTO corpora(owner, name, created_at) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
# Lock a corpus for changes, and read its key.
CORPUS_ID = "SELECT id FROM corpora WHERE owner = %s AND name = %s FOR NO KEY UPDATE"
# Lock the corpus of a document for changes, and read its key.
CORPUS_OF = """SELECT c.id FROM corpora c JOIN documents d ON d.corpus_id = c.id WHERE d.id = %s
    FOR NO KEY UPDATE OF c"""
# Read the state of a document.
STATE = "SELECT state FROM documents WHERE id = %s"
# Set the source name of a document.
NAME = "UPDATE documents SET source = %s WHERE id = %s"
# Set the state of a document.
SET_STATE = "UPDATE documents SET state = %s WHERE id = %s"
# Delete a source.
LEAVE = """DELETE FROM places WHERE corpus_id = %s AND md5(source) = md5(%s::text) AND source = %s
    RETURNING document_id"""
# Find the document of a source.
PLACE = "SELECT document_id FROM places WHERE corpus_id = %s AND md5(source) = md5(%s::text) AND source = %s"
# Assign a source to a document.
PUT_PLACE = """INSERT INTO places(corpus_id, source, document_id) VALUES (%s, %s, %s)
    ON CONFLICT (corpus_id, md5(source)) DO UPDATE SET document_id = excluded.document_id, stamp = NULL"""
# Check whether a document is live but has no source.
IS_HOMELESS = """SELECT 1 AS yes FROM documents WHERE id = %(id)s AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = %(id)s)"""
# Rename a live document after one of its remaining sources, if its current name is no longer among them.
RENAME = """UPDATE documents SET source = (SELECT min(p.source) FROM places p WHERE p.document_id = %(id)s)
    WHERE id = %(id)s AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = %(id)s AND p.source = documents.source)"""
# Rename its older versions too, unless another document has their source: a purge finds them by name.
RENAME_VERSIONS = """UPDATE documents SET source = (SELECT d.source FROM documents d WHERE d.id = %(id)s)
    WHERE corpus_id = (SELECT d.corpus_id FROM documents d WHERE d.id = %(id)s) AND source = %(source)s
    AND state IN ('superseded', 'removed') AND NOT EXISTS (SELECT 1 FROM places p
        WHERE p.corpus_id = documents.corpus_id AND md5(p.source) = md5(%(source)s::text) AND p.source = %(source)s)"""


def ensure_corpus_id(connection: Connection, name: str, owner: str, now: Instant) -> int:
    """Lock a corpus for changes and return its key; create it if it is missing."""
    stored = rows.fetch_first(connection, CORPUS_ID, (owner, name))
    if stored is None:
        rows.change(connection, NEW_CORPUS, (owner, name, now))
        stored = rows.fetch_all(connection, CORPUS_ID, (owner, name))[0]
    return int(stored.id)


def lock_corpus_of(connection: Connection, document_id: str) -> int | None:
    """Lock the corpus of a document and return its key; None if the document is unknown."""
    row = rows.fetch_first(connection, CORPUS_OF, (document_id,))
    return None if row is None else int(row.id)


def state_of(connection: Connection, document_id: str) -> str | None:
    """Return the state of a document; None if it is unknown."""
    row = rows.fetch_first(connection, STATE, (document_id,))
    return None if row is None else str(row.state)


def revive(connection: Connection, document_id: str, source: str) -> None:
    """Make a superseded or removed document live again, at this source."""
    rows.change(connection, NAME, (source, document_id))
    rows.change(connection, SET_STATE, ("live", document_id))
    postings.count_again(connection, document_id)


def withdraw(connection: Connection, document_id: str, state: str) -> None:
    """Take a document out of search, and set its state."""
    if state_of(connection, document_id) == "live":
        postings.count_out(connection, document_id)
    rows.change(connection, SET_STATE, (state, document_id))


def place(
    connection: Connection, corpus_id: int, source: str, document_id: DocumentId, *, may_replace: bool
) -> DocumentId | None:
    """Assign a source to this document; return the document that it superseded, if any.

    The previous document of the source is superseded unless it has another source.

    Raises: NameConflict if another document has the source and `may_replace` is false.
    """
    earlier = document_at(connection, corpus_id, source)
    if earlier is not None and earlier != document_id and not may_replace:
        raise name_taken(source, earlier)
    rows.change(connection, PUT_PLACE, (corpus_id, source, document_id))
    return None if earlier in (None, document_id) else retire(connection, earlier, source, "superseded")


def document_at(connection: Connection, corpus_id: int, source: str) -> DocumentId | None:
    """Return the document of a source."""
    row = rows.fetch_first(connection, PLACE, (corpus_id, source, source))
    return None if row is None else DocumentId(row.document_id)


def leave(connection: Connection, corpus_id: int, source: str) -> DocumentId | None:
    """Delete a source; return the document that was removed with it, if any."""
    row = rows.fetch_first(connection, LEAVE, (corpus_id, source, source))
    return None if row is None else retire(connection, DocumentId(row.document_id), source, "removed")


def retire(
    connection: Connection, document_id: DocumentId | None, source: str, state: str
) -> DocumentId | None:
    """Update a document that lost a source; return its ID if that was its only source."""
    if document_id is None:
        return None
    if rows.fetch_first(connection, IS_HOMELESS, {"id": document_id}) is not None:
        withdraw(connection, document_id, state)
        return document_id
    if rows.change(connection, RENAME, {"id": document_id}):
        rows.change(connection, RENAME_VERSIONS, {"id": document_id, "source": source})
    return None


def restore(connection: Connection, document_id: DocumentId, document: Document | None) -> Document:
    """Undo the removal of a document. `document` is None if the ID is unknown.

    Raises: as `ports.Shelf.restore`.
    """
    if document is None or document.state is DocumentState.LIVE:
        return check_restorable(document, document_id, None)
    corpus_id = ensure_corpus_id(connection, document.corpus, document.owner, document.added_at)
    successor = document_at(connection, corpus_id, document.source)
    restored = check_restorable(document, document_id, successor)
    revive(connection, document_id, document.source)
    rows.change(connection, PUT_PLACE, (corpus_id, document.source, document_id))
    return restored
