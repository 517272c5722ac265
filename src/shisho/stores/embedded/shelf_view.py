"""A view of the shelf: the part of a search view that is the same for all indexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

from shisho.domain.corpus import DefinitionMark, NameLink, PassageId, Scope, TermVector
from shisho.domain.ranking import NamedPassage
from shisho.stores.embedded import names, rows, vectors
from shisho.stores.embedded.scope import READABLE, count_in, write_condition

# Sum up the live passages that a reader may search: their number, terms, bigrams and heading terms.
SUMS = f"""SELECT coalesce(sum(c.passages), 0) AS passages, coalesce(sum(c.terms), 0) AS terms,
    coalesce(sum(c.bigrams), 0) AS bigrams, coalesce(sum(c.heading), 0) AS heading
    FROM corpora c WHERE c.id IN ({READABLE})"""

# Read heading, blank line and text of the passages in scope; its condition is filled in.
TEXTS = f"""SELECT p.heading || char(10) || char(10) || {rows.TEXT} AS text
    FROM documents d JOIN corpora c ON c.id = d.corpus_id JOIN passages p ON p.document_id = d.id
    WHERE {{condition}} AND (p.page IS NOT NULL) >= ? AND coalesce(p.page, 0) >= ? AND coalesce(p.page, 0) <= ?"""
ANY_PAGE = (0, 0, 1 << 62)


class ShelfView:
    """The part of a `ports.SearchView` that needs no index, on a connection in a transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def count(self, scope: Scope) -> int:
        return count_in(self._connection, scope)

    def statistics(self, scope: Scope) -> Mapping[str, float]:
        (sums,) = rows.fetch_all(self._connection.execute(SUMS, (scope.owner,)))
        passages = max(1, sums.passages)
        return {
            "passages": sums.passages,
            "terms": sums.terms / passages,
            "bigrams": sums.bigrams / passages,
            "heading": sums.heading / passages,
        }

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
        condition = write_condition(scope)
        low, high = condition.pages or (None, None)
        pages = ANY_PAGE if condition.pages is None else (1, low or 0, ANY_PAGE[2] if high is None else high)
        query = TEXTS.format(condition=condition.sql)
        return [
            row.text for row in rows.fetch_all(self._connection.execute(query, (*condition.values, *pages)))
        ]
