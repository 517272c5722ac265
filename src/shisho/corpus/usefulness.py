"""The usefulness of a visited page.

A page is useful if it has a passage that answers the query and that no useful page has had before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from shisho.corpus.rank import Statistics, match
from shisho.corpus.retrieve import AskTerms, read_statistics
from shisho.domain.corpus import DocumentId, Passage, PassageId, Scope, TermVector
from shisho.language.normalise import fold_with_map
from shisho.language.terms import TermQuery
from shisho.ports import Index, Shelf
from shisho.records import dataclass

# The least share of the query's idf that one passage must have. Measured with 650 questions of each set and a
# shelf that held the 50 best passages of the question: the share of pages with such a passage among the
# relevant ones, among those that rank 11th to 40th behind them, and among any others.
#
#   floor     NIILC              JSQuAD             JaQuAD            mean
#    .40   .80  .36  .08     .99  .02  .03     .97  .20  .04     .92  .19  .05
#    .50   .67  .17  .04     .97  .00  .01     .93  .07  .01     .86  .08  .02
#    .60   .50  .08  .01     .95  .00  .01     .84  .02  .00     .76  .03  .01
#    .65   .44  .05  .01     .94  .00  .00     .79  .01  .00     .72  .02  .01
#
# Paging forgives what is missed, for a page of results that pays has several relevant ones; but a single
# false alarm among ten visits hides that it was barren: at .50 that befalls half of the barren pages, at .60
# a quarter.
FLOOR = 0.6
# On a shelf of little but pages on the query's subject the subject's own words are worth nothing. So many
# more passages are counted, none with any of its words, and one floor suits a bare shelf, such a one and a
# large one. Without them, of such a shelf: NIILC .53 and .04 any others, JaQuAD .78 of the relevant pages,
# Cranfield .17 (with them: .50 and .01, .84, .35).
ELSEWHERE = 10_000


@dataclass(frozen=True, slots=True)
class UsefulContent:
    """The reasons why a page is useful.

    `clusters`: those of its passages that reach the floor. `match`: the best match.
    """

    clusters: frozenset[str]
    match: float


@dataclass(frozen=True, slots=True)
class Usefulness:
    """The judge of new documents; the index need not contain them yet."""

    shelf: Shelf
    index: Index
    query: AskTerms
    floor: float = FLOOR

    async def find(self, text: str, document_id: DocumentId) -> UsefulContent | None:
        """Return what makes this document useful for the query `text`; None if nothing does."""
        query = await asyncio.to_thread(lambda: self.query([fold_with_map(text).text]))
        passages = await self.shelf.list_passages_of(document_id)
        pairs = () if query.terms else query.bigrams
        documents = await self.shelf.fetch_documents([document_id])
        if document_id not in documents:
            return None
        scope = Scope(documents[document_id].owner)
        names = [passage.id for passage in passages]
        statistics, vectors = await self.index.view(
            lambda view: (read_statistics(view, query.terms, pairs, scope), view.read_vectors(names)),
            current=False,
        )
        statistics = replace(statistics, passages=statistics.passages + ELSEWHERE)
        return await asyncio.to_thread(judge_usefulness, query, passages, vectors, statistics, self.floor)


def judge_usefulness(
    query: TermQuery,
    passages: Sequence[Passage],
    vectors: Mapping[PassageId, TermVector],
    statistics: Statistics,
    floor: float = FLOOR,
) -> UsefulContent | None:
    """Return None if no passage reaches the floor."""
    matches = [
        (match(query, passage, vectors.get(passage.id), statistics), passage.cluster) for passage in passages
    ]
    clusters = frozenset(cluster for share, cluster in matches if share >= floor)
    return UsefulContent(clusters, max(matches)[0]) if clusters else None
