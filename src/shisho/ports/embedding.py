"""Ports of embeddings: embedders, the store of vectors, and rerankers."""

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
    """A model that turns text into vectors, outside the event loop.

    It has two methods because queries and passages get different prefixes.

    Raises: ModelFailed if the server did not answer; ExtraMissing or InvalidParams if the model's files
    cannot be used.
    """

    @property
    def about(self) -> EmbedderAbout: ...

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return one vector per text."""

    async def embed_query(self, text: str) -> Embedding: ...


class Embedders(Protocol):
    """The configured embedder, and the available embedders of vectors that are still stored."""

    @property
    def current(self) -> Embedder: ...

    def find(self, about: EmbedderAbout) -> Embedder | None:
        """Return the embedder of this name, or None if its `choice` would now produce different vectors."""


class EmbeddingStore(Protocol):
    """The vectors of passages by one embedder, stored with the shelf.

    Vectors of other embedders stay until every passage has one of this embedder.
    """

    async def list_pending(self, limit: int) -> Sequence[Passage]:
        """Return the next live passages without a vector.

        In the order in which their documents were added.
        """

    async def find_known(self, contents: Sequence[bytes]) -> Mapping[bytes, Embedding]:
        """Return the vectors that passages with these contents already have."""

    async def put(self, embeddings: Sequence[NewEmbedding]) -> None:
        """Store vectors in one transaction.

        Passages that are no longer live, or have a vector, are skipped.
        """

    async def retire_others(self) -> None:
        """Remove other embedders' vectors if nothing is pending. Searches no longer use them."""

    async def measure_progress(self) -> EmbeddingProgress: ...


class Reranker(Protocol):
    """A model that scores a question and a passage together, outside the event loop.

    Raises: ExtraMissing or InvalidParams if the model's files cannot be used.
    """

    @property
    def name(self) -> str: ...

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Score how well each text fits the question.

        Higher is better; scores are only comparable within one call.
        """
