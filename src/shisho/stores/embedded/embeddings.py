"""The vectors of passages in SQLite, from which the vector index is derived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

from shisho.domain.corpus import Passage
from shisho.domain.embedding import EmbedderAbout, Embedding, EmbeddingProgress, NewEmbedding
from shisho.stores import nouns
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database
from shisho.stores.refusals import other_dimensions

# Register an embedder with its first vector.
INTRODUCE = """INSERT INTO embedders(name, choice, dimensions) VALUES (?, ?, ?)
    ON CONFLICT(name) DO UPDATE SET choice = excluded.choice WHERE choice != excluded.choice"""
# Read the key of an embedder, its dimensions, and the newest change whose passages all have vectors.
EMBEDDER = "SELECT id, dimensions, seen FROM embedders WHERE name = ?"
# List the next passages without a vector of this embedder; `seq` is the change that added them.
PENDING = f"""SELECT c.seq, {rows.PASSAGE}
    FROM changes c JOIN documents d ON d.id = c.document_id JOIN passages p ON p.document_id = d.id
    WHERE c.seq > ? AND d.state = 'live'
        AND NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.passage_id = p.id AND e.embedder_id = ?)
    ORDER BY c.seq, p.ordinal LIMIT ?"""
# Read the number of the newest change of the shelf.
NEWEST = "SELECT coalesce(max(seq), 0) FROM changes"
# Record that all passages up to this change have vectors.
ADVANCE = "UPDATE embedders SET seen = ? WHERE id = ? AND seen < ?"
# Find one vector for each of some contents.
KNOWN = """SELECT e.content, e.vector FROM embeddings e
    WHERE e.embedder_id = ? AND e.content IN (SELECT unhex(value) FROM json_each(?)) GROUP BY e.content"""
# Store the vector of a live passage that has none.
PUT = """INSERT INTO embeddings(embedder_id, passage_id, content, vector)
    SELECT ?, p.id, ?, ? FROM passages p JOIN documents d ON d.id = p.document_id
    WHERE p.id = ? AND d.state = 'live' ON CONFLICT DO NOTHING"""
# Count the live passages.
TOTAL = "SELECT coalesce(sum(passages), 0) FROM corpora"
# Count the live passages that have a vector of an embedder.
DONE = """SELECT count(*) FROM embeddings e JOIN passages p ON p.id = e.passage_id JOIN documents d ON d.id = p.document_id
    WHERE e.embedder_id = ? AND d.state = 'live'"""
# Check for other embedders, including retired ones.
OTHER_EMBEDDERS = "SELECT id FROM embedders WHERE name != ?"
# Rename all other embedders once this one has a vector for everything: searches use it from now on.
RETIRE = """UPDATE embedders SET name = 'retired ' || id WHERE name != ?1 AND name NOT LIKE 'retired %'
    AND (SELECT seen FROM embedders WHERE name = ?1) >= (SELECT coalesce(max(seq), 0) FROM changes)"""
# Delete some vectors of retired embedders.
CLEAR = """DELETE FROM embeddings WHERE seq IN (SELECT e.seq FROM embeddings e JOIN embedders m ON m.id = e.embedder_id
    WHERE m.name LIKE 'retired %' ORDER BY e.embedder_id, e.seq LIMIT ?)"""
# Delete retired embedders without vectors.
DISMISS = """DELETE FROM embedders WHERE name LIKE 'retired %'
    AND NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.embedder_id = embedders.id)"""
MAX_CLEARED = 5_000  # vectors to delete at once: other writers wait that long


class EmbeddedEmbeddings:
    """`ports.EmbeddingStore` over one SQLite file."""

    def __init__(self, database: Database, about: EmbedderAbout) -> None:
        self._database = database
        self._about = about

    async def list_pending(self, limit: int) -> Sequence[Passage]:
        passages, newest = await self._database.read(lambda connection: self._list_pending(connection, limit))
        if newest:
            await self._database.write(lambda connection: self._advance(connection, newest))
        return passages

    async def find_known(self, contents: Sequence[bytes]) -> Mapping[bytes, Embedding]:
        # it loads numpy, which not every command needs
        from shisho.stores.embedded.packed_vectors import unpack_vector

        def read(connection: apsw.Connection) -> dict[bytes, Embedding]:
            embedder, _ = self._find_embedder(connection)
            listed = rows.bind_list(content.hex() for content in contents)
            stored = rows.fetch_all(connection.execute(KNOWN, (embedder, listed)))
            return {row.content: unpack_vector(row.vector) for row in stored}

        return await self._database.read(read)

    async def put(self, embeddings: Sequence[NewEmbedding]) -> None:
        from shisho.stores.embedded.packed_vectors import pack_vectors

        def write(connection: apsw.Connection) -> None:
            lengths = {len(new.vector) // 2 for new in embeddings}
            connection.execute(INTRODUCE, (self._about.name, self._about.choice, max(lengths, default=0)))
            stored = rows.fetch_all(connection.execute(EMBEDDER, (self._about.name,)))[0]
            embedder = stored.id
            if lengths - {stored.dimensions}:
                raise other_dimensions(self._about.name, max(lengths), stored.dimensions)
            packed = pack_vectors([new.vector for new in embeddings])
            connection.executemany(
                PUT,
                [
                    (embedder, new.content, vector, nouns.passage_number(new.passage_id))
                    for new, vector in zip(embeddings, packed, strict=True)
                ],
            )

        await self._database.write(write)

    async def remove_other_vectors(self) -> None:
        if not await self._database.read(
            lambda connection: connection.execute(OTHER_EMBEDDERS, (self._about.name,)).get
        ):
            return
        while await self._database.write(self._retire):
            pass

    async def measure_progress(self) -> EmbeddingProgress:
        # This scans every vector, so it is for people's requests, not for searches.
        def read(connection: apsw.Connection) -> EmbeddingProgress:
            embedder, _ = self._find_embedder(connection)
            return EmbeddingProgress(connection.execute(DONE, (embedder,)).get, connection.execute(TOTAL).get)

        return await self._database.read(read)

    def _retire(self, connection: apsw.Connection) -> bool:
        """Delete a batch of retired vectors; return True while there are more."""
        connection.execute(RETIRE, (self._about.name,))
        connection.execute(CLEAR, (MAX_CLEARED,))
        has_more = connection.changes() == MAX_CLEARED
        if not has_more:
            connection.execute(DISMISS)
        return has_more

    def _find_embedder(self, connection: apsw.Connection) -> tuple[int, int]:
        """Return its key and the last change with all vectors; 0 and 0 before its first vector."""
        row = rows.fetch_first(connection.execute(EMBEDDER, (self._about.name,)))
        return (0, 0) if row is None else (row.id, row.seen)

    def _list_pending(self, connection: apsw.Connection, limit: int) -> tuple[list[Passage], int]:
        """Return pending passages, and the change up to which none are pending.

        The change is 0 if it is recorded already.
        """
        embedder, seen = self._find_embedder(connection)
        newest = int(connection.execute(NEWEST).get)
        stored = rows.fetch_all(connection.execute(PENDING, (seen, embedder, limit)))
        before = stored[0].seq - 1 if stored else newest
        passages = {
            row.id: nouns.passage(row) for row in stored
        }  # a document may have changed more than once
        return [*passages.values()], before if before > seen else 0

    def _advance(self, connection: apsw.Connection, seen: int) -> None:
        embedder, _ = self._find_embedder(connection)
        connection.execute(ADVANCE, (seen, embedder, seen))
