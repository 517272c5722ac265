"""A server without the extension `vector`: passages are found by words, and it is said what is missing."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest

from shisho.domain.corpus import Scope
from shisho.domain.embedding import Embedding, EmbeddingProgress, NewEmbedding
from shisho.errors import ExtraMissing
from tests.contracts.conftest import PostgresStore, postgres_store
from tests.making import intake
from tests.postgres import has_vectors, shared_server


@pytest.fixture
async def store() -> AsyncIterator[PostgresStore]:
    with shared_server().fresh() as url:
        if has_vectors():
            set_extensions(url, "= '/nowhere'")
        async with postgres_store(url) as made:
            yield made
        if has_vectors():
            set_extensions(url, "= DEFAULT")


def set_extensions(url: str, value: str) -> None:
    """Where the server looks for extensions in this database."""
    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE {name} SET extension_control_path {value}".encode())


async def test_words_find_passages_and_vectors_are_refused_with_a_reason(store: PostgresStore) -> None:
    await store.shelf.put(given := intake("統計の講義。"))
    passage = given.passages[0]
    found = await store.index.view(lambda view: view.propose(["統計"], (), Scope(), 5, frozenset()))
    assert list(found) == [passage.id]
    with pytest.raises(ExtraMissing, match="pgvector"):
        await store.embeddings.put([NewEmbedding(passage.id, b"hash", Embedding(b"\0" * 8))])
    assert await store.embeddings.measure_progress() == EmbeddingProgress(0, 1)
    assert len(await store.embeddings.list_pending(5)) == 1
    assert await store.embeddings.find_known([b"hash"]) == {}
    await store.index.catch_up()
    near = await store.index.view(
        lambda view: (view.serving, view.find_nearest(Embedding(b"\0" * 8), Scope(), 5, frozenset()))
    )
    assert near == (None, {})
