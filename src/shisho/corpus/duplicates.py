"""Near-duplicates.

MinHash bands find candidates, and the Jaccard similarity of character 4-grams decides (at least .8). Bands
depend on the passage alone and never change, so a store can look them up when the next document arrives.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from shisho.domain.corpus import Passage, PassageId
from shisho.language.terms import fold

ALIKE = 0.8
GRAM = 4
# 12 bands of 5 rows: passages of similarity .8 share a band in 99 cases of 100, of similarity .4 in 12.
BANDS = 12
ROWS = 5
SEED = 20
_SKETCH = struct.Struct(f"<{BANDS * ROWS}I")
_BAND_BYTES = _SKETCH.size // BANDS
_PRIME = 2**61 - 1  # the remainder of a band, which is random, identifies it well
_GRAM_BYTES = 2 * GRAM


def compute_bands(text: str) -> tuple[int, ...]:
    """Return the lookup keys for near-duplicates: numbers below 2**61.

    Two texts that share one may be near-duplicates.
    """
    from rensa import RMinHash

    grams = _encode_grams(text)  # repeated grams do not change a minimum
    sketches = RMinHash.digest_matrix_from_flat_token_hashes(grams, (0, len(grams)), BANDS * ROWS, SEED)
    packed = _SKETCH.pack(*sketches.to_rows()[0])
    return tuple(
        int.from_bytes(packed[at : at + _BAND_BYTES]) % _PRIME for at in range(0, _SKETCH.size, _BAND_BYTES)
    )


def join(passages: Sequence[Passage], akin: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return `passages` in order, with the clusters of their near-duplicates.

    Each joins the cluster of the most similar passage among `akin` and those before it, else it keeps its
    own.
    """
    counts = Counter(band for passage in (*akin, *passages) for band in passage.bands)
    sharing: dict[int, tuple[Passage, ...]] = {band: () for band, count in counts.items() if count > 1}
    for earlier in akin:
        _enter(earlier, sharing)
    joined = []
    for passage in passages:
        near = {other.id: other for band in passage.bands for other in sharing.get(band, ())}
        alike, likest = _find_most_similar(passage, near)
        if likest is not None and alike >= ALIKE:
            passage = replace(passage, cluster=likest.cluster)
        joined.append(passage)
        _enter(passage, sharing)
    return tuple(joined)


def _find_most_similar(passage: Passage, near: Mapping[PassageId, Passage]) -> tuple[float, Passage | None]:
    # Grams are recomputed for the few passages that share a band: those of all passages of a long document
    # would fill the memory.
    grams = _split_grams(passage.text) if near else set()
    scored = ((_measure_jaccard(grams, _split_grams(other.text)), other) for other in near.values())
    return max(scored, key=lambda pair: pair[0], default=(0.0, None))


def _enter(passage: Passage, sharing: dict[int, tuple[Passage, ...]]) -> None:
    """Add a passage to its bands, keeping the first and the latest of each.

    A line repeated on every page must not slow down the following pages.
    """
    for band in passage.bands:
        if band in sharing:
            sharing[band] = (*sharing[band][:1], passage)


def _split_grams(text: str) -> set[int]:
    return set(_encode_grams(text))


def _encode_grams(text: str) -> memoryview[int]:
    """Return the 4-grams, unordered, each as the number formed by its UTF-16 units.

    Spaces, width and case are ignored. No gram becomes an object of its own.
    """
    plain = "".join(fold(text).split()).ljust(GRAM, "\0").encode("utf-16-le")
    whole = [plain[at : len(plain) - (len(plain) - at) % _GRAM_BYTES] for at in range(0, _GRAM_BYTES, 2)]
    return memoryview(b"".join(whole)).cast("Q")


def _measure_jaccard(a: set[int], b: set[int]) -> float:
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)
