"""From a request to a ranking.

Indexes propose passages by words and by meaning, and scoring ranks by both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from shisho.corpus import rank
from shisho.corpus.fusion import blend, fuse_ranks
from shisho.corpus.rank import Statistics
from shisho.domain.corpus import (
    DefinitionMark,
    NameLink,
    PassageId,
    RankedCandidate,
    RankedPassage,
    Scope,
    SearchRequest,
)
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.errors import InvalidParams, ShishoError
from shisho.language.document_names import list_keys, make_question_key
from shisho.language.normalise import fold_text
from shisho.language.terms import TermQuery, fold
from shisho.messages import Message
from shisho.ports import Embedders, Index, SearchView
from shisho.records import dataclass
from shisho.telemetry import count, log, span

MAX_TERMS = 40  # of a query whose names are looked up: a longer one has enough words of its own
MAX_DEFINITIONS = 20
UNSTATED = 0.5  # relative to a stated definition: for the first sentence under a heading of the name


def find_other_names(view: SearchView, query: TermQuery, scope: Scope) -> list[NameLink]:
    """Return the other names that documents in scope give to the names in a query."""
    if len(query.terms) > MAX_TERMS:
        return []
    return [*view.find_short_names(list_keys(query.terms), scope)]


def add_other_names(query: TermQuery, links: Iterable[NameLink]) -> TermQuery:
    """Return the query with the other names of its names as synonyms."""
    words: dict[str, dict[tuple[str, ...], None]] = {
        term: dict.fromkeys(others) for term, others in query.synonyms.items()
    }
    for link in links:
        other = tuple(link.other_key.split())
        for term in link.key.split():
            words.setdefault(term, {})[other] = None
    return replace(query, synonyms={term: tuple(others) for term, others in words.items()})


def find_definitions(
    view: SearchView, query: TermQuery, links: Iterable[NameLink], scope: Scope
) -> list[DefinitionMark]:
    """Return definitions of the only thing that a query names, under any of its names.

    None if the query contains more than the name.
    """
    key = make_question_key(query.terms)
    keys = [key, *(link.other_key for link in links if link.key == key)]
    return [*view.find_definitions(keys, scope, MAX_DEFINITIONS)] if key else []


def weigh_definitions(marks: Iterable[DefinitionMark]) -> Mapping[PassageId, float]:
    """Return for each passage the certainty that it defines the thing."""
    weights: dict[PassageId, float] = {}
    for mark in marks:
        weights[mark.passage_id] = max(weights.get(mark.passage_id, 0.0), 1.0 if mark.is_stated else UNSTATED)
    return weights


def map_names(links: Iterable[NameLink]) -> Mapping[str, frozenset[str]]:
    """Return the other names of each name, folded."""
    names: dict[str, frozenset[str]] = {}
    for link in links:
        names[fold(link.name)] = names.get(fold(link.name), frozenset()) | {fold(link.other)}
    return names


MIN_PROPOSED = 100  # docs/adr/0002
MAX_TEXTS = 20_000  # passages: about a second of CPU
Defining = Mapping[PassageId, float]
"""The certainty that passages define the query's name."""
AskTerms = Callable[[Sequence[str]], TermQuery]


class RankingCut(Protocol):
    """The depth of a ranking, and its selection to fetch, by the number of passages in scope."""

    def choose_depth(self, in_scope: int) -> int: ...

    def cut(
        self, in_scope: int, ranking: Sequence[RankedCandidate], meaning_floor: float
    ) -> Sequence[RankedCandidate]:
        """Return the candidates to fetch. `meaning_floor` is that of the embedder that ranked."""

    def is_diversified(self, in_scope: int) -> bool:
        """Return whether the result will be diversified, by its vectors if it has any."""


@dataclass(frozen=True, slots=True)
class WholeRanking:
    """A ranking cut at a fixed depth only."""

    fixed_depth: int

    def choose_depth(self, in_scope: int) -> int:
        return self.fixed_depth

    def cut(
        self, in_scope: int, ranking: Sequence[RankedCandidate], meaning_floor: float
    ) -> Sequence[RankedCandidate]:
        return ranking

    def is_diversified(self, in_scope: int) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The selected passages of a ranking, and N.

    `embeddings`: those of the passages, if they will be diversified.
    """

    in_scope: int
    hits: Sequence[RankedPassage]
    embeddings: Mapping[PassageId, Embedding]


@dataclass(frozen=True, slots=True)
class Retriever:
    """The ranking of the passages in a scope, also by meaning if an embedder and vectors exist.

    `fusion`: `blend` adds the scores of both rankings, `rrf` their reciprocal ranks.
    """

    index: Index
    query: AskTerms
    embedders: Embedders | None = None
    fusion: str = "blend"

    async def rank(
        self,
        request: SearchRequest,
        scope: Scope,
        depth: int,
        passage_ids: frozenset[PassageId] = frozenset(),
    ) -> Sequence[RankedPassage]:
        """Return the best `depth` passages in scope that are not in `passage_ids`, best first.

        Raises:
            InvalidParams: The request is blank.
        """
        return (await self.retrieve_best(request, scope, WholeRanking(depth), passage_ids)).hits

    async def retrieve_best(
        self, request: SearchRequest, scope: Scope, cut: RankingCut, passage_ids: frozenset[PassageId]
    ) -> RetrievalResult:
        """Return the cut's selection, from one snapshot of the store.

        Raises:
            InvalidParams: The request is blank.
        """
        count("searches")
        return await self.index.view(await self._prepare_look(request, scope, cut, passage_ids))

    async def rank_candidates(
        self, request: SearchRequest, scope: Scope, depth: int
    ) -> Sequence[RankedCandidate]:
        """Return the ranking of `rank` without fetching its passages."""
        look = await self._prepare_look(request, scope, WholeRanking(depth), frozenset())
        _, ranking = await self.index.view(look.rank)
        return ranking

    async def _prepare_look(
        self, request: SearchRequest, scope: Scope, cut: RankingCut, passage_ids: frozenset[PassageId]
    ) -> _SnapshotSearch:
        meaning = write_meaning_query(request)
        if not meaning:
            raise InvalidParams("search.no_query")
        vector = await self._query_vector(meaning)
        query = self._query_with_synonyms if request.with_synonyms else self.query
        within = add_filters(scope, request)
        return _SnapshotSearch(list_texts(request), query, vector, within, cut, passage_ids, self.fusion)

    def _query_with_synonyms(self, texts: Sequence[str]) -> TermQuery:
        from shisho.language.meanings import add_synonyms  # here: a search without synonyms needs no lists

        return add_synonyms(self.query(texts))

    async def _query_vector(self, meaning: str) -> QueryVector | None:
        """Return the query's vector; None if there is nothing to compare it with.

        Loading an embedder takes longer than a search. Also None if the embedder fails: passages are then
        found by words.
        """
        if self.embedders is None:
            return None
        serving = await self.index.view(lambda view: view.serving, current=False)
        embedder = None if serving is None else self.embedders.find(serving)
        if embedder is None:
            return None
        try:
            with span("retrieve.embed"):
                return QueryVector(embedder.about, await embedder.embed_query(meaning))
        except ShishoError as error:
            log.warning(Message("search.words_only", why=error.message))
            return None

    async def measure_rarity(self, terms: Sequence[str], scope: Scope) -> Mapping[str, float]:
        """Return the idf of index terms over everything that the scope's owner may search."""
        statistics = await self.index.view(lambda view: read_statistics(view, terms, (), scope))
        return rank.compute_idf(terms, statistics.terms, statistics.passages)

    async def find_short_names(self, question: str, scope: Scope) -> Mapping[str, frozenset[str]]:
        """Return the same as `SearchSession.find_short_names`."""
        query = self.query([fold_text(question)])
        return map_names(await self.index.view(lambda view: find_other_names(view, query, scope)))

    async def find_definitions(
        self, request: SearchRequest, scope: Scope
    ) -> Mapping[PassageId, DefinitionMark]:
        """Return the passages that define the requested thing, each with its defining sentence."""
        texts = list_texts(request)
        within = add_filters(scope, request)

        def mark_definitions(view: SearchView) -> list[DefinitionMark]:
            query = self.query([fold_text(text) for text in texts])
            return find_definitions(view, query, find_other_names(view, query, within), within)

        marks = await self.index.view(mark_definitions, current=False)
        return {mark.passage_id: mark for mark in reversed(marks)}

    async def read_texts(self, scope: Scope) -> Sequence[str]:
        """Return all texts in scope; none if they are too many to search for one question."""
        return await self.index.view(lambda view: view.read_texts(scope, MAX_TEXTS))


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A query's vector and its embedder. Vectors of different embedders are not comparable."""

    about: EmbedderAbout
    vector: Embedding


@dataclass(frozen=True, slots=True)
class _SnapshotSearch:
    """The work of one snapshot of the store.

    It includes analysing the query's terms, which is too fast for a thread of its own. `vector`: None if
    passages are found by words alone.
    """

    texts: Sequence[str]
    query: AskTerms
    vector: QueryVector | None
    scope: Scope
    cut: RankingCut
    passage_ids: frozenset[PassageId]
    fusion: str

    def rank(self, view: SearchView) -> tuple[int, Sequence[RankedCandidate]]:
        """Return N and the cut's selection."""
        in_scope = view.count(self.scope)
        depth = self.cut.choose_depth(in_scope)
        query = self.query([fold_text(text) for text in self.texts])
        links = find_other_names(view, query, self.scope)
        marks = find_definitions(view, query, links, self.scope)
        defining = weigh_definitions(mark for mark in marks if mark.passage_id not in self.passage_ids)
        query = add_other_names(query, links) if links else query
        if self.vector is None or view.serving is None or view.serving.name != self.vector.about.name:
            ranking = self._rank_by_words(view, query, defining, depth)
        else:
            ranking = self._rank_blended(view, query, defining, depth, self.vector)
        meaning_floor = math.inf if self.vector is None else self.vector.about.meaning_floor
        return in_scope, self.cut.cut(in_scope, ranking, meaning_floor)

    def __call__(self, view: SearchView) -> RetrievalResult:
        in_scope, kept = self.rank(view)
        passages = view.fetch_passages([candidate.passage_id for candidate in kept])
        hits = [
            RankedPassage(named.passage, candidate.score, candidate.parts, named.source, named.title)
            for candidate in kept
            if (named := passages.get(candidate.passage_id))
        ]
        embeddings = view.read_embeddings(list(passages)) if self.cut.is_diversified(in_scope) else {}
        return RetrievalResult(in_scope, hits, embeddings)

    def _rank_by_words(
        self, view: SearchView, query: TermQuery, defining: Defining, depth: int
    ) -> Sequence[RankedCandidate]:
        statistics = read_statistics(view, query.all_terms, query.bigrams, self.scope)
        proposed = self._propose(view, query, defining, depth)
        return _weigh_candidates(view, query, defining, statistics, proposed, depth)

    def _rank_blended(
        self, view: SearchView, query: TermQuery, defining: Defining, depth: int, by: QueryVector
    ) -> Sequence[RankedCandidate]:
        proposed = self._propose(view, query, defining, depth)
        nearest = view.find_nearest(by.vector, self.scope, _limit(depth), self.passage_ids)
        others = [name for name in proposed if name not in nearest]
        cosines = {**nearest, **view.measure_similarities(by.vector, others)}
        statistics = read_statistics(view, query.all_terms, query.bigrams, self.scope)
        if not cosines:  # whether other passages have vectors changes nothing
            return _weigh_candidates(view, query, defining, statistics, proposed, depth)
        candidates = list(dict.fromkeys([*proposed, *nearest]))
        by_words = _weigh_candidates(view, query, defining, statistics, candidates, None)
        if self.fusion == "rrf":
            return fuse_ranks(by_words, cosines, depth)
        whole = sum(rank.query_idf(query, statistics).values())
        share = by.about.share.japanese if query.is_japanese else by.about.share.english
        return blend(by_words, cosines, whole, share, depth, defining)

    def _propose(
        self, view: SearchView, query: TermQuery, defining: Defining, depth: int
    ) -> Sequence[PassageId]:
        with span("retrieve.propose"):
            proposed = view.propose(
                query.all_terms, query.bigrams, self.scope, _limit(depth), self.passage_ids
            )
        return [*dict.fromkeys((*proposed, *defining))]


def _limit(depth: int) -> int:
    """Return the number of candidates that each index proposes."""
    return max(MIN_PROPOSED, 2 * depth)


def _weigh_candidates(
    view: SearchView,
    query: TermQuery,
    defining: Defining,
    statistics: Statistics,
    names: Sequence[PassageId],
    depth: int | None,
) -> Sequence[RankedCandidate]:
    from shisho.corpus import weighing  # here: listing documents needs no numpy

    vectors = view.read_vectors(names)
    with span("retrieve.rank", candidates=len(vectors)):
        candidates = [vectors[name] for name in names if name in vectors]
        best = weighing.rank(query, candidates, statistics, depth=depth, defining=defining)
    return best if query.terms else _match_pairs(view, query, best, statistics)


def _match_pairs(
    view: SearchView, query: TermQuery, ranking: Sequence[RankedCandidate], statistics: Statistics
) -> Sequence[RankedCandidate]:
    """Match a query without terms, such as 株, by the character pairs of the passages."""
    passages = view.fetch_passages([candidate.passage_id for candidate in ranking])
    matched = []
    for candidate in ranking:
        if named := passages.get(candidate.passage_id):
            parts = {**candidate.parts, "match": rank.match(query, named.passage, None, statistics)}
            matched.append(candidate._replace(part_names=tuple(parts), part_values=tuple(parts.values())))
    return matched


def read_statistics(
    view: SearchView, terms: Sequence[str], bigrams: Sequence[str], scope: Scope
) -> Statistics:
    """Read the statistics that a query's terms and pairs are weighed by."""
    means = view.read_statistics(scope)
    return Statistics(
        passages=int(means["passages"]),
        length=means["terms"],
        heading=means["heading"],
        pairs=means["bigrams"],
        terms=view.read_frequencies("terms", terms, scope),
        bigrams=view.read_frequencies("bigrams", bigrams, scope),
    )


def list_texts(request: SearchRequest) -> list[str]:
    """Return the texts to search for; the request as one text if it has no keyword query."""
    return [text for text in request.keyword_query if text.strip()] or [write_meaning_query(request)]


def write_meaning_query(request: SearchRequest) -> str:
    """Return the request as one text; empty for a blank one."""
    return request.vector_query.strip() or " ".join(text for text in request.keyword_query if text.strip())


def add_filters(scope: Scope, request: SearchRequest) -> Scope:
    """Return the scope with the request's filters added.

    If both filter a field, the scope's own filter wins: a plan never widens the scope.
    """
    return replace(scope, filters={**request.filter_conditions, **scope.filters})
