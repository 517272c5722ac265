"""Build the model of the setting `reranker`, and check that it works."""

from __future__ import annotations

import importlib.util

from shisho.bootstrap.embedder import find_model_folder
from shisho.domain.corpus import Check
from shisho.errors import ExtraMissing, NotFound, ShishoError
from shisho.messages.message import Message
from shisho.messages.system import explain_error
from shisho.ports import Reranker
from shisho.settings import Settings


def build_reranker(settings: Settings) -> Reranker | Message | None:
    """Return the configured reranker, or why it cannot be used; None if none is set."""
    choice = settings.read_text("reranker")
    if choice == "none":
        return None
    try:
        return _load(settings, choice)
    except ShishoError as error:
        return error.message
    except OSError as error:
        return Message("embedder.file_unreadable", path=choice, why=explain_error(error))


def _load(settings: Settings, choice: str) -> Reranker:
    folder = find_model_folder(settings, choice)
    if folder is None:
        raise NotFound(
            "reranker.not_here",
            name=choice,
        )
    if not all(importlib.util.find_spec(module) for module in ("numpy", "onnxruntime", "tokenizers")):
        raise ExtraMissing("reranker.extra_missing", name=choice, extra="onnx")
    from shisho.inference.model_folder import read_folder
    from shisho.inference.reranker import FolderReranker

    return FolderReranker(read_folder(folder))


async def check_reranker(settings: Settings) -> list[Check]:
    """Ask the reranker one short question. Return an empty list if none is set."""
    reranker = build_reranker(settings)
    if reranker is None:
        return []
    if isinstance(reranker, Message):
        return [Check("reranker", False, reranker, optional=True)]
    try:
        await reranker.score("司書", ["司書は本を探す。"])
    except ShishoError as error:
        return [Check("reranker", False, error.message, optional=True)]
    return [Check("reranker", True, Message("reranker.works", name=reranker.name), optional=True)]
