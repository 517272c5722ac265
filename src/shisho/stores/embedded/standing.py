"""The sources of documents, and their removal, replacement and restoration.

Every function runs inside its caller's transaction.
"""

from __future__ import annotations

import apsw

from shisho.domain.corpus import Document, DocumentId, DocumentState
from shisho.domain.time import Instant
from shisho.stores.refusals import check_restorable, name_taken

# Add a corpus, unless one with its name exists.
NEW_CORPUS = "INSERT INTO corpora(owner, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
# Read the key of a corpus.
CORPUS_ID = "SELECT id FROM corpora WHERE owner = ? AND name = ?"
# Delete a source.
LEAVE = "DELETE FROM places WHERE corpus_id = ? AND source = ? RETURNING document_id"
# Make a superseded or removed document live again, at this source.
REVIVE = "UPDATE documents SET state = 'live', source = ? WHERE id = ?"
# Find the document of a source.
PLACE = "SELECT document_id FROM places WHERE corpus_id = ? AND source = ?"
# Assign a source to a document.
PUT_PLACE = """INSERT INTO places(corpus_id, source, document_id) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET document_id = excluded.document_id, stamp = NULL"""
# Retire a live document that has no source.
RETIRE = """UPDATE documents SET state = ?2 WHERE id = ?1 AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = ?1)"""
# Rename a live document after one of its remaining sources, if its current name is no longer among them.
RENAME = """UPDATE documents SET source = (SELECT min(p.source) FROM places p WHERE p.document_id = ?1)
    WHERE id = ?1 AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = ?1 AND p.source = documents.source)"""
# Rename its older versions too, unless another document has their source: a purge finds them by name.
RENAME_VERSIONS = """UPDATE documents SET source = (SELECT d.source FROM documents d WHERE d.id = ?1)
    WHERE corpus_id = (SELECT d.corpus_id FROM documents d WHERE d.id = ?1) AND source = ?2
    AND state IN ('superseded', 'removed')
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.corpus_id = documents.corpus_id AND p.source = ?2)"""


def ensure_corpus_id(connection: apsw.Connection, name: str, owner: str, now: Instant) -> int:
    """Return the key of a corpus; create the corpus if it is missing."""
    connection.execute(NEW_CORPUS, (owner, name, now))
    return int(connection.execute(CORPUS_ID, (owner, name)).get)


def place(
    connection: apsw.Connection,
    corpus_id: int,
    source: str,
    document_id: DocumentId,
    *,
    may_replace: bool,
) -> DocumentId | None:
    """Assign a source to this document; return the document that it superseded, if any.

    The previous document of the source is superseded unless it has another source.

    Raises: NameConflict if another document has the source and `may_replace` is false.
    """
    earlier = connection.execute(PLACE, (corpus_id, source)).get
    if earlier not in (None, document_id) and not may_replace:
        raise name_taken(source, earlier)
    connection.execute(PUT_PLACE, (corpus_id, source, document_id))
    if earlier in (None, document_id):
        return None
    return retire(connection, DocumentId(earlier), source, "superseded")


def retire(
    connection: apsw.Connection, document_id: DocumentId, source: str, state: str
) -> DocumentId | None:
    """Update a document that lost a source; return its ID if that was its only source."""
    connection.execute(RETIRE, (document_id, state))
    if connection.changes():
        return document_id
    connection.execute(RENAME, (document_id,))
    if connection.changes():
        connection.execute(RENAME_VERSIONS, (document_id, source))
    return None


def restore(connection: apsw.Connection, document_id: DocumentId, document: Document | None) -> Document:
    """Undo the removal of a document. `document` is None if the ID is unknown.

    Raises: as `ports.Shelf.restore`.
    """
    if document is None or document.state is DocumentState.LIVE:
        return check_restorable(document, document_id, None)
    corpus = ensure_corpus_id(connection, document.corpus, document.owner, document.added_at)
    successor = connection.execute(PLACE, (corpus, document.source)).get
    restored = check_restorable(document, document_id, successor)
    connection.execute(REVIVE, (document.source, document_id))
    connection.execute(PUT_PLACE, (corpus, document.source, document_id))
    return restored
