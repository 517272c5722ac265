"""Embeddings: unit vectors of passages and queries, close for texts of similar meaning."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import NewType

from shisho.records import dataclass

Embedding = NewType("Embedding", bytes)
"""A vector of unit length: half-precision floats, little-endian, as stored."""


@dataclass(frozen=True, slots=True)
class WordShare:
    """The weight of words relative to meaning, by the language of the query.

    It belongs to an embedder: some embedders' cosines lie closer together than others'.
    """

    japanese: float = 0.002
    english: float = 0.01


@dataclass(frozen=True, slots=True)
class EmbedderAbout:
    """An embedder as recorded with its vectors.

    `name` changes whenever the same text would get another vector. `choice`: the value of the setting that
    selects this embedder again. `meaning_floor`: the cosine from which a passage with too few of the query's
    words is relevant. `related_floor`: the cosine from which two texts are about the same thing; None if it
    was not measured. `train/fit_relatedness.py` fits it.
    """

    name: str
    choice: str = ""
    share: WordShare = WordShare()
    # With the Universal Sentence Encoder, on questions with a wording gap, this keeps 79 % of the relevant
    # and 47 % of the other such passages among the first ten.
    meaning_floor: float = 0.3
    related_floor: float | None = None


@dataclass(frozen=True, slots=True)
class CalibrationTarget:
    """The configured embedder, and the place of its word share.

    `home` stores the share; `options` are the settings that give it to another home.
    """

    about: EmbedderAbout
    home: Path
    options: Mapping[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """The number of live passages that have a vector."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class NewEmbedding:
    """A vector to store. `content`: hash of the embedded text, which finds equal text."""

    passage_id: str
    content: bytes
    vector: Embedding


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A complete model on this machine: its size in bytes, and its download address."""

    name: str
    size: int
    source: str


def compute_cosine(first: Embedding, second: Embedding) -> float:
    """Return the cosine of two vectors of equal length."""
    return sum(left * right for left, right in zip(unpack_floats(first), unpack_floats(second), strict=True))


def unpack_floats(vector: Embedding) -> tuple[float, ...]:
    """Return the numbers of a vector."""
    return struct.unpack(f"<{len(vector) // 2}e", vector)
