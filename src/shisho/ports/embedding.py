"""Ports of meaning: text to vectors, and where vectors are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import Passage
    from shisho.domain.embedding import EmbedderAbout, Embedding, EmbeddingProgress, NewEmbedding


class Embedder(Protocol):
    """Text to vectors. Two methods, because queries and passages carry different prefixes. It computes outside
    the event loop, and reaches no network."""

    @property
    def about(self) -> EmbedderAbout: ...

    async def passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """A vector for each text."""

    async def query(self, text: str) -> Embedding: ...


class EmbeddingStore(Protocol):
    """The vectors of passages by one embedder, beside the shelf. Other embedders' are left alone."""

    async def pending(self, limit: int) -> Sequence[Passage]:
        """The next live passages without a vector, in the order in which their documents came."""

    async def known(self, contents: Sequence[bytes]) -> Mapping[bytes, Embedding]:
        """Vectors of these contents that some passage has already."""

    async def put(self, embeddings: Sequence[NewEmbedding]) -> None:
        """Store vectors in one transaction. A passage that is live no more, or has one
        already, is passed over."""

    async def progress(self) -> EmbeddingProgress: ...
