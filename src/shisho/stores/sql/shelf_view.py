"""A view of the shelf: the part of a search view that is the same for all indexes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from shisho.domain.corpus import DefinitionMark, NamedPassage, NameLink, Passage, PassageId, Scope, TermVector
from shisho.stores import nouns
from shisho.stores.sql import Queries, names
from shisho.stores.sql.scope import FROM_DOCUMENTS, READABLE, count_in, write_passage_condition

# Sum up the live passages that a reader may search: their number, terms, bigrams and heading terms.
SUMS = f"""SELECT CAST(coalesce(sum(c.passages), 0) AS bigint) AS passages,
    CAST(coalesce(sum(c.terms), 0) AS bigint) AS terms, CAST(coalesce(sum(c.bigrams), 0) AS bigint) AS bigrams,
    CAST(coalesce(sum(c.heading), 0) AS bigint) AS heading FROM corpora c WHERE c.id IN ({READABLE})"""
# Read heading and text of the passages in scope; its condition is filled in.
TEXTS = f"""SELECT p.heading, {{text}} AS text {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
    WHERE {{condition}}"""
# Read passages of live documents by number, with the names of their documents.
PASSAGES = """SELECT {columns}, d.source, d.title FROM passages p JOIN documents d ON d.id = p.document_id
    WHERE d.state = 'live' AND p.id IN (SELECT value FROM json_each(:ids))"""


class ShelfView(ABC):
    """The part of a `ports.SearchView` that needs no index, in a transaction."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._statistics: dict[str, Mapping[str, float]] = {}

    @abstractmethod
    def read_vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]: ...

    def count(self, scope: Scope) -> int:
        return count_in(self._queries, scope)

    def read_statistics(self, scope: Scope) -> Mapping[str, float]:
        if scope.owner not in self._statistics:
            (sums,) = self._queries.fetch(SUMS, {"reader": scope.owner})
            passages = max(1, sums.passages)
            means = {"terms": sums.terms, "bigrams": sums.bigrams, "heading": sums.heading}
            self._statistics[scope.owner] = {
                "passages": sums.passages,
                **{name: total / passages for name, total in means.items()},
            }
        return self._statistics[scope.owner]

    def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, NamedPassage]:
        rows = fetch_rows(self._queries, ids)
        named_passages = (NamedPassage(nouns.passage(row), row.source, row.title) for row in rows)
        return {named.passage.id: named for named in named_passages}

    def find_short_names(self, keys: Sequence[str], scope: Scope) -> Sequence[NameLink]:
        return names.find_links(self._queries, keys, scope) if keys else ()

    def find_definitions(self, keys: Sequence[str], scope: Scope, most: int) -> Sequence[DefinitionMark]:
        return names.find_marks(self._queries, keys, scope, most) if keys else ()

    def read_texts(self, scope: Scope, most: int) -> list[str]:
        """Return heading, blank line and text of each passage in scope, if they are no more than `most`."""
        if self.count(scope) > most:
            return []
        condition, values = write_passage_condition(scope)
        query = TEXTS.format(text=self._queries.passage_text, condition=condition)
        return [f"{row.heading}\n\n{row.text}" for row in self._queries.fetch(query, values)]


def fetch_rows(queries: Queries, ids: Iterable[PassageId]) -> list[nouns.Row]:
    """Read the columns of `PASSAGES` for some passages."""
    numbers = [nouns.passage_number(name) for name in ids]
    return queries.fetch(PASSAGES.format(columns=queries.passage_columns), {"ids": numbers})


def fetch_passages(queries: Queries, ids: Iterable[PassageId]) -> dict[PassageId, Passage]:
    """Implement `Shelf.fetch_passages` in a transaction."""
    return {passage.id: passage for passage in map(nouns.passage, fetch_rows(queries, ids))}
