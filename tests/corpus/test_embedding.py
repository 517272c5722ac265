"""Passages get their vectors once, however often their text comes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shisho.corpus.embedding import PassageEmbedding
from shisho.domain.embedding import Embedding, EmbeddingProgress
from shisho.inference.universal import UniversalEmbedder
from tests.contracts.conftest import embedded_store
from tests.making import intake


class CountedEmbedder(UniversalEmbedder):
    """The real one, and how many texts it was given."""

    count = 0

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        self.count += len(texts)
        return await super().embed_passages(texts)


async def test_equal_text_is_embedded_once(tmp_path: Path) -> None:
    async with embedded_store(tmp_path / "store") as store:
        embedder = CountedEmbedder()
        embedding = PassageEmbedding(store.embeddings, embedder)
        await store.shelf.put(intake("同じ文。\n\n変わる文。\n\n同じ文。"))
        assert await embedding.embed_next() == 3
        assert embedder.count == 2
        await store.shelf.put(intake("同じ文。\n\n変わった文。\n\n同じ文。"))
        while await embedding.embed_next(2):
            pass
        assert embedder.count == 3
        assert await embedding.measure_progress() == EmbeddingProgress(3, 3)


async def test_heading_is_read_with_the_text(tmp_path: Path) -> None:
    async with embedded_store(tmp_path / "store") as store:
        embedder = CountedEmbedder()
        await store.shelf.put(intake("手順。", title="返却", corpus="a"))
        await store.shelf.put(intake("手順。", title="購入", corpus="b"))
        assert await PassageEmbedding(store.embeddings, embedder).embed_next() == 2
        assert embedder.count == 2
