"""Small extractors as ONNX folders: a question and a passage go in together, and out come how relevant the
passage is and, token by token, how much of it to keep. Such as OpenProvence models."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from shisho.domain.embedding import ExtractedScores
from shisho.errors import InvalidParams
from shisho.inference.embedding import Matrix
from shisho.inference.model_folder import FolderKind, ModelFolder
from shisho.inference.onnx_folder import OnnxFiles, drop_half_characters
from shisho.inference.reranker import encode_pair

LONGEST = 10_000  # characters: a bound on what a passage may cost


class FolderExtractor:
    """`ports.Extractor` over an ONNX folder. Its weights are loaded by the first question."""

    def __init__(self, folder: ModelFolder) -> None:
        if folder.kind is not FolderKind.ONNX:
            raise InvalidParams(
                "{folder} is no folder of an extractor: it has no ONNX file.", folder=folder.root
            )
        self.name = folder.root.name
        self._folder = folder
        self._files: OnnxFiles | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="shisho-extract")

    async def score(
        self, question: str, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> Sequence[ExtractedScores]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, self._scores, question, texts, spans)

    def _scores(
        self, question: str, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[ExtractedScores]:
        self._files = self._files or OnnxFiles(self._folder)
        return [
            self._score(self._files, question, text, of_text)
            for text, of_text in zip(texts, spans, strict=True)
        ]

    def _score(
        self, files: OnnxFiles, question: str, text: str, spans: Sequence[tuple[int, int]]
    ) -> ExtractedScores:
        encoding = encode_pair(
            files, self._folder, drop_half_characters(question), drop_half_characters(text[:LONGEST])
        )
        outputs = files.run_all(encoding)
        relevance = next((output for output in outputs if output.ndim == 1 and len(output) in (1, 2)), None)
        kept = next((output for output in outputs if output.ndim == 2 and output.shape[1] in (1, 2)), None)
        if relevance is None or kept is None or len(kept) != len(encoding.ids):
            raise InvalidParams(
                "{folder} does not say of a question and a passage how relevant it is and which words to keep: it is no "
                "extractor.",
                folder=self._folder.root,
            )
        shares = _shares(kept)
        # A token belongs to the sentence that it begins in; those of the question and marks to none.
        of_passage = [
            (start, share)
            for part, (start, _), share in zip(encoding.sequence_ids, encoding.offsets, shares, strict=True)
            if part == 1
        ]
        means = [
            float(np.mean([share for at, share in of_passage if start <= at < end] or [0.0]))
            for start, end in spans
        ]
        return ExtractedScores(float(_shares(relevance[None])[0]), tuple(means))


def _shares(logits: Matrix) -> Matrix:
    """The probability of the last class of each row: of one number by the logistic function, of two by their
    difference."""
    odds = logits[:, -1] - (logits[:, 0] if logits.shape[1] == 2 else 0.0)
    shares: Matrix = 1 / (1 + np.exp(-np.clip(odds, -60, 60)))
    return shares
