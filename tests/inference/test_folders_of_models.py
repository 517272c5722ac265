"""Embedders that stand in folders: what their files say is what is done, and texts are encoded as they were
trained."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_dynamic

from shisho.domain.embedding import Embedding, WordShare, compute_cosine
from shisho.errors import InvalidParams
from shisho.inference.model_folder import FolderKind, list_needed_files, read_folder
from shisho.inference.onnx_folder import OnnxEmbedder
from shisho.inference.static_folder import StaticEmbedder
from tests.inference.model_folders import (
    TEXTS,
    WIDTH,
    onnx_folder,
    plain_ids,
    write_json,
    write_onnx,
    write_safetensors,
    write_tokenizer,
)

ODD_TEXTS = ("犬が走る。", " 犬が走る。", "  ", "", "dogs run", "知らない字𠮷", "\n犬が")


def numbers(vector: Embedding) -> NDArray[np.float64]:
    return np.array(struct.unpack(f"<{len(vector) // 2}e", vector))


def unit(row: NDArray[Any]) -> NDArray[Any]:
    return row / np.linalg.norm(row)


async def test_tokens_are_those_of_tokenizer_json_with_prefix_and_leading_spaces(tmp_path: Path) -> None:
    # Each row of the table is one token, so that the mean counts the tokens that the graph was given.
    size = onnx_folder(tmp_path, attends=False).get_vocab_size()
    embedder = OnnxEmbedder(read_folder(tmp_path), "")
    passages = await embedder.embed_passages(ODD_TEXTS)
    for text, passage in zip(ODD_TEXTS, passages, strict=True):
        query = await embedder.embed_query(text)
        for prefix, vector in (("検索文書: ", passage), ("検索クエリ: ", query)):
            counted = np.bincount(plain_ids(tmp_path, prefix + text), minlength=size)
            assert numbers(vector) == pytest.approx(unit(counted), abs=1e-3), (prefix, text)


async def test_vector_is_the_same_alone_and_in_company_and_of_unit_length(tmp_path: Path) -> None:
    onnx_folder(tmp_path)
    embedder = OnnxEmbedder(read_folder(tmp_path), "")
    texts = ["犬が走る。", "dogs run in the park " * 8, "猫"]
    together = await embedder.embed_passages(texts)
    alone = [(await embedder.embed_passages([text]))[0] for text in texts]
    assert together == alone
    assert [np.linalg.norm(numbers(vector)) for vector in alone] == pytest.approx([1.0] * 3, abs=1e-3)


@pytest.mark.parametrize("pooling", ["mean", "cls", "max", "lasttoken"])
async def test_pooling_is_the_folders_own(tmp_path: Path, pooling: str) -> None:
    size = onnx_folder(tmp_path).get_vocab_size()
    table = np.random.default_rng(3).normal(size=(size, WIDTH)).astype(np.float32)
    write_onnx(tmp_path / "onnx" / "model.onnx", table, attends=False)
    write_json(tmp_path / "1_Pooling" / "config.json", {"pooling_mode": pooling})
    rows = table[plain_ids(tmp_path, "検索クエリ: 犬が走る。")]
    wanted = {"mean": rows.mean(0), "cls": rows[0], "max": rows.max(0), "lasttoken": rows[-1]}[pooling]
    vector = await OnnxEmbedder(read_folder(tmp_path), "").embed_query("犬が走る。")
    assert numbers(vector) == pytest.approx(unit(wanted), abs=2e-3)


async def test_file_of_eight_bits_is_taken_first_and_says_nearly_the_same(tmp_path: Path) -> None:
    onnx_folder(tmp_path)
    whole = OnnxEmbedder(read_folder(tmp_path), "")
    weights = tmp_path / "onnx" / "model.onnx"
    quantize_dynamic(weights, tmp_path / "onnx" / "model_int8.onnx", weight_type=QuantType.QInt8)
    eighth = OnnxEmbedder(folder := read_folder(tmp_path), "")
    assert folder.weights.name == "model_int8.onnx"
    assert eighth.about.name != whole.about.name
    for text in TEXTS:
        assert compute_cosine(await whole.embed_query(text), await eighth.embed_query(text)) > 0.99
    company = await eighth.embed_passages(["犬が走る。", "dogs run in the park " * 8])
    assert company[0] == (await eighth.embed_passages(["犬が走る。"]))[0]


async def test_text_is_cut_where_the_folder_says(tmp_path: Path) -> None:
    onnx_folder(tmp_path)
    embedder = OnnxEmbedder(read_folder(tmp_path), "")
    long, longer = await embedder.embed_passages(["犬" * 100, "犬" * 1000])
    assert read_folder(tmp_path).max_tokens == 64
    assert long == longer


def test_name_changes_with_anything_that_changes_a_vector(tmp_path: Path) -> None:
    onnx_folder(tmp_path)
    names = {read_folder(tmp_path).name}
    write_json(tmp_path / "shisho.json", {"query": "query: "})
    names.add(read_folder(tmp_path).name)
    weights = tmp_path / "onnx" / "model.onnx"
    data = bytearray(weights.read_bytes())
    data[len(data) // 2] ^= 1
    weights.write_bytes(data)
    names.add(read_folder(tmp_path).name)
    assert len(names) == 3
    assert read_folder(tmp_path).name in names


def test_own_description_goes_before_what_the_model_brings(tmp_path: Path) -> None:
    onnx_folder(tmp_path)
    write_json(
        tmp_path / "shisho.json",
        {"passage": "p: ", "dimensions": 8, "max_tokens": 20, "share": {"japanese": 0.5}},
    )
    folder = read_folder(tmp_path)
    assert (folder.passage, folder.query, folder.dimensions, folder.max_tokens) == (
        "p: ",
        "検索クエリ: ",
        8,
        20,
    )
    assert folder.share == WordShare(0.5, WordShare().english)


def test_family_prefixes_stand_in_where_the_files_have_none(tmp_path: Path) -> None:
    onnx_folder(tmp_path / "ruri-v3-30m")
    write_json(tmp_path / "ruri-v3-30m" / "config_sentence_transformers.json", {"prompts": {}})
    folder = read_folder(tmp_path / "ruri-v3-30m")
    assert (folder.passage, folder.query) == ("検索文書: ", "検索クエリ: ")


@pytest.mark.parametrize("layout", ["model2vec", "sentence-transformers", "npz"])
async def test_static_folder_is_the_mean_of_its_tokens_rows(tmp_path: Path, layout: str) -> None:
    size = write_tokenizer(tmp_path / "tokenizer.json").get_vocab_size()
    table = np.random.default_rng(5).normal(size=(size, WIDTH)).astype(np.float32)
    if layout == "model2vec":
        write_json(tmp_path / "config.json", {"model_type": "model2vec", "normalize": True})
        write_safetensors(tmp_path / "model.safetensors", {"embeddings": table.astype(np.float16)})
    elif layout == "npz":
        np.savez(tmp_path / "model.npz", embeddings=table)
    else:
        (tmp_path / "0_StaticEmbedding").mkdir()
        (tmp_path / "tokenizer.json").rename(tmp_path / "0_StaticEmbedding" / "tokenizer.json")
        write_json(tmp_path / "modules.json", [{"type": "sentence_transformers.models.StaticEmbedding"}])
        write_safetensors(tmp_path / "0_StaticEmbedding" / "model.safetensors", {"embedding.weight": table})
    folder = read_folder(tmp_path)
    assert folder.kind is FolderKind.STATIC
    embedder = StaticEmbedder(folder, "")
    left_out = None if layout == "sentence-transformers" else 2  # unknown tokens
    for text in ("犬が走る。", "知らない字𠮷。", "dogs run " * 20):
        ids = [token for token in plain_ids(folder.tokenizer.parent, text)[1:-1] if token != left_out]
        vector = await embedder.embed_query(text)
        assert numbers(vector) == pytest.approx(unit(table[ids].mean(0)), abs=3e-3), text
    assert not numbers(await embedder.embed_query("")).any()


async def test_shrunken_table_weighs_tokens_and_maps_them_to_rows(tmp_path: Path) -> None:
    size = write_tokenizer(tmp_path / "tokenizer.json").get_vocab_size()
    random = np.random.default_rng(6)
    table = random.normal(size=(7, WIDTH)).astype(np.float32)
    mapping = random.integers(0, 7, size).astype(np.int64)
    weights = random.random(size).astype(np.float32)
    tensors = {"embeddings": table, "mapping": mapping, "weights": weights}
    write_safetensors(tmp_path / "model.safetensors", tensors)
    ids = np.array(plain_ids(tmp_path, "犬が走る。")[1:-1])
    vector = await StaticEmbedder(read_folder(tmp_path), "").embed_query("犬が走る。")
    assert numbers(vector) == pytest.approx(
        unit((table[mapping[ids]] * weights[ids, None]).mean(0)), abs=2e-3
    )


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "no ONNX file"),
        ({"model.safetensors": b"\xff" * 40}, "no tokenizer.json"),
        ({"model.onnx": b"no graph", "tokenizer.json": b"{}"}, "can't be used"),
        ({"model.safetensors": b"\xff" * 40, "tokenizer.json": b"{}"}, "can't be used"),
        (
            {"model.onnx": b"", "tokenizer.json": b"{}", "1_Pooling/config.json": b'{"pooling_mode": "odd"}'},
            "odd",
        ),
        ({"shisho.json": b"{", "model.onnx": b""}, "line 1, column 2"),
    ],
)
async def test_folder_that_cannot_be_used_says_why(tmp_path: Path, files: dict[str, bytes], why: str) -> None:
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidParams, match=why):
        folder = read_folder(tmp_path)
        kind = OnnxEmbedder if folder.kind is FolderKind.ONNX else StaticEmbedder
        await kind(folder, "").embed_query("犬")


def test_of_a_hubs_files_those_are_taken_that_are_read() -> None:
    hub = [
        ".gitattributes",
        "1_Pooling/config.json",
        "LICENSE",
        "README.md",
        "config.json",
        "model.safetensors",
        "onnx/model.onnx",
        "onnx/model_fp16.onnx",
        "onnx/model_int8.onnx",
        "onnx/model_int8.onnx_data",
        "tokenizer.json",
        "pytorch_model.bin",
    ]
    assert list_needed_files(hub) == [
        "1_Pooling/config.json",
        "config.json",
        "tokenizer.json",
        "LICENSE",
        "onnx/model_int8.onnx",
        "onnx/model_int8.onnx_data",
    ]
