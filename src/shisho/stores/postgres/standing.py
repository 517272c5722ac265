"""Where documents stand: the sources that they are called by, and what becomes of one that leaves or comes
back. Every function runs inside its caller's transaction.

Whoever changes a corpus holds the lock of its row from the beginning: changes of one corpus come one after
the other, as in a database with one writer, those of others beside them."""

from __future__ import annotations

from shisho.domain.corpus import Document, DocumentId, DocumentState
from shisho.domain.time import Instant
from shisho.stores.postgres import postings, rows
from shisho.stores.postgres.pool import Connection
from shisho.stores.refusals import name_taken
from shisho.stores.restoring import check_restorable

# A corpus, where there is none of this name.
NEW_CORPUS = "INSERT INTO corpora(owner, name, created_at) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
# The key of a corpus, and the right to change it.
CORPUS_ID = "SELECT id FROM corpora WHERE owner = %s AND name = %s FOR NO KEY UPDATE"
# The key of a document's corpus, and the right to change it.
CORPUS_OF = """SELECT c.id FROM corpora c JOIN documents d ON d.corpus_id = c.id WHERE d.id = %s
    FOR NO KEY UPDATE OF c"""
# The state of a document.
STATE = "SELECT state FROM documents WHERE id = %s"
# A document is called by a source.
NAME = "UPDATE documents SET source = %s WHERE id = %s"
# The state that a document has from now on.
SET_STATE = "UPDATE documents SET state = %s WHERE id = %s"
# A source is no longer there.
LEAVE = """DELETE FROM places WHERE corpus_id = %s AND md5(source) = md5(%s::text) AND source = %s
    RETURNING document_id"""
# The document that a source stands for.
PLACE = "SELECT document_id FROM places WHERE corpus_id = %s AND md5(source) = md5(%s::text) AND source = %s"
# Let a source stand for a document.
PUT_PLACE = """INSERT INTO places(corpus_id, source, document_id) VALUES (%s, %s, %s)
    ON CONFLICT (corpus_id, md5(source)) DO UPDATE SET document_id = excluded.document_id, stamp = NULL"""
# Whether a document is live, and stands nowhere.
IS_HOMELESS = """SELECT 1 AS yes FROM documents WHERE id = %(id)s AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = %(id)s)"""
# A live document is called by a place it stands at: what it was called by may be left.
RENAME = """UPDATE documents SET source = (SELECT min(p.source) FROM places p WHERE p.document_id = %(id)s)
    WHERE id = %(id)s AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = %(id)s AND p.source = documents.source)"""
# Its older versions go with it, where nothing else stands: a purge looks for them under its name.
RENAME_VERSIONS = """UPDATE documents SET source = (SELECT d.source FROM documents d WHERE d.id = %(id)s)
    WHERE corpus_id = (SELECT d.corpus_id FROM documents d WHERE d.id = %(id)s) AND source = %(source)s
    AND state IN ('superseded', 'removed') AND NOT EXISTS (SELECT 1 FROM places p
        WHERE p.corpus_id = documents.corpus_id AND md5(p.source) = md5(%(source)s::text) AND p.source = %(source)s)"""


def ensure_corpus_id(connection: Connection, name: str, owner: str, now: Instant) -> int:
    """The key of a corpus, which is there afterwards, and is the caller's to change."""
    stored = rows.fetch_first(connection, CORPUS_ID, (owner, name))
    if stored is None:
        rows.change(connection, NEW_CORPUS, (owner, name, now))
        stored = rows.fetch_all(connection, CORPUS_ID, (owner, name))[0]
    return int(stored.id)


def lock_corpus_of(connection: Connection, document_id: str) -> int | None:
    """The key of its corpus, which is the caller's to change; None where there is no such document."""
    row = rows.fetch_first(connection, CORPUS_OF, (document_id,))
    return None if row is None else int(row.id)


def state_of(connection: Connection, document_id: str) -> str | None:
    """None where there is no such document."""
    row = rows.fetch_first(connection, STATE, (document_id,))
    return None if row is None else str(row.state)


def revive(connection: Connection, document_id: str, source: str) -> None:
    """A document that was superseded or removed is found again, at this source."""
    rows.change(connection, NAME, (source, document_id))
    rows.change(connection, SET_STATE, ("live", document_id))
    postings.count_again(connection, document_id)


def withdraw(connection: Connection, document_id: str, state: str) -> None:
    """A document is no longer found."""
    if state_of(connection, document_id) == "live":
        postings.count_out(connection, document_id)
    rows.change(connection, SET_STATE, (state, document_id))


def place(
    connection: Connection, corpus_id: int, source: str, document_id: DocumentId, *, may_replace: bool
) -> DocumentId | None:
    """Let a source stand for this document; the one it stood for is superseded unless another source holds it
    too. Raises NameConflict where there is one that this one must not replace."""
    earlier = document_at(connection, corpus_id, source)
    if earlier is not None and earlier != document_id and not may_replace:
        raise name_taken(source, earlier)
    rows.change(connection, PUT_PLACE, (corpus_id, source, document_id))
    return None if earlier in (None, document_id) else retire(connection, earlier, source, "superseded")


def document_at(connection: Connection, corpus_id: int, source: str) -> DocumentId | None:
    """The document that a source stands for."""
    row = rows.fetch_first(connection, PLACE, (corpus_id, source, source))
    return None if row is None else DocumentId(row.document_id)


def leave(connection: Connection, corpus_id: int, source: str) -> DocumentId | None:
    """A source is no longer there: the document that is gone with it, if any."""
    row = rows.fetch_first(connection, LEAVE, (corpus_id, source, source))
    return None if row is None else retire(connection, DocumentId(row.document_id), source, "removed")


def retire(
    connection: Connection, document_id: DocumentId | None, source: str, state: str
) -> DocumentId | None:
    """A document has left a source; returned where it stands nowhere else."""
    if document_id is None:
        return None
    if rows.fetch_first(connection, IS_HOMELESS, {"id": document_id}) is not None:
        withdraw(connection, document_id, state)
        return document_id
    if rows.change(connection, RENAME, {"id": document_id}):
        rows.change(connection, RENAME_VERSIONS, {"id": document_id, "source": source})
    return None


def restore(connection: Connection, document_id: DocumentId, document: Document | None) -> Document:
    """Undo the removal of a document, which is None where there is none of this id. Raises as
    `ports.Shelf.restore`."""
    if document is None or document.state is DocumentState.LIVE:
        return check_restorable(document, document_id, None)
    corpus_id = ensure_corpus_id(connection, document.corpus, document.owner, document.added_at)
    successor = document_at(connection, corpus_id, document.source)
    restored = check_restorable(document, document_id, successor)
    revive(connection, document_id, document.source)
    rows.change(connection, PUT_PLACE, (corpus_id, document.source, document_id))
    return restored
