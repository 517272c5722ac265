"""A view of the shelf: the part of a search view that is the same for all indexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.corpus import DefinitionMark, NameLink, PassageId, Scope, TermVector
from shisho.domain.ranking import NamedPassage
from shisho.stores.postgres import names, rows, vectors
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.scope import FROM_DOCUMENTS, READABLE, count_in, write_passage_condition

# Sum up the live passages that a reader may search: their number, terms, bigrams and heading terms.
SUMS = f"""SELECT coalesce(sum(c.passages), 0)::bigint AS passages, coalesce(sum(c.terms), 0)::bigint AS terms,
    coalesce(sum(c.bigrams), 0)::bigint AS bigrams, coalesce(sum(c.heading), 0)::bigint AS heading
    FROM corpora c WHERE c.id IN ({READABLE})"""
# Read heading, blank line and text of the passages in scope; its condition is filled in.
TEXTS = f"""SELECT p.heading || chr(10) || chr(10) || p.text AS text
    {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id WHERE {{condition}}"""


class PostgresShelfView:
    """The part of a `ports.SearchView` that needs no index, on a connection in a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._statistics: dict[str, Mapping[str, float]] = {}

    def count(self, scope: Scope) -> int:
        return count_in(self._connection, scope)

    def statistics(self, scope: Scope) -> Mapping[str, float]:
        if scope.owner not in self._statistics:
            self._statistics[scope.owner] = _means(rows.fetch_all(self._connection, SUMS, (scope.owner,))[0])
        return self._statistics[scope.owner]

    def vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]:
        return vectors.select(self._connection, ids)

    def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, NamedPassage]:
        return vectors.fetch_named_passages(self._connection, ids)

    def find_short_names(self, keys: Sequence[str], scope: Scope) -> Sequence[NameLink]:
        return names.find_links(self._connection, keys, scope) if keys else ()

    def find_definitions(self, keys: Sequence[str], scope: Scope, most: int) -> Sequence[DefinitionMark]:
        return names.find_marks(self._connection, keys, scope, most) if keys else ()

    def texts(self, scope: Scope, most: int) -> list[str]:
        if self.count(scope) > most:
            return []
        condition, values = write_passage_condition(scope)
        return [
            row.text for row in rows.fetch_all(self._connection, TEXTS.format(condition=condition), values)
        ]


def _means(sums: rows.Row) -> dict[str, float]:
    """Compute means from the columns of `SUMS`."""
    passages = max(1, sums.passages)
    means = {"terms": sums.terms, "bigrams": sums.bigrams, "heading": sums.heading}
    return {"passages": sums.passages, **{name: total / passages for name, total in means.items()}}
