"""Embedding of passages, batch by batch.

Finished batches are stored, so it can stop anywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from shisho.domain.corpus import Passage
from shisho.domain.embedding import EmbeddingProgress, NewEmbedding
from shisho.ports import Embedder, EmbeddingStore
from shisho.records import dataclass
from shisho.telemetry import span

BATCH = 32  # passages: about a second of work, which is what a killed process loses


@dataclass(frozen=True, slots=True)
class PassageEmbedding:
    """The computation of missing vectors."""

    store: EmbeddingStore
    embedder: Embedder

    async def embed_next(self, most: int = BATCH) -> int:
        """Embed up to `most` passages. Return their number, 0 if none was left."""
        passages = await self.store.list_pending(most)
        if passages:
            with span("embed", passages=len(passages)):
                await self.store.put(await self._embed(passages))
        else:
            await self.store.remove_other_vectors()
        return len(passages)

    async def measure_progress(self) -> EmbeddingProgress:
        """Return the progress of the embedding."""
        return await self.store.measure_progress()

    async def _embed(self, passages: Sequence[Passage]) -> list[NewEmbedding]:
        texts = {hash_content(text): text for text in map(format_for_embedding, passages)}
        vectors = dict(await self.store.find_known([*texts]))
        fresh = [content for content in texts if content not in vectors]
        vectors |= zip(fresh, await self.embedder.embed_passages([texts[key] for key in fresh]), strict=True)
        contents = [hash_content(format_for_embedding(passage)) for passage in passages]
        return [
            NewEmbedding(passage.id, content, vectors[content])
            for passage, content in zip(passages, contents, strict=True)
        ]


def format_for_embedding(passage: Passage) -> str:
    """Return a passage as embedders read it: under its heading."""
    return f"{passage.heading}\n{passage.text}" if passage.heading else passage.text


def hash_content(text: str) -> bytes:
    """Return 16 bytes that identify equal text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
