"""A folder of sentence-transformers, read by that library itself. It takes gigabytes, so that it is installed
where somebody has asked for it: these tests run there."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shisho.domain.embedding import Embedding
from shisho.errors import ExtraMissing
from shisho.inference.model_folder import FolderKind, read_folder
from shisho.inference.torch_folder import TorchEmbedder
from shisho.messages import install_command
from tests.inference.model_folders import write_json

WIDTH = 16
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", *"犬猫が走眠る。")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tiny BERT with the prompts of E5, as the library saves one."""
    pytest.importorskip(
        "sentence_transformers", reason="the extra torch is not installed: it takes gigabytes"
    )
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(7)
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "vocab.txt").write_text("\n".join(WORDS), "utf-8")
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
    )
    BertModel(config).save_pretrained(plain)
    BertTokenizerFast(str(plain / "vocab.txt")).save_pretrained(plain)
    steps = [Transformer(str(plain)), Pooling(WIDTH, "mean")]
    root = tmp_path / "tiny"
    SentenceTransformer(
        modules=steps, device="cpu", prompts={"query": "query: ", "passage": "passage: "}
    ).save(str(root))
    return root


def numbers(vector: Embedding) -> NDArray[np.float64]:
    return np.array(struct.unpack(f"<{len(vector) // 2}e", vector))


def unit(row: NDArray[Any]) -> NDArray[Any]:
    return row / np.linalg.norm(row)


async def test_vectors_are_those_of_the_library_after_one_prefix(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    read = read_folder(folder)
    assert read.kind is FolderKind.TORCH
    embedder = TorchEmbedder(read, "tiny")
    texts = ["犬が走る。", "猫が眠る。" * 30, "猫"]
    passages = await embedder.embed_passages(texts)
    expected = model.encode([f"passage: {text}" for text in texts], prompt="")
    for passage, row in zip(passages, expected, strict=True):
        assert numbers(passage) == pytest.approx(unit(row), abs=2e-3)
    query = await embedder.embed_query("猫")
    assert numbers(query) == pytest.approx(unit(model.encode(["query: 猫"], prompt="")[0]), abs=2e-3)
    assert query != passages[2]


async def test_dimensions_and_length_are_those_of_the_folder(folder: Path) -> None:
    write_json(folder / "shisho.json", {"dimensions": 8, "max_tokens": 6, "passage": "", "query": ""})
    embedder = TorchEmbedder(read_folder(folder), "tiny")
    short, long = await embedder.embed_passages(["犬が走る", "犬が走る。猫が眠る。"])
    assert short == long and len(numbers(short)) == 8
    assert np.linalg.norm(numbers(short)) == pytest.approx(1, abs=2e-3)


def test_without_the_extra_it_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_json(tmp_path / "modules.json", [])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ExtraMissing, match=re.escape(install_command("torch"))):
        TorchEmbedder(read_folder(tmp_path), "")
