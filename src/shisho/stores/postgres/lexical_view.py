"""One look at the shelf and its postings: BM25 in SQL proposes, our own scoring ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.language.vectors import character_codes, term_code
from shisho.stores.nouns import passage_id
from shisho.stores.postgres import rows
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.postings import term_key
from shisho.stores.postgres.scope import FROM_DOCUMENTS, corpus_ids, where_passages
from shisho.stores.postgres.shelf_view import PostgresShelfView
from shisho.stores.proposals import HEADING, WEIGHTS, Word, rarity, select_telling, words_of

if TYPE_CHECKING:
    from shisho.stores.postgres.serving import PostgresServing, VectorTable

SATURATION = 1.2  # BM25's k1 and b as the other indexes have them, so that all propose the same
LENGTH = 0.75
FLOOR = SATURATION * (1 - LENGTH)
SELECTIVE = 20_000  # passages: of so few the postings are tested before they are added up
SPARE = 100  # passages looked at beyond those that are wanted: some are not live, or not in scope
MOST_ENTRIES = 100_000  # that are added up for a query: about 20 ms of the server's CPU
ENOUGH_ENTRIES = 5_000  # where there are fewer the next word is added up too, however common it is
FIRST = 4  # times as many as are wanted are looked through for the words that are common

# In how many live passages of some corpora each of some words stands.
FREQUENCIES = """SELECT term, sum(passages)::bigint AS passages FROM postings
    WHERE term = ANY(%s) AND corpus_id = ANY(%s) GROUP BY term"""
# The passages that have some words, by BM25, of which only the best so many are looked up; entries are taken apart as
# `schema/0022_postings.sql` says. A test of the entries, which are the best, and which passages are in scope, are filled in.
PROPOSE = f"""WITH words AS (SELECT * FROM unnest(%s::bigint[], %s::float8[], %s::float8[]) AS word(term, worth, slope)),
    scored AS MATERIALIZED (SELECT e >> 24 AS number,
            sum(worth * ((e >> 16) & 255) / (((e >> 16) & 255) + %s::float8 + slope * (e & 65535))) AS score
        FROM words JOIN postings USING (term) CROSS JOIN LATERAL unnest(entries) AS e
        WHERE corpus_id = ANY(%s) {{test}} GROUP BY e >> 24),
    best AS ({{best}})
    SELECT found.id, (SELECT count(*) FROM scored) AS scored
    FROM best CROSS JOIN LATERAL (SELECT p.id {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
        WHERE p.number = best.number AND {{condition}} LIMIT 1) AS found
    WHERE found.id <> ALL(%s) ORDER BY best.score DESC, best.number LIMIT %s"""
# The test of entries where the scope is small.
IN_SCOPE = f"""AND e >> 24 IN (SELECT p.number {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
    WHERE {{condition}})"""
# The best by all words.
BEST = "SELECT number, score FROM scored ORDER BY score DESC, number LIMIT %s"
# The best by the rarer words, in which the common ones are looked for, as if each stood there once: to add up all entries
# of a common word takes long, and changes little.
BEST_WITH_COMMON = f"""SELECT first.number, first.score + (SELECT coalesce(sum(worth
                / (1 + %s::float8 + slope * CASE WHEN is_pair THEN v.pair_count
                    ELSE v.term_count + {HEADING} * v.heading_count END)), 0)
            FROM unnest(%s::bytea[], %s::boolean[], %s::float8[], %s::float8[]) AS common(code, is_pair, worth, slope)
            WHERE CASE WHEN is_pair THEN position(code IN v.characters) > 0
                ELSE position(code IN v.terms) > 0 OR position(code IN v.heading) > 0 END) AS score
    FROM ({BEST}) AS first JOIN passages p ON p.number = first.number JOIN term_vectors v ON v.passage_id = p.id
    ORDER BY score DESC, number LIMIT %s"""
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
        seen = rows.numbers_of(passage_ids)
        most = limit + len(seen) + SPARE
        hits = self._best(words, corpora, scope, seen, limit, most)
        if len(hits) < limit and (not hits or hits[0].scored > most):
            hits = self._best(words, corpora, scope, seen, limit, EVERYTHING // FIRST)
        return [passage_id(row.id) for row in hits]

    def _best(
        self, words: Sequence[Word], corpora: list[int], scope: Scope, seen: list[int], limit: int, most: int
    ) -> list[rows.Row]:
        """The best `limit` in scope of the best `most`, from the columns of `PROPOSE`."""
        condition, bound = where_passages(scope)
        is_small = bool(scope.filters) and self.count(scope) <= SELECTIVE
        test = IN_SCOPE.format(condition=condition) if is_small else ""
        rarer, common = self._split(words, scope)
        best, best_values = BEST, [most]
        if common:
            best, best_values = BEST_WITH_COMMON, [*self._looked_for(common, scope), FIRST * most, most]
        statement = PROPOSE.format(test=test, best=best, condition=condition)
        values = [
            *self._weights(rarer, scope),
            FLOOR,
            corpora,
            *(bound if is_small else ()),
            *best_values,
            *bound,
            seen,
            limit,
        ]
        return rows.every(self._connection, statement, values)

    def _split(self, words: Sequence[Word], scope: Scope) -> tuple[list[Word], list[Word]]:
        """The rarer words, whose entries can be added up in time, and the common ones."""
        frequency = {word: self._frequencies[scope.owner, word] for word in words}
        ordered = sorted(words, key=frequency.__getitem__)
        rarer = 0
        entries = 0
        while rarer < len(ordered) and (
            entries < ENOUGH_ENTRIES or entries + frequency[ordered[rarer]] <= MOST_ENTRIES
        ):
            entries += frequency[ordered[rarer]]
            rarer += 1
        return ordered[:rarer], ordered[rarer:]

    def _looked_for(self, words: Sequence[Word], scope: Scope) -> list[Any]:
        """The values of `BEST_WITH_COMMON` for common words, but for its limits."""
        _, worths, slopes = self._weights(words, scope)
        are_pairs = [field == "bigrams" for field, _ in words]
        codes = [character_codes(word) if field == "bigrams" else term_code(word) for field, word in words]
        return [FLOOR, codes, are_pairs, worths, slopes]

    def frequencies(self, field: str, terms: Sequence[str], scope: Scope) -> Mapping[str, int]:
        self._read_frequencies([(field, term) for term in terms], scope)
        return {term: self._frequencies[scope.owner, (field, term)] for term in terms}

    @property
    def serving(self) -> EmbedderAbout | None:
        return None if self._vectors is None else self._vectors.about

    def nearest(
        self, vector: Embedding, scope: Scope, limit: int, passage_ids: frozenset[PassageId]
    ) -> Mapping[PassageId, float]:
        if self._vectors is None:
            return {}
        return self._vectors.nearest(self._connection, vector, scope, limit, passage_ids)

    def similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        return {} if self._vectors is None else self._vectors.similarities(self._connection, vector, ids)

    @cached_property
    def _vectors(self) -> VectorTable | None:
        """Those that serve."""
        return None if self._dense is None else self._dense.table(self._connection)

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

    def _weights(self, words: Sequence[Word], scope: Scope) -> tuple[list[int], list[float], list[float]]:
        """Of each word its key, what it is worth, and how much each word of a passage takes from that."""
        means = self.statistics(scope)
        passages = int(means["passages"])
        lengths = {"terms": means["terms"] + HEADING * means["heading"], "bigrams": means["bigrams"]}
        keys = [term_key(*word) for word in words]
        worths = [WEIGHTS[word[0]] * rarity(self._frequencies[scope.owner, word], passages) for word in words]
        slopes = [SATURATION * LENGTH / max(lengths[field], 1.0) for field, _ in words]
        return keys, worths, slopes
