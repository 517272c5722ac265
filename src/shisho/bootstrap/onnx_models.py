"""Settings to the small models that read a question with passages (the extractor, the reranker), and whether
they work. Each is a folder with a model as ONNX."""

from __future__ import annotations

import importlib.util
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from shisho.bootstrap.embedder import find_model_folder
from shisho.domain.corpus import Check
from shisho.errors import ExtraMissing, NotFound, ShishoError
from shisho.messages.message import Message
from shisho.messages.system import reason_of
from shisho.ports import Extractor, Reranker
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.inference.model_folder import ModelFolder


class NamedModel(Protocol):
    @property
    def name(self) -> str: ...


M = TypeVar("M", bound=NamedModel)


@dataclass(frozen=True, slots=True)
class OnnxModelKind(Generic[M]):
    """One kind of these models, by the name of its setting. `load` makes a model of its folder; `ask` asks it
    one tiny question; `not_found` and `extra_missing` say of a choice why it cannot be had."""

    setting: str
    load: Callable[[ModelFolder], M]
    ask: Callable[[M], Awaitable[object]]
    not_found: Callable[[str], NotFound]
    extra_missing: Callable[[str], ExtraMissing]


def build_extractor(settings: Settings) -> Extractor | Message | None:
    """The extractor that is set; a word why it cannot be had; None where none is set."""
    return _build(_EXTRACTOR, settings)


def build_reranker(settings: Settings) -> Reranker | Message | None:
    """The reranker that is set; a word why it cannot be had; None where none is set."""
    return _build(_RERANKER, settings)


async def check_extractor(settings: Settings) -> list[Check]:
    """One tiny question to the extractor; nothing where none is set."""
    return await _check(_EXTRACTOR, settings)


async def check_reranker(settings: Settings) -> list[Check]:
    """One tiny question to the reranker; nothing where none is set."""
    return await _check(_RERANKER, settings)


def _load_extractor(folder: ModelFolder) -> Extractor:
    from shisho.inference.extractor import FolderExtractor

    return FolderExtractor(folder)


def _load_reranker(folder: ModelFolder) -> Reranker:
    from shisho.inference.reranker import FolderReranker

    return FolderReranker(folder)


_EXTRACTOR: OnnxModelKind[Extractor] = OnnxModelKind(
    "extractor",
    _load_extractor,
    lambda extractor: extractor.score("司書", ["司書は本を探す。"], [[(0, 8)]]),
    lambda choice: NotFound(
        "The extractor {name} is not on this machine: `shisho models pull {name}` brings it, or "
        "`shisho models import FILE` what another machine exported. Until then sentences are chosen by rules.",
        name=choice,
    ),
    lambda choice: ExtraMissing(
        'The extractor {name} needs an extra: pip install "shisho[onnx]".', name=choice
    ),
)
_RERANKER: OnnxModelKind[Reranker] = OnnxModelKind(
    "reranker",
    _load_reranker,
    lambda reranker: reranker.score("司書", ["司書は本を探す。"]),
    lambda choice: NotFound(
        "The reranker {name} is not on this machine: `shisho models pull {name}` brings it, or "
        "`shisho models import FILE` what another machine exported. "
        "Until then passages stay in the order of the search.",
        name=choice,
    ),
    lambda choice: ExtraMissing(
        'The reranker {name} needs an extra: pip install "shisho[onnx]".', name=choice
    ),
)


def _build(kind: OnnxModelKind[M], settings: Settings) -> M | Message | None:
    choice = settings.text(kind.setting)
    if choice == "none":
        return None
    try:
        return _load(kind, settings, choice)
    except ShishoError as error:
        return error.message
    except OSError as error:
        return Message("{path} cannot be read: {why}.", path=choice, why=reason_of(error))


def _load(kind: OnnxModelKind[M], settings: Settings, choice: str) -> M:
    folder = find_model_folder(settings, choice)
    if folder is None:
        raise kind.not_found(choice)
    if not all(importlib.util.find_spec(module) for module in ("numpy", "onnxruntime", "tokenizers")):
        raise kind.extra_missing(choice)
    from shisho.inference.model_folder import read_folder

    return kind.load(read_folder(folder))


async def _check(kind: OnnxModelKind[M], settings: Settings) -> list[Check]:
    model = _build(kind, settings)
    if model is None:
        return []
    if isinstance(model, Message):
        return [Check(kind.setting, False, model, optional=True)]
    try:
        await kind.ask(model)
    except ShishoError as error:
        return [Check(kind.setting, False, error.message, optional=True)]
    return [Check(kind.setting, True, Message("{name} works", name=model.name), optional=True)]
