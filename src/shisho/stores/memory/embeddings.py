"""Vectors of passages that are forgotten with the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.corpus import Passage, PassageId
from shisho.domain.embedding import EmbedderAbout, Embedding, EmbeddingProgress, NewEmbedding
from shisho.stores.memory.shelf import MemoryShelf


class MemoryEmbeddings:
    """`ports.EmbeddingStore` in a dictionary, beside a shelf."""

    def __init__(self, shelf: MemoryShelf, about: EmbedderAbout) -> None:
        self.about = about
        self._shelf = shelf
        self._stored: dict[PassageId, NewEmbedding] = {}

    async def list_pending(self, limit: int) -> Sequence[Passage]:
        return [passage for passage in self._shelf.list_searchable() if passage.id not in self._stored][
            :limit
        ]

    async def find_known(self, contents: Sequence[bytes]) -> Mapping[bytes, Embedding]:
        return {new.content: new.vector for new in self._stored.values() if new.content in contents}

    async def put(self, embeddings: Sequence[NewEmbedding]) -> None:
        live = {passage.id for passage in self._shelf.list_searchable()}
        for new in embeddings:
            if new.passage_id in live:
                self._stored.setdefault(PassageId(new.passage_id), new)

    async def retire_others(self) -> None:
        """There are none."""

    async def measure_progress(self) -> EmbeddingProgress:
        passages = self._shelf.list_searchable()
        return EmbeddingProgress(sum(passage.id in self._stored for passage in passages), len(passages))

    def vectors(self) -> Mapping[PassageId, Embedding]:
        """The vectors of live passages."""
        live = {passage.id for passage in self._shelf.list_searchable()}
        return {name: new.vector for name, new in self._stored.items() if name in live}
