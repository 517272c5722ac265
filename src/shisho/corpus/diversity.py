"""Diversification of a ranking.

Maximal marginal relevance (Carbonell and Goldstein, 1998), with documents taking turns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from shisho.domain.corpus import Passage, PassageId, RankedPassage
from shisho.domain.embedding import Embedding
from shisho.language.terms import make_pairs, make_terms

# numpy is imported on use, because most libraries never need diversification.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RELEVANCE = 0.7  # λ
PER_DOCUMENT = 3  # passages of one document before other documents get their turn
_SPACE = ord(" ")
_SET_BITS = 64  # number of bits of a set that are compared at once
_PLACE_BITS = 16
_MAX_PLACES = 1 << _PLACE_BITS

Likeness = Callable[[int], "NDArray[np.float64]"]
"""A function from a place in a ranking to its similarities with all places, 0 to 1."""


def spread(ranking: Sequence[RankedPassage], k: int, likeness: Likeness) -> list[RankedPassage]:
    """Return k of the ranking in order of choice: each the best among the least similar."""
    import numpy as np

    top = max((hit.score for hit in ranking), default=0.0) or 1.0
    relevance = RELEVANCE * np.array([hit.score for hit in ranking]) / top
    nearest = np.zeros(len(ranking))
    documents = [hit.passage.document_id for hit in ranking]
    taken = dict.fromkeys(documents, 0)
    remaining = list(range(len(ranking)))
    hits: list[RankedPassage] = []
    turn = PER_DOCUMENT
    while remaining and len(hits) < k:
        free = [at for at in remaining if taken[documents[at]] < turn]
        if not free:
            turn += PER_DOCUMENT
            continue
        worth = relevance - (1 - RELEVANCE) * nearest
        best = free[int(worth[free].argmax())]
        remaining.remove(best)
        hits.append(ranking[best])
        taken[documents[best]] += 1
        nearest = np.maximum(nearest, likeness(best))
    return hits


def compare_by_meaning(
    passages: Sequence[Passage], embeddings: Mapping[PassageId, Embedding], by_words: Likeness
) -> Likeness:
    """Return a similarity that also recognises paraphrases.

    It is the maximum of the similarity by words and that of the vectors, if both passages have one. The
    latter is scaled: 0 for a usual pair of these passages, 1 for equal vectors, because some encoders'
    cosines lie closer together than others'.
    """
    import numpy as np

    places = [place for place, passage in enumerate(passages) if passage.id in embeddings]
    row_of = {place: row for row, place in enumerate(places)}
    data = b"".join(embeddings[passages[place].id] for place in places)
    vectors = np.frombuffer(data, "<f2").astype(np.float32).reshape(len(places), -1)
    cosines = vectors @ vectors.T
    # Pairs of different passages; the diagonal is all 1.
    usual = (float(cosines.sum()) - len(places)) / max(1, len(places) * (len(places) - 1))
    scaled = np.clip((cosines - usual) / max(1 - usual, 1e-6), 0.0, 1.0)

    def find_most_similar(place: int) -> NDArray[np.float64]:
        likeness = by_words(place)
        if place in row_of:
            likeness[places] = np.maximum(likeness[places], scaled[row_of[place]])
        return likeness

    return find_most_similar


def compare_by_pairs(passages: Sequence[Passage]) -> Likeness:
    """Return the Jaccard similarity of character pairs, over sets stored as bits.

    It is exact, and fast enough for all pairs of 200 passages. Texts in Latin letters have no pairs and are
    compared by their terms.
    """
    import numpy as np

    entries = np.sort(_list_entries(passages))  # all entries of a word are adjacent, whatever their passages
    words = entries >> np.uint64(_PLACE_BITS)
    columns = np.cumsum(np.diff(words, prepend=words[:1]) != 0)
    width = -(-(int(columns[-1]) + 1) // _SET_BITS) * _SET_BITS if len(columns) else 0
    present = np.zeros((len(passages), width), np.bool_)
    present[entries & np.uint64(_MAX_PLACES - 1), columns] = True
    sets = np.packbits(present, axis=1).view(np.uint64)
    sizes = np.bitwise_count(sets).sum(axis=1, dtype=np.int64)

    def measure_jaccard(place: int) -> NDArray[np.float64]:
        shared = np.bitwise_count(sets & sets[place]).sum(axis=1, dtype=np.int64)
        likeness: NDArray[np.float64] = shared / np.maximum(sizes + sizes[place] - shared, 1)
        return likeness

    return measure_jaccard


def _list_entries(passages: Sequence[Passage]) -> NDArray[np.uint64]:
    """Return every word of every passage, unordered.

    An entry is the code of the word (equal for equal words), with the place of the passage in its lowest
    bits.
    """
    import numpy as np

    if len(passages) > _MAX_PLACES:
        raise ValueError(f"{len(passages)} passages are too many to compare every two of them")
    pairs = [make_pairs(passage.text) for passage in passages]
    paired = [place for place, words in enumerate(pairs) if words]
    others = [place for place, words in enumerate(pairs) if not words]
    codes = _WordCodes()
    terms = [make_terms(passages[place].text) for place in others]
    counts = [*(pairs[place].count(" ") + 1 for place in paired), *map(len, terms)]
    term_codes = np.array([codes[word] for words in terms for word in words], np.uint64)
    pair_codes = _encode_pairs([pairs[place] for place in paired])
    places = np.repeat(np.array([*paired, *others], np.uint64), np.array(counts, np.int64))
    all_codes = np.concatenate((pair_codes, term_codes), dtype=np.uint64)
    entries: NDArray[np.uint64] = np.left_shift(all_codes, _PLACE_BITS) | places
    return entries


def _encode_pairs(texts: Sequence[str]) -> NDArray[np.uint32]:
    """Return the codes of pairs and single characters as made by `language.terms.list_graphs`.

    A code is the word's one or two UTF-16 units; for longer words (𠮷野), the first and the last.
    """
    import numpy as np

    units = np.frombuffer("".join(f"{text} " for text in texts).encode("utf-16-le"), "<u2")
    ends = np.flatnonzero(units == _SPACE)
    sizes = np.diff(ends, prepend=-1) - 1
    firsts = units.take(ends - sizes).astype(np.uint32)
    seconds = units.take(ends - 1) * (sizes > 1)
    codes: NDArray[np.uint32] = firsts << np.uint32(16) | seconds
    return codes


class _WordCodes(dict[str, int]):
    """Codes of words of any length. Short words have the code of `_code_pairs`."""

    def __missing__(self, word: str) -> int:
        units = word.encode("utf-16-be", "surrogatepass")
        code = int.from_bytes(units.ljust(4, b"\0")) if len(units) <= 4 else (1 << 32) + len(self)
        self[word] = code
        return code
