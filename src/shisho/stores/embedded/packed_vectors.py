"""Vectors as they are stored: 12 bits per component, after the value of a step as a float.

They rank as halves do: of the 50 nearest among clustered vectors, .996 to all are the same. With eight bits,
.95 are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shisho.domain.embedding import Embedding

STEPS = 2_047  # of a component on each side of zero
MIDDLE = 2_048  # the code of zero
SCALE = np.dtype("<f4")
HALF = np.dtype("<f2")


def pack_vectors(vectors: Sequence[Embedding]) -> list[bytes]:
    """Pack vectors of one length."""
    if not vectors:
        return []
    floats = np.frombuffer(b"".join(vectors), HALF).reshape(len(vectors), -1).astype(np.float32)
    largest = np.abs(floats).max(axis=1, keepdims=True, initial=0)
    scales = (np.where(largest, largest, 1) / STEPS).astype(SCALE)
    width = floats.shape[1]
    codes = np.zeros((len(vectors), width + width % 2), np.uint16)
    codes[:, :width] = np.rint(floats / scales) + MIDDLE
    first = codes[:, 0::2]
    second = codes[:, 1::2]
    packed = np.stack([first >> 4, (first & 15) << 4 | second >> 8, second & 255], axis=-1).astype(np.uint8)
    used = width + (width + 1) // 2  # an odd last component takes two bytes
    rows = packed.reshape(len(vectors), -1)[:, :used]
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, rows, strict=True)]


def unpack_vectors(packed: Sequence[bytes]) -> NDArray[np.float16]:
    """Return packed vectors of one length as halves, one row each; there must be one at least."""
    rows = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), -1)
    scales = np.ascontiguousarray(rows[:, : SCALE.itemsize]).view(SCALE)
    used = rows.shape[1] - SCALE.itemsize
    triples = np.zeros((len(packed), -(-used // 3) * 3), np.uint16)
    triples[:, :used] = rows[:, SCALE.itemsize :]
    codes = np.empty((len(packed), triples.shape[1] // 3 * 2), np.float32)
    codes[:, 0::2] = triples[:, 0::3] << 4 | triples[:, 1::3] >> 4
    codes[:, 1::2] = (triples[:, 1::3] & 15) << 8 | triples[:, 2::3]
    halves: NDArray[np.float16] = ((codes[:, : used * 2 // 3] - MIDDLE) * scales).astype(HALF)
    return halves


def pack_vector(vector: bytes) -> bytes:
    """Pack one vector: a function of schema scripts."""
    return pack_vectors([Embedding(vector)])[0]


def unpack_vector(packed: bytes) -> Embedding:
    """Unpack one vector."""
    return Embedding(unpack_vectors([packed]).tobytes())
