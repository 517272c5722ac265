"""Any folder of sentence-transformers, through that library.

It is large: `torch` takes gigabytes on Linux.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from shisho.errors import ExtraMissing
from shisho.inference.embedding import EncoderPair, ThreadedEmbedder, add_prefixes
from shisho.inference.model_folder import ModelFolder


class TorchEmbedder(ThreadedEmbedder):
    """`ports.Embedder` over a folder of sentence-transformers. Raises: ExtraMissing."""

    def __init__(self, folder: ModelFolder, choice: str) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise ExtraMissing(
                "model.folder_extra_missing",
                extra="torch",
                folder=folder.root.name,
            )
        super().__init__(folder.describe(choice), lambda: _load(folder))


def _load(folder: ModelFolder) -> EncoderPair:
    from sentence_transformers import SentenceTransformer

    model: Any = SentenceTransformer(str(folder.root), device="cpu", local_files_only=True)
    model.max_seq_length = min(model.max_seq_length or folder.max_tokens, folder.max_tokens)

    def encode(texts: Any) -> Any:
        # The text already has its prefix.
        rows = model.encode(list(texts), prompt="", show_progress_bar=False, convert_to_numpy=True)
        return rows[:, : folder.dimensions or None]

    return add_prefixes(encode, folder.passage, folder.query)
