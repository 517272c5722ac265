"""The search index in PostgreSQL: tables updated in the transaction of each change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import psycopg

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.domain.library import IndexDamage
from shisho.language.vectors import encode_characters, encode_term
from shisho.ports import SearchView
from shisho.stores.indexing import HEADING, WEIGHTS, Word, rarity, select_informative, words_of
from shisho.stores.nouns import passage_id
from shisho.stores.postgres import bm25, rows
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.postings import term_key
from shisho.stores.postgres.queries import PostgresShelfView
from shisho.stores.sql.scope import FROM_DOCUMENTS, list_corpus_ids, write_passage_condition

if TYPE_CHECKING:
    from shisho.stores.postgres.serving import PostgresServing, VectorTable

SELECTIVE = 20_000  # passages: up to so many in scope are listed, and only they are scored
SPARE = 100  # extra candidates: some are not live, not in scope, or already seen
MAX_ENTRIES = 300_000  # scored per query: 2.4 MB from the server, and 10 ms of CPU on the client
ENOUGH_ENTRIES = 5_000  # with fewer entries, the next word is scored too, however common it is
FIRST = 4  # factor by which more candidates are looked up if too few of the best are in scope
MAX_LOOKED_THROUGH = 1_500  # passages that are checked for common words

# Count the live passages of some corpora that contain each word.
FREQUENCIES = """SELECT term, sum(passages)::bigint AS passages FROM postings
    WHERE term = ANY(%s) AND corpus_id = ANY(%s) GROUP BY term"""
# Read the postings of some words in some corpora.
ENTRIES = """SELECT term, string_agg(entries, ''::bytea) AS entries FROM postings
    WHERE term = ANY(%s) AND corpus_id = ANY(%s) GROUP BY term"""
# List the passages in scope; the condition is filled in.
NUMBERS = f"SELECT p.number {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id WHERE {{condition}}"
# Select the passages that are in scope.
IN_SCOPE = f"""SELECT p.number, p.id {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
    WHERE p.number IN (SELECT value FROM json_each(:numbers)) AND {{condition}}
    AND p.id NOT IN (SELECT value FROM json_each(:seen))"""
# Compute the score that common words add to some passages, as if each word occurred once: scoring all their
# entries takes long and changes little.
COMMON = f"""SELECT p.number, (SELECT coalesce(sum(worth / (1 + %s::float8 + slope * CASE WHEN is_pair THEN v.pair_count
                ELSE v.term_count + {HEADING} * v.heading_count END)), 0)
            FROM unnest(%s::bytea[], %s::boolean[], %s::float8[], %s::float8[]) AS common(code, is_pair, worth, slope)
            WHERE CASE WHEN is_pair THEN position(code IN v.characters) > 0
                ELSE position(code IN v.terms) > 0 OR position(code IN v.heading) > 0 END) AS score
    FROM passages p JOIN term_vectors v ON v.passage_id = p.id WHERE p.number = ANY(%s)"""


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
        words = self._select_informative(words_of(terms, bigrams), scope)
        corpora = list_corpus_ids(self._queries, scope)
        if not words or not corpora:
            return []
        numbers, scores = self._score(words, corpora, scope)
        seen = rows.numbers_of(passage_ids)
        # Seen passages seldom all rank high again: more are looked up only if too few remain.
        most = limit + SPARE
        names: list[PassageId] = []
        while len(names) < limit and len(numbers):
            best, _ = bm25.select_best(numbers, scores, most)
            names = self._filter_by_scope(best.tolist(), scope, seen)[:limit]
            if len(best) == len(numbers):
                break
            most *= FIRST
        return names

    def _score(
        self, words: Sequence[Word], corpora: list[int], scope: Scope
    ) -> tuple[bm25.Numbers, bm25.Scores]:
        """Return the numbers of passages that contain some of the words, and their scores."""
        rarer, common = self._split(words, scope)
        weighed = {word.key: word for word in self._weigh(rarer, scope)}
        values = (list(weighed), corpora)
        postings = self._connection.execute(ENTRIES.encode(), values, binary=True).fetchall()
        entries = [(weighed[row.term], row.entries) for row in postings]
        numbers, scores = bm25.add_up(entries, self._list_allowed(scope))
        return self._with_common(numbers, scores, common, scope) if common else (numbers, scores)

    def _list_allowed(self, scope: Scope) -> list[int] | None:
        """Return the numbers of the passages in scope if they are few; None if the scope is wide."""
        if not scope.filters or self.count(scope) > SELECTIVE:
            return None
        condition, values = write_passage_condition(scope)
        in_scope = self._queries.fetch(NUMBERS.format(condition=condition), values)
        return [row.number for row in in_scope]

    def _with_common(
        self, numbers: bm25.Numbers, scores: bm25.Scores, common: Sequence[Word], scope: Scope
    ) -> tuple[bm25.Numbers, bm25.Scores]:
        """Add the scores of the common words to the best passages by the rarer words."""
        weighed = self._weigh(common, scope)
        codes = [
            encode_characters(word) if field == "bigrams" else encode_term(word) for field, word in common
        ]
        values = (
            bm25.FLOOR,
            codes,
            [field == "bigrams" for field, _ in common],
            [word.worth for word in weighed],
            [word.slope for word in weighed],
        )
        numbers, scores = bm25.select_best(numbers, scores, MAX_LOOKED_THROUGH)
        names = numbers.tolist()
        extra = {row.number: row.score for row in rows.fetch_all(self._connection, COMMON, (*values, names))}
        return numbers, scores + [extra.get(name, 0.0) for name in names]

    def _filter_by_scope(self, numbers: list[int], scope: Scope, seen: list[int]) -> list[PassageId]:
        """Return the passages in scope, in their order."""
        condition, values = write_passage_condition(scope)
        statement = IN_SCOPE.format(condition=condition)
        found = self._queries.fetch(statement, values | {"numbers": numbers, "seen": seen})
        ids = {row.number: row.id for row in found}
        return [passage_id(ids[number]) for number in numbers if number in ids]

    def _split(self, words: Sequence[Word], scope: Scope) -> tuple[list[Word], list[Word]]:
        """Split words into rarer ones, whose entries can all be scored in time, and common ones."""
        frequency = {word: self._frequencies[scope.owner, word] for word in words}
        ordered = sorted(words, key=frequency.__getitem__)
        rarer = 0
        entries = 0
        while rarer < len(ordered) and (
            entries < ENOUGH_ENTRIES or entries + frequency[ordered[rarer]] <= MAX_ENTRIES
        ):
            entries += frequency[ordered[rarer]]
            rarer += 1
        return ordered[:rarer], ordered[rarer:]

    def read_frequencies(self, field: str, terms: Sequence[str], scope: Scope) -> Mapping[str, int]:
        self._read_frequencies([(field, term) for term in terms], scope)
        return {term: self._frequencies[scope.owner, (field, term)] for term in terms}

    @property
    def serving(self) -> EmbedderAbout | None:
        return None if self._vectors is None else self._vectors.about

    def find_nearest(
        self, vector: Embedding, scope: Scope, limit: int, passage_ids: frozenset[PassageId]
    ) -> Mapping[PassageId, float]:
        if self._vectors is None:
            return {}
        return self._vectors.find_nearest(self._connection, vector, scope, limit, passage_ids)

    def measure_similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        return (
            {} if self._vectors is None else self._vectors.measure_similarities(self._connection, vector, ids)
        )

    def read_embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]:
        return {} if self._vectors is None else self._vectors.read_embeddings(self._connection, ids)

    @cached_property
    def _vectors(self) -> VectorTable | None:
        """The vectors that searches use."""
        return None if self._dense is None else self._dense.table(self._connection)

    def _select_informative(self, words: Sequence[Word], scope: Scope) -> Sequence[Word]:
        """Return the words that select candidates."""
        self._read_frequencies(words, scope)
        frequency = {word: self._frequencies[scope.owner, word] for word in words}
        informative = select_informative(
            words, frequency.__getitem__, int(self.read_statistics(scope)["passages"])
        )
        return [word for word in informative if frequency[word]]

    def _read_frequencies(self, words: Sequence[Word], scope: Scope) -> None:
        """Read missing frequencies, over all corpora that the reader may search."""
        owner = scope.owner
        keys = {term_key(*word): word for word in words if (owner, word) not in self._frequencies}
        if not keys:
            return
        self._frequencies |= {(owner, word): 0 for word in keys.values()}
        readable = list_corpus_ids(self._queries, Scope(owner))
        for row in rows.fetch_all(self._connection, FREQUENCIES, (list(keys), readable)):
            self._frequencies[owner, keys[row.term]] = row.passages

    def _weigh(self, words: Sequence[Word], scope: Scope) -> list[bm25.WeighedWord]:
        means = self.read_statistics(scope)
        passages = int(means["passages"])
        lengths = {"terms": means["terms"] + HEADING * means["heading"], "bigrams": means["bigrams"]}
        weighed = []
        for word in words:
            field, _ = word
            worth = WEIGHTS[field] * rarity(self._frequencies[scope.owner, word], passages)
            slope = bm25.SATURATION * bm25.LENGTH / max(lengths[field], 1.0)
            weighed.append(bm25.WeighedWord(term_key(*word), worth, slope))
        return weighed


T = TypeVar("T")


class PostgresIndex:
    """`ports.Index` over PostgreSQL, with vector search if there are vectors."""

    def __init__(self, database: PostgresDatabase, dense: PostgresServing | None = None) -> None:
        self._database = database
        self._dense = dense

    async def view(self, work: Callable[[SearchView], T], *, current: bool = True) -> T:
        def look(connection: Connection) -> T:
            return work(PostgresView(connection, self._dense))

        try:
            return await self._database.read(look)
        except psycopg.errors.UndefinedTable:  # the vectors were dropped just before they were read
            return await self._database.read(look)

    async def count_behind(self) -> int:
        """Return 0: the index is updated in the transaction that changes the shelf."""
        return 0

    async def examine(self) -> Sequence[IndexDamage]:
        """Return no damage: the index has no files."""
        return ()

    async def close(self) -> None:
        """Do nothing: the connections belong to the database."""

    async def catch_up(self) -> None:
        """Build the vector graph if it is due; the lexical index is always current."""
        if self._dense is not None:
            await self._dense.catch_up()
