"""Spreading a ranking out: maximal marginal relevance (Carbonell and Goldstein, 1998), documents taking
turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shisho.domain.corpus import Passage, PassageId, RankedPassage
from shisho.domain.embedding import Embedding

RELEVANCE = 0.7  # λ
PER_DOCUMENT = 3  # passages of one document before others had their turn

Likeness = Callable[[int, int], float]


def spread(ranking: Sequence[RankedPassage], k: int, likeness: Likeness) -> list[RankedPassage]:
    """k of the ranking, in order of choice: each the best that is least like those chosen before.

    `likeness(i, j)` compares two places of the ranking, 0 to 1."""
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


def compare_by_meaning(
    passages: Sequence[Passage], embeddings: Mapping[PassageId, Embedding], by_words: Likeness
) -> Likeness:
    """What is alike in other words too: the greater of the likeness by words and that of the vectors, where
    both passages have one. 0 for two that are as near as two of these usually are, 1 for the same: cosines of
    one encoder lie closer together than those of another."""
    import numpy as np  # here, as most libraries are never spread out

    places = [place for place, passage in enumerate(passages) if passage.id in embeddings]
    row_of = {place: row for row, place in enumerate(places)}
    data = b"".join(embeddings[passages[place].id] for place in places)
    vectors = np.frombuffer(data, "<f2").astype(np.float32).reshape(len(places), -1)
    cosines = vectors @ vectors.T
    # Of two that are not one: those on the diagonal are all 1.
    usual = (float(cosines.sum()) - len(places)) / max(1, len(places) * (len(places) - 1))
    scaled: list[list[float]] = np.clip((cosines - usual) / max(1 - usual, 1e-6), 0.0, 1.0).tolist()

    def likest(a: int, b: int) -> float:
        if a in row_of and b in row_of:
            return max(by_words(a, b), scaled[row_of[a]][row_of[b]])
        return by_words(a, b)

    return likest


def compare_by_pairs(passages: Sequence[Passage]) -> Likeness:
    """Jaccard likeness of character pairs, over sets kept as bits of whole numbers: exact, and quick enough
    for every two of 200 passages."""
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
