"""A process that gives passages vectors and brings the index of vectors up to date, for tests that kill it.

Run as `python -m tests.faults.embedding_process HOME`. It prints how many passages have a vector after each
batch."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from shisho.corpus.embedding import PassageEmbedding
from shisho.domain.corpus import Scope
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.inference.embedding import normalise_rows
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.embeddings import EmbeddedEmbeddings
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.serving import ServingIndex

ABOUT = EmbedderAbout("lengths 1")
BATCH = 8


class LengthEmbedder:
    """A vector that says which text it was made of: passages of the test have a number in them."""

    about = ABOUT

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        return normalise_rows([[float(text.rstrip("。")), 1.0, 0.0, 0.0] for text in texts], ABOUT.name)

    async def embed_query(self, text: str) -> Embedding:
        return (await self.embed_passages([text]))[0]


def parts(home: Path) -> tuple[Database, PassageEmbedding, LexicalIndex]:
    """The database of a home, what makes vectors, and the indexes."""
    database = Database(home / "shisho.db")
    embedding = PassageEmbedding(EmbeddedEmbeddings(database, ABOUT), LengthEmbedder())
    index = LexicalIndex(home / "lexical", database, ServingIndex(home / "vectors", database, ABOUT))
    return database, embedding, index


async def main(home: Path) -> None:
    _, embedding, index = parts(home)
    vector = await embedding.embedder.embed_query("1")
    while await embedding.embed_next(BATCH):
        await index.view(
            lambda view: view.find_nearest(vector, Scope(), 1, frozenset())
        )  # which takes the new ones in
        print((await embedding.measure_progress()).done, flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
