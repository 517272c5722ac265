"""Static encoders: a table with a row for each token.

The mean of its rows is a text's vector.

Reads the layouts of model2vec and of sentence-transformers' StaticEmbedding. The table is memory-mapped, and
only the rows of a text's tokens are read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shisho.errors import ExtraMissing, InvalidParams
from shisho.inference.embedding import EncoderPair, Matrix, ThreadedEmbedder, add_prefixes
from shisho.inference.model_folder import ModelFolder

TABLES = ("embedding.weight", "embeddings", "embedding.weight.weight")
KINDS = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "I8": "i1", "I32": "<i4", "I64": "<i8"}
MAX_HEADER = 1 << 24  # bytes


class StaticEmbedder(ThreadedEmbedder):
    """`ports.Embedder` over a static folder."""

    def __init__(self, folder: ModelFolder, choice: str) -> None:
        super().__init__(folder.describe(choice), lambda: load_encoders(folder))


def load_encoders(folder: ModelFolder) -> EncoderPair:
    """Load the encoders of a folder. Raises: ExtraMissing, InvalidParams for unusable files."""
    model = _StaticModel(folder)
    return add_prefixes(model.encode, folder.passage, folder.query)


class _StaticModel:
    def __init__(self, folder: ModelFolder) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ExtraMissing(
                "embedder.folder_extra_missing", folder=folder.root.name, extra="onnx"
            ) from error
        try:
            tensors = (
                _read_npz(folder.weights)
                if folder.weights.suffix == ".npz"
                else _map_safetensors(folder.weights)
            )
            self._tokenizer = Tokenizer.from_file(str(folder.tokenizer))
        except Exception as error:  # the tokenizer's native code raises plain Exception
            raise InvalidParams(
                "embedder.folder_unusable",
                folder=folder.root,
                cause=str(error)[:200],
            ) from error
        self._table = next((tensors[name] for name in TABLES if name in tensors), None)
        if self._table is None or self._table.ndim != 2:
            raise InvalidParams(
                "embedder.no_table",
                path=folder.weights,
                names=", ".join(sorted(tensors)) or "{}",
            )
        self._weights = tensors.get("weights")  # of each token, and its row: newer model2vec
        self._rows = tensors.get("mapping")
        self._folder = folder
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        # model2vec omits unknown tokens, sentence-transformers counts them.
        is_counted = folder.weights.parent != folder.root
        self._unknown = (
            None if is_counted else _find_unknown_token(json.loads(self._tokenizer.to_str()).get("model", {}))
        )

    def encode(self, texts: Sequence[str]) -> Matrix:
        return np.stack([self._encode_row(text) for text in texts])

    def _encode_row(self, text: str) -> Matrix:
        assert self._table is not None
        ids = self._tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
        tokens = np.array(
            [token for token in ids[: self._folder.max_tokens] if token != self._unknown], np.int64
        )
        width = self._folder.dimensions or self._table.shape[1]
        if not len(tokens):
            return np.zeros(width, np.float32)
        places = tokens if self._rows is None else np.asarray(self._rows)[tokens].astype(np.int64)
        rows = np.asarray(self._table[places, :width], np.float32)
        if self._weights is not None:
            rows = rows * np.asarray(self._weights)[tokens].astype(np.float32).reshape(-1, 1)
        mean: Matrix = rows.mean(axis=0)
        return mean


def _find_unknown_token(model: Mapping[str, Any]) -> int | None:
    """Return the id of the unknown token, which a model declares by its id or its text."""
    if isinstance(model.get("unk_id"), int):
        return int(model["unk_id"])
    vocabulary = model.get("vocab")
    token = vocabulary.get(model.get("unk_token")) if isinstance(vocabulary, dict) else None
    return None if token is None else int(token)


def _read_npz(path: Path) -> Mapping[str, NDArray[Any]]:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _map_safetensors(path: Path) -> Mapping[str, NDArray[Any]]:
    """Map the tensors of a safetensors file.

    The first eight bytes are the length of the header, which has the offsets of each tensor. Raises:
    ValueError for unsupported number types.
    """
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(MAX_HEADER, path.stat().st_size):
            raise ValueError("not a safetensors file")
        header = json.loads(file.read(length))
    tensors = {}
    for name, about in header.items():
        if name == "__metadata__":
            continue
        kind = KINDS.get(about["dtype"])
        if kind is None:
            raise ValueError(f"{name} is of {about['dtype']}")
        start, end = about["data_offsets"]
        shape = tuple(about["shape"])
        if end - start != math.prod(shape) * np.dtype(kind).itemsize:
            raise ValueError(f"{name} is cut off")
        tensors[name] = np.memmap(path, kind, "r", 8 + length + start, shape)
    return tensors
