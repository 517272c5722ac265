"""Embeddings: passages and queries as directions, near where meanings are near."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NewType

Embedding = NewType("Embedding", bytes)
"""A vector of unit length: half-precision floats, little-endian, as it is stored."""


@dataclass(frozen=True, slots=True)
class WordShare:
    """How much words count beside meaning, by the language of the query. It belongs to an embedder, as
    cosines of one lie closer together than those of another."""

    japanese: float = 0.002
    english: float = 0.01


@dataclass(frozen=True, slots=True)
class EmbedderAbout:
    """An embedder as vectors remember it: `name` changes whenever the same text would get another vector;
    `choice` is the value of the setting that gives this embedder again. `meaning_floor`: the cosine from
    which a passage is relevant that has too little of the query's words."""

    name: str
    choice: str = ""
    share: WordShare = WordShare()
    # With the Universal Sentence Encoder, on questions with a wording gap, it keeps of such passages among
    # the first ten 79 % of the relevant ones and 47 % of the others.
    meaning_floor: float = 0.3


@dataclass(frozen=True, slots=True)
class CalibrationTarget:
    """The embedder that is set, the home that keeps its share, and the settings by which another home has
    it."""

    about: EmbedderAbout
    home: Path
    options: Mapping[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """How many of the live passages have a vector."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class NewEmbedding:
    """A vector to be stored. `content`: hash of the text that it was made of, by which equal text is
    known."""

    passage_id: str
    content: bytes
    vector: Embedding


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model that stands on this machine whole: its size in bytes, and the address that it came from."""

    name: str
    size: int
    source: str


def cosine(first: Embedding, second: Embedding) -> float:
    """The cosine of two vectors of equal length."""
    return sum(left * right for left, right in zip(floats(first), floats(second), strict=True))


def floats(vector: Embedding) -> tuple[float, ...]:
    """The numbers of a vector."""
    return struct.unpack(f"<{len(vector) // 2}e", vector)
