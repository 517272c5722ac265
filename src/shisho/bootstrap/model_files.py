"""The embedding models of the home, and their download from the hub."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from shisho.bootstrap.embedder import MODELS
from shisho.bootstrap.web import consent_file
from shisho.domain.task import WebConsent
from shisho.errors import Conflict, ConsentRequired, InvalidParams
from shisho.settings import Settings, list_full_names
from shisho.system.clock import SystemClock

if TYPE_CHECKING:
    from shisho.inference.model_files import ModelFiles


def model_files(settings: Settings) -> ModelFiles:
    """Return the models of this machine."""
    from shisho.inference.model_files import ModelFiles

    return ModelFiles(settings.home / MODELS)


async def pull_model(settings: Settings, name: str, report: Callable[[int, int], None]) -> bool:
    """Download a model; return False if it is already complete, without using the network.

    `report(done, total)`: in bytes. Raises: ConsentRequired if the web is off, NotFound, AllFetchesFailed,
    InvalidParams.
    """
    from shisho.inference.model_pull import ModelPull

    files = model_files(settings)
    if "/" not in name and (names := list_full_names(name)):
        raise InvalidParams("models.partial_name", name=name, names=names)
    if files.is_whole(name):
        return False
    # Naming a model consents to sending that name; an earlier explicit refusal still counts.
    if consent_file(settings, SystemClock(), settings.text("web")).state() is WebConsent.OFF:
        raise ConsentRequired(
            "models.web_off",
            name=name,
        )
    return await ModelPull(files, settings.text("models_url"), report).pull(name)


def remove_model(settings: Settings, name: str) -> None:
    """Remove a model.

    Raises: InvalidParams for an invalid name, Conflict if the model is configured, NotFound.
    """
    files = model_files(settings)
    files.folder(name)  # raises for an invalid name
    if settings.text("embedder") == name:
        raise Conflict("models.in_use", name=name)
    files.remove(name)
