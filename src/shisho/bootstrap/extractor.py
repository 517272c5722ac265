"""Settings to a small extractor, and whether it works."""

from __future__ import annotations

from shisho.bootstrap.embedder import find_model_folder
from shisho.bootstrap.reranker import is_onnx_there
from shisho.domain.corpus import Check
from shisho.errors import ExtraMissing, NotFound, ShishoError
from shisho.messages.message import Message
from shisho.ports import Extractor
from shisho.settings import Settings


def build_extractor(settings: Settings) -> Extractor | Message | None:
    """The extractor that is set; a word why it cannot be had; None where none is set."""
    choice = settings.text("extractor")
    if choice == "none":
        return None
    try:
        return _chosen(settings, choice)
    except ShishoError as error:
        return error.message
    except OSError as error:
        return Message("{path} cannot be read: {why}.", path=choice, why=str(error))


async def check_extractor(settings: Settings) -> list[Check]:
    """One tiny question to the extractor; nothing where none is set."""
    extractor = build_extractor(settings)
    if extractor is None:
        return []
    if isinstance(extractor, Message):
        return [Check("extractor", False, extractor, optional=True)]
    try:
        await extractor.scores("司書", ["司書は本を探す。"], [[(0, 8)]])
    except ShishoError as error:
        return [Check("extractor", False, error.message, optional=True)]
    return [Check("extractor", True, Message("{name} works", name=extractor.name), optional=True)]


def _chosen(settings: Settings, choice: str) -> Extractor:
    folder = find_model_folder(settings, choice)
    if folder is None:
        raise NotFound(
            "The extractor {name} is not on this machine: `shisho models pull {name}` brings it, or "
            "`shisho models import FILE` what another machine exported. Until then sentences are chosen by rules.",
            name=choice,
        )
    if not is_onnx_there():
        raise ExtraMissing('The extractor {name} needs an extra: pip install "shisho[onnx]".', name=choice)
    from shisho.inference.extractor import FolderExtractor
    from shisho.inference.model_folder import read_folder

    return FolderExtractor(read_folder(folder))
