"""Term vectors of passages, and a view of the shelf with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.corpus import PassageId, TermVector
from shisho.stores import nouns
from shisho.stores.postgres import rows
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.sql.shelf_view import ShelfView

# Read term vectors: the passage's number, then the fields of `TermVector` from the second on, in order.
VECTORS = """SELECT v.passage_id, v.document_id, v.terms, v.heading, v.characters, v.term_count, v.heading_count,
        v.pair_count, d.term_count AS document_term_count FROM term_vectors v JOIN documents d ON d.id = v.document_id
    WHERE v.passage_id = ANY(%s)"""


def select(connection: Connection, ids: Sequence[PassageId]) -> dict[PassageId, TermVector]:
    """Return the vectors of `ids`."""
    # Binary, because text mode sends bytes as hexadecimal digits.
    passage_rows = connection.execute(VECTORS.encode(), (rows.numbers_of(ids),), binary=True).fetchall()
    return {
        (name := nouns.passage_id(number)): TermVector._make((name, *rest)) for number, *rest in passage_rows
    }


class PostgresShelfView(ShelfView):
    """The part of a search view that needs no index, on a connection in a transaction."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(PostgresQueries(connection))
        self._connection = connection

    def read_vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]:
        return select(self._connection, ids)
