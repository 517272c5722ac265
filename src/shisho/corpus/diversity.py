"""Spreading a ranking out: maximal marginal relevance (Carbonell and Goldstein, 1998), documents taking
turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shisho.domain.corpus import Passage, RankedPassage

RELEVANCE = 0.7  # λ
PER_DOCUMENT = 3  # passages of one document before others had their turn

Likeness = Callable[[int, int], float]


def spread(ranking: Sequence[RankedPassage], k: int, likeness: Likeness | None = None) -> list[RankedPassage]:
    """k of the ranking, in order of choice: each the best that is least like those chosen before.

    `likeness(i, j)` compares two places of the ranking, 0 to 1 (cosine of vectors, say); by default the
    Jaccard likeness of their character pairs."""
    likeness = likeness or _by_pairs([hit.passage for hit in ranking])
    top = max((hit.score for hit in ranking), default=0.0) or 1.0
    nearest = [0.0] * len(ranking)
    taken: dict[str, int] = {}
    remaining = list(range(len(ranking)))
    hits: list[RankedPassage] = []
    turn = PER_DOCUMENT
    while remaining and len(hits) < k:
        free = [at for at in remaining if taken.get(ranking[at].passage.document_id, 0) < turn]
        if not free:
            turn += PER_DOCUMENT
            continue
        best = max(free, key=lambda at: RELEVANCE * ranking[at].score / top - (1 - RELEVANCE) * nearest[at])
        remaining.remove(best)
        hits.append(ranking[best])
        document = ranking[best].passage.document_id
        taken[document] = taken.get(document, 0) + 1
        for at in remaining:
            nearest[at] = max(nearest[at], likeness(best, at))
    return hits


def _by_pairs(passages: Sequence[Passage]) -> Likeness:
    """Jaccard likeness over sets kept as bits of whole numbers: exact, and quick enough for every two of 200
    passages."""
    places: dict[str, int] = {}
    masks = []
    for passage in passages:
        mask = 0
        # A text without kanji and katakana has no pairs.
        for word in set((passage.bigrams or passage.terms).split()):
            mask |= 1 << places.setdefault(word, len(places))
        masks.append(mask)
    sizes = [mask.bit_count() for mask in masks]

    def jaccard(a: int, b: int) -> float:
        shared = (masks[a] & masks[b]).bit_count()
        return shared / ((sizes[a] + sizes[b] - shared) or 1)

    return jaccard
