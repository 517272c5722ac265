"""Cross-encoders as ONNX folders.

They score a question and a passage together with one number.

Such as japanese-reranker, bge-reranker and other classifiers of pairs with one or two classes.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from shisho.errors import InvalidParams
from shisho.inference.model_folder import FolderKind, ModelFolder
from shisho.inference.onnx_folder import OnnxFiles, drop_half_characters

LONGEST = 2_000  # characters: the limit of a passage, and of a question to bound its cost


class FolderReranker:
    """`ports.Reranker` over an ONNX folder. Its weights are loaded for the first question."""

    def __init__(self, folder: ModelFolder) -> None:
        if folder.kind is not FolderKind.ONNX:
            raise InvalidParams("reranker.no_onnx", folder=folder.root)
        self.name = folder.root.name
        self._folder = folder
        self._model: _PairModel | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="shisho-rerank")

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return await asyncio.get_running_loop().run_in_executor(
            self._worker, self._compute_scores, question, texts
        )

    def _compute_scores(self, question: str, texts: Sequence[str]) -> list[float]:
        if self._model is None:
            self._model = _PairModel(self._folder)
        return [self._model.score(question[:LONGEST], text[:LONGEST]) for text in texts]


class _PairModel:
    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        self._files = OnnxFiles(folder)
        outputs = self._files.outputs
        self._output = "logits" if "logits" in outputs else outputs[0]

    def score(self, question: str, text: str) -> float:
        encoding = encode_pair(
            self._files, self._folder, drop_half_characters(question), drop_half_characters(text)
        )
        output = self._files.run(encoding, self._output)
        logits = output.tolist() if output.ndim == 1 else []
        if len(logits) not in (1, 2) or not all(map(math.isfinite, logits)):
            raise InvalidParams(
                "reranker.no_score",
                folder=self._folder.root,
            )
        return float(logits[-1] - (logits[0] if len(logits) == 2 else 0.0))


def encode_pair(files: OnnxFiles, folder: ModelFolder, question: str, text: str) -> Any:
    """Encode a question and a passage together; the passage is truncated if they are too long.

    The question takes at most half of the tokens.
    """
    tokenizer = files.tokenizer
    tokenizer.no_truncation()
    half = folder.max_tokens // 2
    ends = [end for _, end in tokenizer.encode(question).offsets[:half]]
    tokenizer.enable_truncation(folder.max_tokens, strategy="only_second")
    return tokenizer.encode(question[: max(ends, default=0)], text)
