"""In long form: the sets of `eval/` on PostgreSQL. Their floors hold there, and of the ten best passages, by
words and by the vectors of a real encoder, both stores have the same."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from statistics import fmean

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import Embedding, NewEmbedding
from shisho.evaluation import load
from shisho.evaluation.run import evaluate_retrieval, fill
from shisho.inference.universal import UniversalEmbedder
from shisho.ports import Index
from shisho.services import Library
from shisho.stores.postgres.lexical import PostgresIndex
from shisho.stores.postgres.serving import PostgresServing
from tests.contracts.conftest import ABOUT, embedded_store, postgres_store
from tests.copying import copy_documents
from tests.faults.children import LONG
from tests.postgres import has_vectors, shared_server
from tests.shared import shared

FLOORS = json.loads((Path(__file__).parents[3] / "eval" / "floors.json").read_text("utf-8"))["subset"]
COMPARED = 200


@pytest.mark.skipif(not LONG, reason="SHISHO_LONG=1 takes the sets in twice")
@pytest.mark.parametrize("name", ["niilc-dev", "cranfield"])
async def test_floors_hold_and_both_stores_put_the_same_in_front(name: str, tmp_path: Path) -> None:
    eval_set = load(shared("eval", name))
    with shared_server().fresh() as url:
        async with (
            open_library(home=tmp_path / "first") as embedded,
            open_library(home=tmp_path / "second", store=url) as postgres,
        ):
            for library in (embedded, postgres):
                await fill(library, eval_set)
            figures = await evaluate_retrieval(postgres, eval_set, eval_set.questions)
            questions = eval_set.questions[:COMPARED]
            shares = [await share_in_both(embedded, postgres, question.text) for question in questions]
    assert fmean(shares) >= 0.95
    below = {measure: figures[measure] for measure, floor in FLOORS[name].items() if figures[measure] < floor}
    assert not below


async def share_in_both(first: Library, second: Library, text: str) -> float:
    names = [
        {hit.passage for hit in await library.documents.search([text], limit=10)}
        for library in (first, second)
    ]
    return len(names[0] & names[1]) / max(1, *map(len, names))


@pytest.mark.skipif(not LONG, reason="SHISHO_LONG=1 has a set encoded")
@pytest.mark.skipif(not LONG or not has_vectors(), reason="a server without the extension vector")
async def test_the_same_passages_are_nearest_by_a_real_encoder(tmp_path: Path) -> None:
    """Of the ten nearest to each question; along pgvector's graph too."""
    eval_set = load(shared("eval", "niilc-dev"))
    embedder = UniversalEmbedder()
    async with open_library(home=tmp_path, embedder="none") as library:
        await fill(library, eval_set)
    with shared_server().fresh() as url:
        async with embedded_store(tmp_path) as embedded, postgres_store(url) as postgres:
            intakes = await copy_documents(embedded.shelf, postgres.shelf)
            passages = [passage for intake in intakes for passage in intake.passages]
            vectors = await embedder.embed_passages([passage.text for passage in passages])
            new = [
                NewEmbedding(passage.id, hashlib.sha256(passage.text.encode()).digest(), vector)
                for passage, vector in zip(passages, vectors, strict=True)
            ]
            for store in (embedded, postgres):
                await store.embeddings.put(new)
            serving = PostgresServing(postgres.database, ABOUT, graph_from=1)
            along_graph = PostgresIndex(postgres.database, serving)
            await along_graph.catch_up()
            shares: dict[str, list[float]] = {"exact": [], "graph": []}
            for question in eval_set.questions[:COMPARED]:
                vector = await embedder.embed_query(question.text)
                exact_ids = await nearest(embedded.index, vector)
                shares["exact"].append(len(exact_ids & await nearest(postgres.index, vector)) / 10)
                shares["graph"].append(len(exact_ids & await nearest(along_graph, vector)) / 10)
    assert all(fmean(values) >= 0.98 for values in shares.values()), {
        name: fmean(values) for name, values in shares.items()
    }


async def nearest(index: Index, vector: Embedding) -> set[PassageId]:
    return set(await index.view(lambda view: view.find_nearest(vector, Scope(), 10, frozenset())))
