"""Near-duplicates: MinHash bands find candidates, the Jaccard likeness of character 4-grams decides (at least
.8).

Bands are a passage's own and never change, so that a shelf can look them up when the next document comes in.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace

from shisho.domain.corpus import Passage, PassageId
from shisho.language.terms import fold, squeeze

ALIKE = 0.8
GRAM = 4
# 12 bands of 5 rows: passages of likeness .8 share a band in 99 cases of 100, of likeness .4 in 12.
BANDS = 12
ROWS = 5
SEED = 20


def bands(text: str) -> tuple[int, ...]:
    """The keys by which a shelf finds near-duplicates: signed 64-bit numbers. Two texts that share one
    may be alike."""
    from rensa import RMinHash

    sketch = RMinHash(num_perm=BANDS * ROWS, seed=SEED)
    sketch.update(_gram_list(text))  # a gram that stands twice changes no minimum
    digest = sketch.digest()
    return tuple(_band(at, digest[at * ROWS : (at + 1) * ROWS]) for at in range(BANDS))


def likeness(a: str, b: str) -> float:
    """Jaccard likeness of two texts' character 4-grams, 0 to 1; spaces, width and case do not count."""
    return _jaccard(_grams(a), _grams(b))


def join(passages: Sequence[Passage], akin: Sequence[Passage]) -> tuple[Passage, ...]:
    """`passages` in order, each in the cluster of the most alike among `akin` and those before it, else in
    its own."""
    sharing: dict[int, tuple[Passage, ...]] = {}
    for earlier in akin:
        _enter(earlier, sharing)
    joined = []
    for passage in passages:
        near = {other.id: other for band in passage.bands for other in sharing.get(band, ())}
        alike, likest = _likest(passage, near)
        if likest is not None and alike >= ALIKE:
            passage = replace(passage, cluster=likest.cluster)
        joined.append(passage)
        _enter(passage, sharing)
    return tuple(joined)


def _likest(passage: Passage, near: Mapping[PassageId, Passage]) -> tuple[float, Passage | None]:
    # Grams are made anew for the few that share a band: of all passages of a long document they fill the
    # memory.
    grams = _grams(passage.text) if near else set()
    scored = ((_jaccard(grams, _grams(other.text)), other) for other in near.values())
    return max(scored, key=lambda pair: pair[0], default=(0.0, None))


def _enter(passage: Passage, sharing: dict[int, tuple[Passage, ...]]) -> None:
    """The first and the latest of each band: a line that stands on every page must not slow the page after
    it."""
    for band in passage.bands:
        sharing[band] = (*sharing.get(band, ())[:1], passage)


def _grams(text: str) -> set[str]:
    return set(_gram_list(text))


def _gram_list(text: str) -> list[str]:
    plain = squeeze(fold(text))
    return [plain[at : at + GRAM] for at in range(len(plain) - GRAM + 1)] or [plain]


def _jaccard(a: set[str], b: set[str]) -> float:
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)


def _band(at: int, rows: Sequence[int]) -> int:
    packed = struct.pack(f"<{1 + len(rows)}Q", at, *rows)
    return int.from_bytes(hashlib.blake2b(packed, digest_size=8).digest(), signed=True)
