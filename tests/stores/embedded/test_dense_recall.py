"""The index of vectors names what exact search with floats does, at widths that encoders have: wide vectors
are computed in another way than those of a few numbers."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import Embedding, NewEmbedding
from shisho.ports import SearchView
from tests.contracts.conftest import embedded_store
from tests.making import intake

EACH = 400  # passages of a document
NEAREST = 50


@pytest.mark.parametrize("width", [256, 384])
async def test_recall_is_whole_with_no_filter_with_a_filter_and_with_much_seen(
    tmp_path: Path, width: int
) -> None:
    random = np.random.default_rng(width)
    centres = random.normal(size=(40, width))

    def near_centres(count: int) -> np.ndarray:
        rows = centres[random.integers(0, 40, count)] + random.normal(size=(count, width))
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)

    ids: list[PassageId] = []
    vectors = near_centres(5 * EACH)
    async with embedded_store(tmp_path) as store:
        for number in range(5):
            text = "\n\n".join(f"{number}-{ordinal}" for ordinal in range(EACH))
            document = intake(text, source=f"{number}", corpus=f"corpus {number}")
            await store.shelf.put(document)
            rows = vectors[len(ids) : len(ids) + EACH]
            hashes = [hashlib.sha256(passage.text.encode()).digest()[:16] for passage in document.passages]
            await store.embeddings.put(
                [
                    NewEmbedding(passage.id, content, Embedding(row.tobytes()))
                    for passage, content, row in zip(document.passages, hashes, rows, strict=True)
                ]
            )
            ids += [passage.id for passage in document.passages]
        hits = {"no filter": 0, "a filter": 0, "much seen": 0}
        queries = near_centres(10)
        for query in queries:
            exact = vectors.astype(np.float32) @ query.astype(np.float32)
            order = [ids[at] for at in np.argsort(-exact, kind="stable")]
            seen = frozenset(order[:500])
            corpus = set(ids[:EACH])
            for label, scope, passage_ids, wanted in (
                ("no filter", Scope(), frozenset[PassageId](), order[:NEAREST]),
                (
                    "a filter",
                    Scope(corpora=("corpus 0",)),
                    frozenset[PassageId](),
                    [x for x in order if x in corpus],
                ),
                ("much seen", Scope(), seen, order[500:]),
            ):

                def look(
                    view: SearchView,
                    query: Embedding = Embedding(query.tobytes()),  # noqa: B008
                    scope: Scope = scope,
                    passage_ids: frozenset[PassageId] = passage_ids,
                ) -> set[str]:
                    return set(view.find_nearest(query, scope, NEAREST, passage_ids))

                hits[label] += len(await store.index.view(look) & set(wanted[:NEAREST]))
    assert {label: count / len(queries) / NEAREST for label, count in hits.items()} == pytest.approx(
        dict.fromkeys(hits, 1.0), abs=0.005
    )
