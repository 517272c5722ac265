"""Verbs over the models of this machine, for programs with a user interface: routes without tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from shisho.domain.embedding import EmbeddingProgress, StoredModel
from shisho.domain.model import FoundModel, ModelSetting, ModelWork
from shisho.interfaces.api.operations import Effect, Verb
from shisho.interfaces.api.replies import Name
from shisho.messages import Message
from shisho.records import dataclass
from shisho.services import Library


@dataclass(frozen=True, slots=True)
class ModelOverview:
    """The embedders on this machine, and the progress of embedding and of model work.

    `embedding`: null without an embedder, or if the caller does not own the machine. `work`: the current or
    latest work, null if there was none since the start.
    """

    stored: tuple[StoredModel, ...]
    embedding: EmbeddingProgress | None
    work: ModelWork | None


@dataclass(frozen=True, slots=True)
class ModelTrialResult:
    """Result of trying the language model.

    `detail`: what it did, or what failed; `remedy`: how to fix it.
    """

    ok: bool
    detail: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The configured language model, and those of servers on this machine.

    `has_key`: a key is stored; the key itself is never returned.
    """

    model: str
    url: str
    has_key: bool
    local: tuple[FoundModel, ...]


@dataclass(frozen=True, slots=True)
class ModelWorkBegun:
    """The work that has started."""

    work: ModelWork


async def get_models(library: Library) -> ModelOverview:
    """List the embedding models on this machine, with the current download or measurement."""
    stored = tuple(await library.models.list_stored())
    return ModelOverview(stored, await library.models.get_progress(), library.models.get_work())


async def pull_model(
    library: Library, name: Annotated[Name, Field(description="owner/name, as `shisho models pull` takes it")]
) -> ModelWorkBegun:
    """Start downloading an embedding model, or resume its download. get_models reports the progress."""
    return ModelWorkBegun(await library.models.begin_pull(name))


async def get_model(library: Library) -> ModelChoice:
    """Get the configured language model, and those of Ollama, LM Studio and llama.cpp on this machine."""
    chosen = library.models.get_chosen()
    return ModelChoice(chosen.name, chosen.url, bool(chosen.key), tuple(await library.models.find()))


async def set_model(
    library: Library,
    model: Annotated[Name, Field(description="provider/name, or none")],
    url: Annotated[str, Field(description="address of its server; empty: the provider's own")] = "",
    key: Annotated[str | None, Field(description="its key; left out: the stored one")] = None,
) -> ModelChoice:
    """Set the language model for future questions.

    A stored key is only kept for the same provider and address.
    """
    await library.models.choose(ModelSetting(model, url, key))
    return await get_model(library)


async def try_model(
    library: Library,
    model: Annotated[str, Field(description="provider/name; empty: the configured one")] = "",
    url: Annotated[str, Field(description="address of its server; empty: the provider's own")] = "",
    key: Annotated[str | None, Field(description="its key; left out: the stored one")] = None,
) -> ModelTrialResult:
    """Call the language model once, and report its measurements or why it failed."""
    check = await library.models.check(ModelSetting(model, url, key) if model else None)
    return ModelTrialResult(check.ok, check.detail, check.remedy)


async def calibrate_models(
    library: Library, folder: Annotated[Name, Field(description="a set of questions below allowed_roots")]
) -> ModelWorkBegun:
    """Start measuring the best weights of words and meaning on a set of questions, and store them.

    get_models reports the result.
    """

    async def measure(root: Path) -> str:
        from shisho.evaluation.calibrate import calibrate

        outcome = await calibrate(library.models.get_calibration_target(), root)
        return Message(
            "models.calibrated",
            japanese=outcome.share.japanese,
            english=outcome.share.english,
        )

    return ModelWorkBegun(await library.models.begin_calibration(folder, measure))


VERBS = (
    Verb(get_models, ModelOverview, "Models", ("GET", "/models"), Effect("read")),
    Verb(
        pull_model, ModelWorkBegun, "Download a model", ("POST", "/models/pull"), Effect("add", outside=True)
    ),
    Verb(get_model, ModelChoice, "Language model", ("GET", "/model"), Effect("read")),
    Verb(set_model, ModelChoice, "Set the language model", ("POST", "/model"), Effect("change")),
    Verb(try_model, ModelTrialResult, "Try the model", ("POST", "/models/try"), Effect("read", outside=True)),
    Verb(calibrate_models, ModelWorkBegun, "Calibrate", ("POST", "/models/calibrate"), Effect("change")),
)
