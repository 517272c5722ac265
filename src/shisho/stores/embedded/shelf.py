"""The shelf in SQLite. A document with its passages goes in, is replaced, and goes out in one transaction each."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import apsw

from shisho.domain.corpus import Corpus, Document, DocumentId, Intake, Passage, PassageId, PrintedLine, Scope
from shisho.domain.time import Instant
from shisho.errors import Conflict, NotFound, SourceRemoved
from shisho.language.comparable import comparable
from shisho.ports import Clock
from shisho.stores.embedded import rows, storing
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.purge import erase
from shisho.stores.embedded.scope import where

FROM_DOCUMENTS = "FROM documents d JOIN corpora c ON c.id = d.corpus_id"


async def _nothing_else() -> bool:
    """Nothing else holds copies."""
    return True


class EmbeddedShelf:
    """`ports.Shelf` over one SQLite file. `erased` goes after a purge through what else holds copies of its rows."""

    def __init__(self, database: Database, clock: Clock, erased: Callable[[], Awaitable[bool]] = _nothing_else) -> None:
        self._database, self._clock, self._erased = database, clock, erased

    async def ensure_corpus(self, name: str, owner: str) -> Corpus:
        def work(connection: apsw.Connection) -> Corpus:
            _corpus_id(connection, name, owner, self._clock.now())
            return _corpora(connection, owner, name)[0]

        return await self._database.write(work)

    async def corpora(self, owner: str) -> Sequence[Corpus]:
        return await self._database.read(lambda connection: _corpora(connection, owner))

    async def known(self, corpus: str, owner: str, sha256: str) -> Document | None:
        def work(connection: apsw.Connection) -> Document | None:
            query = f"""SELECT {rows.DOCUMENT} {FROM_DOCUMENTS}
                WHERE d.state = 'live' AND d.sha256 = ? AND c.name = ? AND c.owner = ?"""
            row = connection.execute(query, (sha256, corpus, owner)).fetchone()
            return None if row is None else rows.document(row)

        return await self._database.read(work)

    async def put(self, intake: Intake) -> DocumentId | None:
        return await self._database.write(lambda connection: _put(connection, intake))

    async def begin(self, document: Document) -> str:
        token = secrets.token_hex(8)

        def work(connection: apsw.Connection) -> None:
            corpus_id = _corpus_id(connection, document.corpus, document.owner, document.added_at)
            storing.begin(connection, document, corpus_id, token)

        await self._database.write(work)
        return token

    async def extend(self, token: str, part: Intake) -> None:
        def work(connection: apsw.Connection) -> None:
            storing.check_arrival(connection, part.document.id, token)
            storing.insert_part(connection, part)

        await self._database.write(work)

    async def finish(self, token: str, document: Document) -> DocumentId | None:
        def work(connection: apsw.Connection) -> DocumentId | None:
            storing.check_arrival(connection, document.id, token)
            storing.finish(connection, document.id)
            return _put_in_place(connection, document)

        return await self._database.write(work)

    async def abandon(self, token: str, document_id: DocumentId) -> None:
        def work(connection: apsw.Connection) -> None:
            with suppress(Conflict):
                storing.check_arrival(connection, document_id, token)
                storing.discard(connection, document_id)

        await self._database.write(work)

    async def record_seen(self, document: Document, source: str, metadata: Mapping[str, str]) -> None:
        def work(connection: apsw.Connection) -> None:
            corpus_id = _corpus_id(connection, document.corpus, document.owner, document.added_at)
            _place(connection, corpus_id, source, document.id)
            _describe(connection, document.id, metadata)

        await self._database.write(work)

    async def document(self, document_id: DocumentId) -> Document:
        def work(connection: apsw.Connection) -> Document:
            row = connection.execute(f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.id = ?", (document_id,)).fetchone()
            if row is None:
                raise NotFound(
                    "There is no document {document_id}. `shisho list` shows what there is.", document_id=document_id
                )
            return rows.document(row)

        return await self._database.read(work)

    async def documents_by_id(self, ids: Sequence[DocumentId]) -> Mapping[DocumentId, Document]:
        def work(connection: apsw.Connection) -> dict[DocumentId, Document]:
            query = f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.id IN {rows.ANY_OF}"
            return {document.id: document for document in map(rows.document, connection.execute(query, (rows.listed(ids),)))}

        return await self._database.read(work)

    async def find_documents(self, prefix: str, owner: str, limit: int = 2) -> Sequence[Document]:
        def work(connection: apsw.Connection) -> list[Document]:
            query = (
                f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.id >= ? AND d.id < ? AND c.owner = ? ORDER BY d.id LIMIT ?"
            )
            found = connection.execute(query, (prefix, prefix + "\U0010ffff", owner, limit))
            return [rows.document(row) for row in found]

        return await self._database.read(work)

    async def find_by_source(self, name: str, owner: str) -> Sequence[Document]:
        def work(connection: apsw.Connection) -> list[Document]:
            # O(documents): only a person types a file's name, and once.
            query = f"""SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.state = 'live' AND d.owner = ?1 AND d.id IN
                (SELECT document_id FROM places
                 WHERE source = ?2 OR substr(source, -length(?2) - 1) IN ('/' || ?2, '\\' || ?2))"""
            return [rows.document(row) for row in connection.execute(query, (owner, name))]

        return await self._database.read(work)

    async def metadata_keys(self, owner: str) -> Sequence[str]:
        def work(connection: apsw.Connection) -> list[str]:
            query = """SELECT DISTINCT m.key FROM document_meta m JOIN documents d ON d.id = m.document_id
                WHERE d.owner = ? AND d.state = 'live' ORDER BY m.key"""
            return [key for (key,) in rows.every(connection.execute(query, (owner,)))]

        return await self._database.read(work)

    async def documents(self, scope: Scope, after: str = "", limit: int = 100) -> Sequence[Document]:
        def work(connection: apsw.Connection) -> list[Document]:
            wanted = where(scope)
            values = [*wanted.values]
            later = ""
            if after:
                later = " AND (d.added_at, d.id) > (SELECT added_at, id FROM documents WHERE id = ?)"
                values.append(after)
            query = f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE {wanted.sql}{later} ORDER BY d.added_at, d.id LIMIT ?"
            return [rows.document(row) for row in connection.execute(query, (*values, limit))]

        return await self._database.read(work)

    async def text(self, document_id: DocumentId) -> str:
        def work(connection: apsw.Connection) -> str:
            state = connection.execute("SELECT state FROM documents WHERE id = ?", (document_id,)).get
            if state is None:
                raise NotFound(
                    "There is no document {document_id}. `shisho list` shows what there is.", document_id=document_id
                )
            if state == "purged":
                raise SourceRemoved(
                    "The text of this document was purged. Add the file again to read it.", document=document_id
                )
            query = "SELECT text FROM parts WHERE document_id = ? ORDER BY start"
            return "".join(text for (text,) in connection.execute(query, (document_id,)))

        return await self._database.read(work)

    async def lines(self, document_id: DocumentId) -> Sequence[PrintedLine]:
        def work(connection: apsw.Connection) -> Sequence[PrintedLine]:
            query = "SELECT layout FROM parts WHERE document_id = ? ORDER BY start"
            return [line for (blob,) in connection.execute(query, (document_id,)) for line in rows.unpack_lines(blob)]

        return await self._database.read(work)

    async def passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Passage]:
        def work(connection: apsw.Connection) -> dict[PassageId, Passage]:
            query = f"""SELECT {rows.PASSAGE} FROM passages p JOIN documents d ON d.id = p.document_id
                WHERE d.state = 'live' AND p.id IN {rows.ANY_OF}"""
            found = connection.execute(query, (rows.listed(map(rows.passage_number, ids)),))
            return {passage.id: passage for passage in map(rows.passage, found)}

        return await self._database.read(work)

    async def passages_of(self, document_id: DocumentId) -> Sequence[Passage]:
        def work(connection: apsw.Connection) -> list[Passage]:
            query = f"SELECT {rows.PASSAGE} FROM passages p WHERE p.document_id = ? ORDER BY p.ordinal"
            return [rows.passage(row) for row in connection.execute(query, (document_id,))]

        return await self._database.read(work)

    async def near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        def work(connection: apsw.Connection) -> list[Passage]:
            # Two of each band: a letter sent a thousand times must not slow the thousand and first.
            query = f"""WITH near AS (SELECT min(b.passage_id) AS one, max(b.passage_id) AS other FROM passage_bands b
                    JOIN passages p ON p.id = b.passage_id JOIN documents d ON d.id = p.document_id
                    WHERE b.band IN {rows.ANY_OF} AND d.owner = ? GROUP BY b.band)
                SELECT {rows.PASSAGE}, (SELECT json_group_array(band) FROM passage_bands WHERE passage_id = p.id)
                FROM passages p WHERE p.id IN (SELECT one FROM near UNION SELECT other FROM near) ORDER BY p.id"""
            found = rows.every(connection.execute(query, (rows.listed(bands), owner)))
            return [replace(rows.passage(row), bands=tuple(json.loads(row[-1]))) for row in found]

        return await self._database.read(work)

    async def places(self, corpus: str, owner: str) -> Mapping[str, DocumentId]:
        def work(connection: apsw.Connection) -> dict[str, DocumentId]:
            query = """SELECT source, document_id FROM places JOIN corpora ON id = corpus_id WHERE owner = ? AND name = ?"""
            return {source: DocumentId(name) for source, name in rows.every(connection.execute(query, (owner, corpus)))}

        return await self._database.read(work)

    async def detach_source(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        def work(connection: apsw.Connection) -> DocumentId | None:
            corpus_id = _corpus_id(connection, corpus, owner, self._clock.now())
            query = "DELETE FROM places WHERE corpus_id = ? AND source = ? RETURNING document_id"
            row = connection.execute(query, (corpus_id, source)).fetchone()
            return None if row is None else _retire(connection, DocumentId(row[0]), "removed")

        return await self._database.write(work)

    async def count(self, scope: Scope) -> int:
        return await self._database.read(lambda connection: _count(connection, scope))

    async def remove(self, document_id: DocumentId, *, purge: bool) -> bool:
        def work(connection: apsw.Connection) -> None:
            state = "purged" if purge else "removed"
            connection.execute("UPDATE documents SET state = ? WHERE id = ? AND state <> 'purged'", (state, document_id))
            if connection.changes() == 0:
                raise NotFound(
                    "There is no document {document_id} to remove. `shisho list` shows what there is.", document_id=document_id
                )
            if purge:
                erase(connection, document_id)
            else:
                connection.execute("DELETE FROM places WHERE document_id = ?", (document_id,))

        await self._database.write(work)
        return await self._erased() if purge else True


def _corpus_id(connection: apsw.Connection, name: str, owner: str, now: Instant) -> int:
    connection.execute(
        "INSERT INTO corpora(owner, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (owner, name, now)
    )
    return int(connection.execute("SELECT id FROM corpora WHERE owner = ? AND name = ?", (owner, name)).get)


def _corpora(connection: apsw.Connection, owner: str, name: str | None = None) -> list[Corpus]:
    query = "SELECT name, owner, documents, passages FROM corpora WHERE owner = ? AND (? IS NULL OR name = ?) ORDER BY name"
    return [Corpus(*row) for row in connection.execute(query, (owner, name, name))]


def _count(connection: apsw.Connection, scope: Scope) -> int:
    wanted = where(scope)
    if wanted.pages is None and not wanted.narrowed and not scope.without:
        chosen = f" AND name IN {rows.ANY_OF}" if scope.corpora else ""
        values = (scope.owner, rows.listed(scope.corpora)) if scope.corpora else (scope.owner,)
        query = f"SELECT coalesce(sum(passages), 0) FROM corpora WHERE owner = ?{chosen}"
        return int(connection.execute(query, values).get)
    if wanted.pages is None:
        query = f"SELECT coalesce(sum(d.passage_count), 0) {FROM_DOCUMENTS} WHERE {wanted.sql}"
        return int(connection.execute(query, wanted.values).get)
    low, high = wanted.pages
    query = f"""SELECT count(*) {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
        WHERE {wanted.sql} AND p.page >= coalesce(?, p.page) AND p.page <= coalesce(?, p.page)"""
    return int(connection.execute(query, (*wanted.values, low, high)).get)


def _put(connection: apsw.Connection, intake: Intake) -> DocumentId | None:
    document = intake.document
    corpus_id = _corpus_id(connection, document.corpus, document.owner, document.added_at)
    row = connection.execute("SELECT state FROM documents WHERE id = ?", (document.id,)).fetchone()
    if row is None or row[0] == "purged":
        storing.insert(connection, intake, corpus_id)
    elif row[0] != "live":
        connection.execute("UPDATE documents SET state = 'live', source = ? WHERE id = ?", (document.source, document.id))
    return _put_in_place(connection, document)


def _put_in_place(connection: apsw.Connection, document: Document) -> DocumentId | None:
    """What is said of a live document, and the place it stands at. Returns the version that it supersedes."""
    _describe(connection, document.id, document.metadata)
    corpus_id = _corpus_id(connection, document.corpus, document.owner, document.added_at)
    return _place(connection, corpus_id, document.source, document.id)


def _place(connection: apsw.Connection, corpus_id: int, source: str, document_id: DocumentId) -> DocumentId | None:
    """Let a source stand for this document; the one it stood for is superseded unless another source holds it too."""
    row = connection.execute(
        "SELECT document_id FROM places WHERE corpus_id = ? AND source = ?", (corpus_id, source)
    ).fetchone()
    connection.execute(
        "INSERT INTO places VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET document_id = excluded.document_id",
        (corpus_id, source, document_id),
    )
    if row is None or row[0] == document_id:
        return None
    return _retire(connection, DocumentId(row[0]), "superseded")


def _retire(connection: apsw.Connection, document_id: DocumentId, state: str) -> DocumentId | None:
    connection.execute(
        """UPDATE documents SET state = ?2 WHERE id = ?1 AND state = 'live'
            AND NOT EXISTS (SELECT 1 FROM places WHERE document_id = ?1)""",
        (document_id, state),
    )
    return document_id if connection.changes() else None


def _describe(connection: apsw.Connection, document_id: DocumentId, metadata: Mapping[str, str]) -> None:
    facts = [(key, value, comparable(value)) for key, value in metadata.items()]
    connection.executemany(
        "INSERT OR REPLACE INTO document_meta VALUES (?, ?, ?, ?, ?)",
        [(document_id, key, value, form.folded, form.number) for key, value, form in facts],
    )
