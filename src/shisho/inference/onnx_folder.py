"""Encoders and cross-encoders as ONNX folders: Ruri-v3 and other ModernBERT, BERT and XLM-RoBERTa models.

Texts are encoded one at a time: on a CPU that costs no more, nothing has to be padded, and what a model of
eight bits gives does not depend on the company, for its scale is taken over all that is computed at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shisho.errors import ExtraMissing, InvalidParams
from shisho.inference.embedding import EncoderPair, Matrix, ThreadedEmbedder, add_prefixes
from shisho.inference.model_folder import ModelFolder

POOLED = "sentence_embedding"  # an output of graphs that pool themselves


class OnnxEmbedder(ThreadedEmbedder):
    """`ports.Embedder` over an ONNX folder."""

    def __init__(self, folder: ModelFolder, choice: str) -> None:
        super().__init__(folder.describe(choice), lambda: load_encoders(folder))


def load_encoders(folder: ModelFolder) -> EncoderPair:
    """Raises ExtraMissing, and InvalidParams for files that cannot be used."""
    model = _OnnxModel(folder)
    return add_prefixes(model.encode, folder.passage, folder.query)


class OnnxFiles:
    """The tokenizer and the graph of a folder. Raises ExtraMissing, and InvalidParams for files that cannot
    be used."""

    def __init__(self, folder: ModelFolder) -> None:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ExtraMissing(
                "embedder.folder_extra_missing", folder=folder.root.name, extra="onnx"
            ) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # the machine stays usable
        options.inter_op_num_threads = 1
        try:
            self.tokenizer = Tokenizer.from_file(str(folder.tokenizer))
            self._session: Any = onnxruntime.InferenceSession(
                folder.weights, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both raise what their native halves raise
            raise InvalidParams(
                "embedder.folder_unusable",
                folder=folder.root,
                cause=str(error)[:200],
            ) from error
        self.tokenizer.no_padding()
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self.outputs = [entry.name for entry in self._session.get_outputs()]

    def run(self, encoding: Any, output: str) -> Matrix:
        """The output of the graph for one encoded text, or for one pair of them."""
        return self._run(encoding, [output])[0]

    def run_all(self, encoding: Any) -> list[Matrix]:
        """The same of all outputs."""
        return self._run(encoding, self.outputs)

    def _run(self, encoding: Any, outputs: Sequence[str]) -> list[Matrix]:
        arrays = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
            "position_ids": range(len(encoding.ids)),
        }
        feeds = {
            name: np.array([values], np.int64) for name, values in arrays.items() if name in self._inputs
        }
        return [output[0] for output in self._session.run(outputs, feeds)]


def drop_half_characters(text: str) -> str:
    """The text without what no tokenizer takes: halves of characters."""
    return text.encode("utf-8", "replace").decode()


class _OnnxModel:
    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        self._files = OnnxFiles(folder)
        self._files.tokenizer.enable_truncation(folder.max_tokens)
        outputs = self._files.outputs
        self._output = POOLED if POOLED in outputs else outputs[0]

    def encode(self, texts: Sequence[str]) -> Matrix:
        rows = np.stack([self._row(text) for text in texts])
        return rows[:, : self._folder.dimensions or None].astype(np.float32)

    def _row(self, text: str) -> Matrix:
        # Prefix and text go in as one string, as they were trained: encoded apart, the text would begin with
        # a space.
        output = self._files.run(self._files.tokenizer.encode(drop_half_characters(text)), self._output)
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
