"""Where documents stand: the sources that they are called by, and what becomes of one that leaves or comes
back. Every function runs inside its caller's transaction."""

from __future__ import annotations

import apsw

from shisho.domain.corpus import Document, DocumentId, DocumentState
from shisho.domain.time import Instant
from shisho.stores.refusals import name_taken
from shisho.stores.restoring import check_restorable

# A corpus, where there is none of this name.
NEW_CORPUS = "INSERT INTO corpora(owner, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
# The key of a corpus.
CORPUS_ID = "SELECT id FROM corpora WHERE owner = ? AND name = ?"
# A source is no longer there.
LEAVE = "DELETE FROM places WHERE corpus_id = ? AND source = ? RETURNING document_id"
# A document that was superseded or removed is found again, at this source.
REVIVE = "UPDATE documents SET state = 'live', source = ? WHERE id = ?"
# The document that a source stands for.
PLACE = "SELECT document_id FROM places WHERE corpus_id = ? AND source = ?"
# Let a source stand for a document.
PUT_PLACE = """INSERT INTO places(corpus_id, source, document_id) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET document_id = excluded.document_id, stamp = NULL"""
# A live document that stands nowhere goes.
RETIRE = """UPDATE documents SET state = ?2 WHERE id = ?1 AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = ?1)"""
# A live document is called by a place it stands at: what it was called by may be left.
RENAME = """UPDATE documents SET source = (SELECT min(p.source) FROM places p WHERE p.document_id = ?1)
    WHERE id = ?1 AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = ?1 AND p.source = documents.source)"""
# Its older versions go with it, where nothing else stands: a purge looks for them under its name.
RENAME_VERSIONS = """UPDATE documents SET source = (SELECT d.source FROM documents d WHERE d.id = ?1)
    WHERE corpus_id = (SELECT d.corpus_id FROM documents d WHERE d.id = ?1) AND source = ?2
    AND state IN ('superseded', 'removed')
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.corpus_id = documents.corpus_id AND p.source = ?2)"""


def ensure_corpus_id(connection: apsw.Connection, name: str, owner: str, now: Instant) -> int:
    """The key of a corpus, which is there afterwards."""
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
    """Let a source stand for this document; the one it stood for is superseded unless another source holds it
    too. Raises NameConflict where there is one that this one must not replace."""
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
    """A document has left a source; returned where it stands nowhere else."""
    connection.execute(RETIRE, (document_id, state))
    if connection.changes():
        return document_id
    connection.execute(RENAME, (document_id,))
    if connection.changes():
        connection.execute(RENAME_VERSIONS, (document_id, source))
    return None


def restore(connection: apsw.Connection, document_id: DocumentId, document: Document | None) -> Document:
    """Undo the removal of a document, which is None where there is none of this id. Raises as
    `ports.Shelf.restore`."""
    if document is None or document.state is DocumentState.LIVE:
        return check_restorable(document, document_id, None)
    corpus = ensure_corpus_id(connection, document.corpus, document.owner, document.added_at)
    successor = connection.execute(PLACE, (corpus, document.source)).get
    restored = check_restorable(document, document_id, successor)
    connection.execute(REVIVE, (document.source, document_id))
    connection.execute(PUT_PLACE, (corpus, document.source, document_id))
    return restored
