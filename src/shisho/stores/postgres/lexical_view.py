"""One look at the shelf and its postings: BM25 in SQL proposes, our own scoring ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.stores.nouns import passage_id
from shisho.stores.postgres import rows
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.postings import term_key
from shisho.stores.postgres.scope import FROM_DOCUMENTS, corpus_ids, where_passages
from shisho.stores.postgres.shelf_view import PostgresShelfView
from shisho.stores.proposals import HEADING, WEIGHTS, Word, rarity, select_telling, words_of

if TYPE_CHECKING:
    from shisho.stores.postgres.serving import PostgresServing

SATURATION = 1.2  # BM25's k1 and b as the other indexes have them, so that all propose the same
LENGTH = 0.75
SELECTIVE = 20_000  # passages: of so few the postings are tested before they are added up
SPARE = 100  # passages looked at beyond those that are wanted: some are not live, or not in scope

# In how many live passages of some corpora each of some words stands.
FREQUENCIES = """SELECT term, sum(passages)::bigint AS passages FROM postings
    WHERE term = ANY(%s) AND corpus_id = ANY(%s) GROUP BY term"""
# The passages that have some words, by BM25, of which only the best so many are looked up; entries are taken apart as
# `schema/0022_postings.sql` says. A test of the entries, and which passages are in scope, are filled in.
PROPOSE = f"""WITH words AS (SELECT * FROM unnest(%s::bigint[], %s::float8[], %s::float8[]) AS word(term, worth, slope)),
    scored AS MATERIALIZED (SELECT e >> 24 AS number,
            sum(worth * ((e >> 16) & 255) / (((e >> 16) & 255) + %s::float8 + slope * (e & 65535))) AS score
        FROM words JOIN postings USING (term) CROSS JOIN LATERAL unnest(entries) AS e
        WHERE corpus_id = ANY(%s) {{test}} GROUP BY e >> 24),
    best AS (SELECT number, score FROM scored ORDER BY score DESC, number LIMIT %s)
    SELECT found.id, (SELECT count(*) FROM scored) AS scored
    FROM best CROSS JOIN LATERAL (SELECT p.id {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
        WHERE p.number = best.number AND {{condition}} LIMIT 1) AS found
    WHERE found.id <> ALL(%s) ORDER BY best.score DESC, best.number LIMIT %s"""
# The test of entries where the scope is small.
IN_SCOPE = f"""AND e >> 24 IN (SELECT p.number {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
    WHERE {{condition}})"""
EVERYTHING = (1 << 31) - 1


class PostgresView(PostgresShelfView):
    """`ports.SearchView` on a connection in a transaction."""

    def __init__(self, connection: Connection, dense: PostgresServing | None) -> None:
        super().__init__(connection)
        self._dense = dense
        self._frequencies: dict[tuple[str, Word], int] = {}

    def propose(
        self,
        terms: Sequence[str],
        bigrams: Sequence[str],
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> list[PassageId]:
        words = self._telling(words_of(terms, bigrams), scope)
        corpora = corpus_ids(self._connection, scope)
        if not words or not corpora:
            return []
        statement, before, after = self._statement(scope)
        head = (*self._weights(words, scope), SATURATION * (1 - LENGTH), corpora, *before)
        seen = rows.numbers_of(passage_ids)
        most = limit + len(seen) + SPARE
        hits = rows.every(self._connection, statement, (*head, most, *after, seen, limit))
        if len(hits) < limit and (not hits or hits[0].scored > most):
            hits = rows.every(self._connection, statement, (*head, EVERYTHING, *after, seen, limit))
        return [passage_id(row.id) for row in hits]

    def frequencies(self, field: str, terms: Sequence[str], scope: Scope) -> Mapping[str, int]:
        self._read_frequencies([(field, term) for term in terms], scope)
        return {term: self._frequencies[scope.owner, (field, term)] for term in terms}

    @property
    def serving(self) -> EmbedderAbout | None:
        return None if self._dense is None else self._dense.serving(self._connection)

    def nearest(
        self, vector: Embedding, scope: Scope, limit: int, passage_ids: frozenset[PassageId]
    ) -> Mapping[PassageId, float]:
        if self._dense is None:
            return {}
        return self._dense.nearest(self._connection, vector, scope, limit, passage_ids)

    def similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        return {} if self._dense is None else self._dense.similarities(self._connection, vector, ids)

    def _telling(self, words: Sequence[Word], scope: Scope) -> Sequence[Word]:
        """Those that propose something."""
        self._read_frequencies(words, scope)
        frequency = {word: self._frequencies[scope.owner, word] for word in words}
        telling = select_telling(words, frequency.__getitem__, int(self.statistics(scope)["passages"]))
        return [word for word in telling if frequency[word]]

    def _read_frequencies(self, words: Sequence[Word], scope: Scope) -> None:
        """Those that are not known yet, over all that the reader may search."""
        owner = scope.owner
        keys = {term_key(*word): word for word in words if (owner, word) not in self._frequencies}
        if not keys:
            return
        self._frequencies |= {(owner, word): 0 for word in keys.values()}
        readable = corpus_ids(self._connection, Scope(owner))
        for row in rows.every(self._connection, FREQUENCIES, (list(keys), readable)):
            self._frequencies[owner, keys[row.term]] = row.passages

    def _statement(self, scope: Scope) -> tuple[str, list[Any], list[Any]]:
        """The statement, and the values of its two conditions."""
        condition, values = where_passages(scope)
        if not (scope.filters and self.count(scope) <= SELECTIVE):
            return PROPOSE.format(test="", condition=condition), [], values
        test = IN_SCOPE.format(condition=condition)
        return PROPOSE.format(test=test, condition=condition), values, values

    def _weights(self, words: Sequence[Word], scope: Scope) -> tuple[list[int], list[float], list[float]]:
        """Of each word its key, what it is worth, and how much each word of a passage takes from that."""
        means = self.statistics(scope)
        passages = int(means["passages"])
        lengths = {"terms": means["terms"] + HEADING * means["heading"], "bigrams": means["bigrams"]}
        keys = [term_key(*word) for word in words]
        worths = [WEIGHTS[word[0]] * rarity(self._frequencies[scope.owner, word], passages) for word in words]
        slopes = [SATURATION * LENGTH / max(lengths[field], 1.0) for field, _ in words]
        return keys, worths, slopes
