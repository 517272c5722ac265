"""The models below the home, and the way to the hub that they come from."""

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
    """The models that this machine has."""
    from shisho.inference.model_files import ModelFiles

    return ModelFiles(settings.home / MODELS)


async def pull_model(settings: Settings, name: str, report: Callable[[int, int], None]) -> bool:
    """Fetch a model; False where it is there, for which no network is looked at. `report(done, total)`:
    bytes. Raises ConsentRequired where the web is off, NotFound, AllFetchesFailed, InvalidParams."""
    from shisho.inference.model_pull import ModelPull

    files = model_files(settings)
    if "/" not in name and (names := list_full_names(name)):
        raise InvalidParams("models.partial_name", name=name, names=names)
    if files.is_whole(name):
        return False
    # Who names a model here says with it that this name may go out; a no that was said before stands.
    if consent_file(settings, SystemClock(), settings.text("web")).state() is WebConsent.OFF:
        raise ConsentRequired(
            "models.web_off",
            name=name,
        )
    return await ModelPull(files, settings.text("models_url"), report).pull(name)


def remove_model(settings: Settings, name: str) -> None:
    """Remove a model. Raises InvalidParams for what is no name, Conflict where it is the one that is set,
    NotFound."""
    files = model_files(settings)
    files.folder(name)  # raises for what is no name
    if settings.text("embedder") == name:
        raise Conflict("models.in_use", name=name)
    files.remove(name)
