"""Encoders and cross-encoders as ONNX folders.

Ruri-v3 and other ModernBERT, BERT and XLM-RoBERTa models.

Texts are encoded one at a time: on a CPU a batch is no faster, and nothing has to be padded. The vectors of
an 8-bit model would also depend on the batch, because its scale is computed over the whole batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shisho.errors import ExtraMissing, InvalidParams
from shisho.inference.embedding import EncoderPair, Matrix, ThreadedEmbedder, add_prefixes
from shisho.inference.model_folder import ModelFolder

POOLED = "sentence_embedding"  # output of graphs that include pooling


class OnnxEmbedder(ThreadedEmbedder):
    """`ports.Embedder` over an ONNX folder."""

    def __init__(self, folder: ModelFolder, choice: str) -> None:
        super().__init__(folder.describe(choice), lambda: load_encoders(folder))


def load_encoders(folder: ModelFolder) -> EncoderPair:
    """Load the encoders of a folder. Raises: ExtraMissing, InvalidParams for unusable files."""
    model = _OnnxModel(folder)
    return add_prefixes(model.encode, folder.passage, folder.query)


class OnnxFiles:
    """The tokenizer and the graph of a folder.

    Raises: ExtraMissing, InvalidParams for unusable files.
    """

    def __init__(self, folder: ModelFolder) -> None:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ExtraMissing(
                "embedder.folder_extra_missing", folder=folder.root.name, extra="onnx"
            ) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # leave the machine responsive
        options.inter_op_num_threads = 1
        try:
            self.tokenizer = Tokenizer.from_file(str(folder.tokenizer))
            self._session: Any = onnxruntime.InferenceSession(
                folder.weights, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # the native code of both raises plain Exception
            raise InvalidParams(
                "embedder.folder_unusable",
                folder=folder.root,
                cause=str(error)[:200],
            ) from error
        self.tokenizer.no_padding()
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self.outputs = [entry.name for entry in self._session.get_outputs()]

    def run(self, encoding: Any, output: str) -> Matrix:
        """Return one output of the graph for an encoded text or pair."""
        arrays = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
            "position_ids": range(len(encoding.ids)),
        }
        feeds = {
            name: np.array([values], np.int64) for name, values in arrays.items() if name in self._inputs
        }
        result: Matrix = self._session.run([output], feeds)[0][0]
        return result


def drop_half_characters(text: str) -> str:
    """Replace lone surrogates, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode()


class _OnnxModel:
    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        self._files = OnnxFiles(folder)
        self._files.tokenizer.enable_truncation(folder.max_tokens)
        outputs = self._files.outputs
        self._output = POOLED if POOLED in outputs else outputs[0]

    def encode(self, texts: Sequence[str]) -> Matrix:
        rows = np.stack([self._encode_row(text) for text in texts])
        return rows[:, : self._folder.dimensions or None].astype(np.float32)

    def _encode_row(self, text: str) -> Matrix:
        # Prefix and text are tokenized as one string, as in training: encoded separately, the text would
        # begin with a space.
        output = self._files.run(self._files.tokenizer.encode(drop_half_characters(text)), self._output)
        return output if output.ndim == 1 else _pool(output, self._folder.pooling)


def _pool(tokens: Matrix, pooling: str) -> Matrix:
    """Pool the rows of all tokens to one; no token is padding."""
    if pooling == "cls":
        pooled: Matrix = tokens[0]
    elif pooling == "lasttoken":
        pooled = tokens[-1]
    else:
        pooled = tokens.max(axis=0) if pooling == "max" else tokens.mean(axis=0)
    return pooled
