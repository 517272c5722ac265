"""Reranking of the best passages. Neither the set of results nor the quotable text changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shisho.domain.corpus import RankedPassage
from shisho.errors import ShishoError
from shisho.messages.message import Message
from shisho.ports import Reranker
from shisho.telemetry import log, span

RERANKED = 20


async def rerank(reranker: Reranker, question: str, ranking: Sequence[RankedPassage]) -> list[RankedPassage]:
    """Return the ranking with its first twenty reranked; unchanged if the reranker fails."""
    best = ranking[:RERANKED]
    texts = [f"{hit.passage.heading}\n{hit.passage.text}".strip() for hit in best]
    try:
        with span("rerank", passages=len(best)):
            scores = await reranker.score(question, texts)
    except ShishoError as error:
        log.warning(Message("search.without_reranker", why=error.message))
        return list(ranking)
    return [*reorder(best, scores), *ranking[RERANKED:]]


def reorder(ranking: Sequence[RankedPassage], scores: Sequence[float]) -> list[RankedPassage]:
    """Return the ranking ordered by these scores; ties keep their order.

    Each passage takes the score of its new place, so that it compares with those that were not reranked; its
    own score is the part `reranked`.
    """
    order = sorted(range(len(ranking)), key=lambda place: -scores[place])
    return [
        replace(ranking[old], score=hit.score, parts={**ranking[old].parts, "reranked": scores[old]})
        for hit, old in zip(ranking, order, strict=True)
    ]
