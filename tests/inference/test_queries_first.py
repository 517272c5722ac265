"""Somebody who asks does not wait until a batch of passages is through."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import numpy as np

from shisho.domain.embedding import EmbedderAbout
from shisho.inference.embedding import EncoderPair, Matrix, ThreadedEmbedder
from tests.machine import PATIENCE


async def test_query_is_encoded_after_the_passage_under_way_and_before_the_rest() -> None:
    begun = threading.Event()
    may_go_on = threading.Event()
    order: list[str] = []

    def encode(texts: Sequence[str]) -> Matrix:
        order.extend(texts)
        if texts[0].startswith("passage"):
            begun.set()
            may_go_on.wait(PATIENCE)
        return np.ones((len(texts), 4), np.float32)

    embedder = ThreadedEmbedder(EmbedderAbout("slow 1"), lambda: EncoderPair(encode, encode))
    passages = asyncio.create_task(embedder.embed_passages([f"passage {number}" for number in range(3)]))
    await asyncio.to_thread(begun.wait, PATIENCE)
    queries = asyncio.gather(embedder.embed_query("query 1"), embedder.embed_query("query 2"))
    await asyncio.sleep(0)
    may_go_on.set()
    assert len(await queries) == 2
    assert len(await passages) == 3
    assert order == ["passage 0", "query 1", "query 2", "passage 1", "passage 2"]


async def test_an_encoder_for_several_threads_answers_while_a_passage_is_under_way() -> None:
    begun = threading.Event()
    may_go_on = threading.Event()
    loads: list[EncoderPair] = []

    def encode(texts: Sequence[str]) -> Matrix:
        if texts[0].startswith("passage"):
            begun.set()
            assert may_go_on.wait(PATIENCE)
        return np.ones((len(texts), 4), np.float32)

    def load() -> EncoderPair:
        loads.append(EncoderPair(encode, encode))
        return loads[-1]

    embedder = ThreadedEmbedder(EmbedderAbout("quick 1"), load, for_several_threads=True)
    passages = asyncio.create_task(embedder.embed_passages(["passage 0"]))
    await asyncio.to_thread(begun.wait, PATIENCE)
    vector = await asyncio.wait_for(embedder.embed_query("query"), PATIENCE)
    assert not passages.done()
    may_go_on.set()
    assert await passages == [vector]
    assert len(loads) == 1
