"""Ports of meaning: text to vectors, where vectors are kept, and how well a passage fits a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import Passage
    from shisho.domain.embedding import (
        EmbedderAbout,
        Embedding,
        EmbeddingProgress,
        NewEmbedding,
    )


class Embedder(Protocol):
    """Text to vectors. Two methods, because queries and passages carry different prefixes. It computes
    outside the event loop. Raises ModelFailed where a server was asked in vain; ExtraMissing and
    InvalidParams where its files cannot be used."""

    @property
    def about(self) -> EmbedderAbout: ...

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """A vector for each text."""

    async def embed_query(self, text: str) -> Embedding: ...


class Embedders(Protocol):
    """The embedder that is set, and those whose vectors are still there, as far as they can be had."""

    @property
    def current(self) -> Embedder: ...

    def find(self, about: EmbedderAbout) -> Embedder | None:
        """The embedder of this name; None where what its `choice` gives today would make other vectors."""


class EmbeddingStore(Protocol):
    """The vectors of passages by one embedder, beside the shelf. Others' are left alone until every passage
    has one."""

    async def list_pending(self, limit: int) -> Sequence[Passage]:
        """The next live passages without a vector, in the order in which their documents came."""

    async def find_known(self, contents: Sequence[bytes]) -> Mapping[bytes, Embedding]:
        """Vectors of these contents that some passage has already."""

    async def put(self, embeddings: Sequence[NewEmbedding]) -> None:
        """Store vectors in one transaction. A passage that is live no more, or has one
        already, is passed over."""

    async def retire_others(self) -> None:
        """Remove other embedders' vectors, where nothing is pending. Searches no longer use them."""

    async def measure_progress(self) -> EmbeddingProgress: ...


class Reranker(Protocol):
    """Reads a question and a passage together. It computes outside the event loop. Raises ExtraMissing and
    InvalidParams where its files cannot be used."""

    @property
    def name(self) -> str: ...

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text fits the question: more is better, and only comparable within one call."""
