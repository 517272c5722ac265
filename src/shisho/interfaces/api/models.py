"""Verbs over the models of this machine, for programs with a user interface: routes without tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from shisho.domain.embedding import EmbeddingProgress, StoredModel
from shisho.domain.model import FoundModel, ModelSetting, ModelWork
from shisho.interfaces.api.operations import Effect, Verb
from shisho.interfaces.api.replies import Name
from shisho.messages.message import Message
from shisho.records import dataclass
from shisho.services import Library


@dataclass(frozen=True, slots=True)
class ModelOverview:
    """The embedders on this machine; how many passages have a vector, null where there is no embedder or the
    caller is not the owner of the machine; and what goes on, or went on last, null where nothing has since
    the start.
    """

    stored: tuple[StoredModel, ...]
    embedding: EmbeddingProgress | None
    work: ModelWork | None


@dataclass(frozen=True, slots=True)
class ModelTrialResult:
    """Result of trying the language model. `detail`: what it did, or what failed; `remedy`: what to do
    then.
    """

    ok: bool
    detail: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The language model that is set, and those of servers on this machine. Of a key it only says whether one
    is set.
    """

    model: str
    url: str
    has_key: bool
    local: tuple[FoundModel, ...]


@dataclass(frozen=True, slots=True)
class ModelWorkBegun:
    """What goes on from now."""

    work: ModelWork


async def get_models(library: Library) -> ModelOverview:
    """The embedding models on this machine, and what is being fetched or measured."""
    stored = tuple(await library.models.list_stored())
    return ModelOverview(stored, await library.models.get_progress(), library.models.get_work())


async def pull_model(
    library: Library, name: Annotated[Name, Field(description="owner/name, as `shisho models pull` takes it")]
) -> ModelWorkBegun:
    """Begin to fetch an embedding model; get_models says how far it is. What was broken off goes on."""
    return ModelWorkBegun(await library.models.begin_pull(name))


async def get_model(library: Library) -> ModelChoice:
    """The language model that is set, and the models of Ollama, LM Studio and llama.cpp on this machine."""
    chosen = library.models.get_chosen()
    return ModelChoice(chosen.name, chosen.url, bool(chosen.key), tuple(await library.models.find()))


async def set_model(
    library: Library,
    model: Annotated[Name, Field(description="provider/name, or none")],
    url: Annotated[str, Field(description="address of its server; empty: the provider's own")] = "",
    key: Annotated[str | None, Field(description="its key; left out: the stored one")] = None,
) -> ModelChoice:
    """Set the language model from the next question on. A stored key is only kept for the same provider and
    address.
    """
    await library.models.choose(ModelSetting(model, url, key))
    return await get_model(library)


async def try_model(
    library: Library,
    model: Annotated[str, Field(description="provider/name; empty: the one that is set")] = "",
    url: Annotated[str, Field(description="address of its server; empty: the provider's own")] = "",
    key: Annotated[str | None, Field(description="its key; left out: the stored one")] = None,
) -> ModelTrialResult:
    """Make one real call of the language model, and say what was measured or why it failed."""
    check = await library.models.check(ModelSetting(model, url, key) if model else None)
    return ModelTrialResult(check.ok, check.detail, check.remedy)


async def calibrate_models(
    library: Library, folder: Annotated[Name, Field(description="a set of questions below allowed_roots")]
) -> ModelWorkBegun:
    """Begin to measure on a set of questions how much words count beside meaning, and keep what is best;
    get_models says what came of it.
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
    Verb(get_models, ModelOverview, "Models", ("GET", "/models"), Effect.READ),
    Verb(pull_model, ModelWorkBegun, "Fetch a model", ("POST", "/models/pull"), Effect.ADD, outside=True),
    Verb(get_model, ModelChoice, "Language model", ("GET", "/model"), Effect.READ),
    Verb(set_model, ModelChoice, "Set the language model", ("POST", "/model"), Effect.CHANGE),
    Verb(try_model, ModelTrialResult, "Try the model", ("POST", "/models/try"), Effect.READ, outside=True),
    Verb(calibrate_models, ModelWorkBegun, "Calibrate", ("POST", "/models/calibrate"), Effect.CHANGE),
)
