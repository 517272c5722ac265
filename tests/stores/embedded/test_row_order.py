"""A passage's row among those of the index of vectors, and cosines that are read by it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path

import apsw
import numpy as np
import pytest

from shisho.domain.corpus import PassageId
from shisho.domain.embedding import Embedding, NewEmbedding
from shisho.stores.embedded.dense import RowOrder
from shisho.stores.embedded.serving import ServingIndex
from tests.contracts.conftest import ABOUT, embedded_store
from tests.making import intake

HALF = Embedding(np.array([0.5, 0.5, 0.5, 0.5], "<f2").tobytes())
ALONG = Embedding(np.array([1, 0, 0, 0], "<f2").tobytes())


@pytest.mark.parametrize("seed", range(5))
def test_the_newest_row_of_each_passage_is_found_after_every_batch(seed: int) -> None:
    rng = random.Random(seed)
    order = RowOrder()
    rows: list[int] = []
    assert order.find([3]).tolist() == []
    for _ in range(6):
        rows += [rng.randrange(60) for _ in range(rng.choice([0, 1, 25]))]
        order.extend(np.array(rows, np.int64))
        newest = {number: place for place, number in enumerate(rows)}
        asked = [-1, *rng.sample(range(70), 40)]
        assert order.find(asked).tolist() == [newest[number] for number in asked if number in newest]


async def test_what_the_index_knows_is_compared_without_a_look_at_the_database(tmp_path: Path) -> None:
    async with embedded_store(tmp_path) as store:
        given = intake("一。\n\n二。\n\n三。")
        await store.shelf.put(given)
        first, second, third = (passage.id for passage in given.passages)
        await store.embeddings.put([NewEmbedding(name, b"0" * 16, ALONG) for name in (first, second)])
        dense = ServingIndex(tmp_path / "vectors", store.database, ABOUT)
        await asyncio.to_thread(dense.catch_up)
        await store.embeddings.put([NewEmbedding(third, b"1" * 16, HALF)])

        def look(
            connection: apsw.Connection, *names: PassageId
        ) -> tuple[Mapping[PassageId, float], list[str]]:
            _, index = dense.find(connection)
            statements: list[str] = []
            connection.exec_trace = lambda cursor, sql, values: statements.append(sql) is None
            cosines = index.measure_similarities(connection, ALONG, names)
            connection.exec_trace = None
            return cosines, statements

        known, statements = await store.database.read(lambda connection: look(connection, second, first))
        assert (known, statements) == ({second: 1.0, first: 1.0}, [])
        later, _ = await store.database.read(lambda connection: look(connection, third, second))
        assert later == {third: 0.5, second: 1.0}
