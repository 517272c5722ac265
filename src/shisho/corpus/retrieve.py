"""A request to a ranking: the index proposes, our scoring ranks, a dense list is fused in where there is
one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from shisho.corpus import rank
from shisho.corpus.fusion import rrf
from shisho.corpus.rank import Statistics
from shisho.domain.corpus import Passage, PassageId, RankedPassage, Scope, SearchRequest
from shisho.errors import InvalidParams
from shisho.language.normalise import fold_map
from shisho.language.terms import TermQuery
from shisho.ports import DenseIndex, Embedder, Index, Shelf
from shisho.telemetry import span

LEAST_PROPOSED = 100  # docs/adr/0002
AskTerms = Callable[[Sequence[str]], TermQuery]


@dataclass(frozen=True, slots=True)
class Retriever:
    """Ranks the passages of a scope. `dense` and `embedder` are there together or not at all."""

    shelf: Shelf
    index: Index
    query: AskTerms
    dense: DenseIndex | None = None
    embedder: Embedder | None = None

    async def rank(
        self,
        request: SearchRequest,
        scope: Scope,
        depth: int,
        passage_ids: frozenset[PassageId] = frozenset(),
    ) -> Sequence[RankedPassage]:
        """The best `depth` passages in scope that are not in `passage_ids`, best first. Raises InvalidParams
        for a blank request."""
        texts = [text for text in request.keyword_query if text.strip()]
        if not texts and not request.vector_query.strip():
            raise InvalidParams("Nothing to search for: give keyword_query or vector_query.")
        within = narrowed(scope, request)
        await self.index.catch_up()
        lists = []
        if texts:
            lists.append(await self._lexical(texts, within, depth, passage_ids))
        if request.vector_query.strip() and self.dense is not None and self.embedder is not None:
            lists.append(await self._nearest(request.vector_query, within, depth, passage_ids))
        elif not texts:
            lists.append(await self._lexical([request.vector_query], within, depth, passage_ids))
        return lists[0][:depth] if len(lists) == 1 else _fused(lists, depth)

    async def rarity(self, terms: Sequence[str]) -> Mapping[str, float]:
        """idf of index terms over everything on the shelf."""
        return rank.idf(terms, await self._statistics(terms, ()))

    async def _lexical(
        self, texts: Sequence[str], scope: Scope, depth: int, passage_ids: frozenset[PassageId]
    ) -> Sequence[RankedPassage]:
        query = await asyncio.to_thread(lambda: self.query([fold_map(text).text for text in texts]))
        with span("retrieve.propose"):
            proposed = await self.index.propose(
                query.terms, query.bigrams, scope, max(LEAST_PROPOSED, 2 * depth), passage_ids
            )
        passages = await self.shelf.passages(proposed)
        statistics = await self._statistics(query.terms, query.bigrams)
        with span("retrieve.rank", candidates=len(passages)):
            best = rank.rank(query, [passages[name] for name in proposed if name in passages], statistics)[
                :depth
            ]
        return [
            replace(hit, parts={**hit.parts, "match": rank.match(query, hit.passage, statistics)})
            for hit in best
        ]

    async def _nearest(
        self, text: str, scope: Scope, depth: int, passage_ids: frozenset[PassageId]
    ) -> Sequence[RankedPassage]:
        assert self.dense is not None and self.embedder is not None
        names = await self.dense.nearest(await self.embedder.query(text), scope, depth, passage_ids)
        passages = await self.shelf.passages(names)
        return [
            RankedPassage(passages[name], 1.0 / (1 + place))
            for place, name in enumerate(names)
            if name in passages
        ]

    async def _statistics(self, terms: Sequence[str], bigrams: Sequence[str]) -> Statistics:
        means = await self.index.statistics()
        return Statistics(
            passages=int(means["passages"]),
            length=means["terms"],
            heading=means["heading"],
            pairs=means["bigrams"],
            terms=await self.index.frequencies("terms", terms),
            bigrams=await self.index.frequencies("bigrams", bigrams),
        )


def narrowed(scope: Scope, request: SearchRequest) -> Scope:
    """The scope under the request's filters too. Where both name a field the scope's own stands: a plan
    widens nothing."""
    return replace(scope, filters={**request.filter_conditions, **scope.filters})


def _fused(lists: Sequence[Sequence[RankedPassage]], depth: int) -> Sequence[RankedPassage]:
    passages: dict[PassageId, Passage] = {hit.passage.id: hit.passage for ranking in lists for hit in ranking}
    parts = {hit.passage.id: hit.parts for ranking in reversed(lists) for hit in ranking}
    fused = rrf([[hit.passage.id for hit in ranking] for ranking in lists])
    return [RankedPassage(passages[name], score, parts[name]) for name, score in fused[:depth]]
