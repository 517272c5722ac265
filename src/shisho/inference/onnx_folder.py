"""Encoders as ONNX folders: Ruri-v3 and other ModernBERT, BERT and XLM-RoBERTa models.

Texts are encoded one at a time: on a CPU that costs no more, nothing has to be padded, and what a model of eight bits
gives does not depend on the company, for its scale is taken over all that is computed at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shisho.domain.embedding import EmbedderAbout
from shisho.errors import ExtraMissing, InvalidParams
from shisho.inference.embedding import EncoderPair, Matrix, ThreadedEmbedder, prefixed
from shisho.inference.model_folder import ModelFolder

POOLED = "sentence_embedding"  # an output of graphs that pool themselves


class OnnxEmbedder(ThreadedEmbedder):
    """`ports.Embedder` over an ONNX folder."""

    def __init__(self, folder: ModelFolder, choice: str) -> None:
        super().__init__(EmbedderAbout(folder.name, choice, folder.share), lambda: load_encoders(folder))


def load_encoders(folder: ModelFolder) -> EncoderPair:
    """Raises ExtraMissing, and InvalidParams for files that cannot be used."""
    model = _OnnxModel(folder)
    return prefixed(model.encode, folder.passage, folder.query)


class _OnnxModel:
    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ExtraMissing(
                'The embedder {folder} needs an extra: pip install "shisho[onnx]".', folder=folder.root.name
            ) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # the machine stays usable
        options.inter_op_num_threads = 1
        try:
            self._tokenizer = Tokenizer.from_file(str(folder.tokenizer))
            self._session: Any = onnxruntime.InferenceSession(
                folder.weights, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both raise what their native halves raise
            raise InvalidParams(
                "The files of {folder} cannot be used: {cause}. Pull or copy them anew.",
                folder=folder.root,
                cause=str(error)[:200],
            ) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(folder.max_tokens)
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        outputs = [entry.name for entry in self._session.get_outputs()]
        self._output = POOLED if POOLED in outputs else outputs[0]

    def encode(self, texts: Sequence[str]) -> Matrix:
        rows = np.stack([self._row(text) for text in texts])
        return rows[:, : self._folder.dimensions or None].astype(np.float32)

    def _row(self, text: str) -> Matrix:
        # Prefix and text go in as one string, as they were trained: encoded apart, the text would begin with a space.
        encoding = self._tokenizer.encode(text.encode("utf-8", "replace").decode())
        arrays = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
            "position_ids": range(len(encoding.ids)),
        }
        feeds = {
            name: np.array([values], np.int64) for name, values in arrays.items() if name in self._inputs
        }
        output: Matrix = self._session.run([self._output], feeds)[0][0]
        return output if output.ndim == 1 else _pooled(output, self._folder.pooling)


def _pooled(tokens: Matrix, pooling: str) -> Matrix:
    """One row for all tokens; none of them is padding."""
    if pooling == "cls":
        pooled: Matrix = tokens[0]
    elif pooling == "lasttoken":
        pooled = tokens[-1]
    else:
        pooled = tokens.max(axis=0) if pooling == "max" else tokens.mean(axis=0)
    return pooled
