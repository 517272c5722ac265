"""Build language models from settings: the model of each node, and its test call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shisho.domain.corpus import Check
from shisho.domain.model import (
    FAULT_REMEDIES,
    FoundModel,
    ModelFault,
    ModelMeasurement,
    ModelPrompt,
    ModelSetting,
    ModelUse,
)
from shisho.errors import InvalidParams, ModelFailed, ShishoError
from shisho.messages import Message
from shisho.records import dataclass
from shisho.settings import Settings, Value, reread, write_settings

if TYPE_CHECKING:
    from shisho.inference.llm import ChatLlm
    from shisho.librarian.model_policy import ModelPolicy
    from shisho.librarian.policy import Policy
    from shisho.ports import BorrowedModel, Embedder, Llm

NODES = ("model_plan", "model_evaluate", "model_answer")


@dataclass(frozen=True, slots=True)
class ModelPreset:
    """The model allowance of one question.

    `nodes`: the setting that names the model of each node. The token budget is for contexts up to
    `BASE_CONTEXT`.
    """

    nodes: Mapping[str, str]
    max_model_calls: int
    max_tokens: int


_READING = {
    "evaluate": "model_evaluate",
    "fact": "model_answer",
    "answer": "model_answer",
    "judge": "model_answer",
}
_ALL = {"strategy": "model_plan", "plan": "model_plan", **_READING}
PRESETS: Mapping[str, ModelPreset] = {
    "fast": ModelPreset(_READING, 5, 40_000),
    "balanced": ModelPreset(_ALL, 10, 80_000),
    "thorough": ModelPreset(_ALL, 20, 240_000),
}
SET = "set"  # shown in place of a secret
THOROUGH = "thorough"
"""The preset whose rounds read as much as fits the context."""
BASE_CONTEXT = 8_192  # tokens; with a larger one the budget of tokens grows in proportion


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """A short test reply of a model."""

    ready: bool


def get_model_name(settings: Settings, node: str) -> str:
    """Return the model of a node as `provider/name`; empty if the node uses rules."""
    name = settings.read_text(node) or settings.read_text("model")
    return "" if name == "none" else name


def build_llm(settings: Settings, node: str = "model") -> ChatLlm | None:
    """Build the model of a node; None if the node uses rules.

    Raises: InvalidParams, ExtraMissing if its packages are not installed.
    """
    name = get_model_name(settings, node)
    if not name:
        return None
    provider, _, model = name.partition("/")
    names = [get_model_name(settings, other) for other in ("model", *NODES)]
    if len({other.partition("/")[0] for other in names if other}) > 1:
        raise InvalidParams(
            "model.several_providers",
            models=", ".join(dict.fromkeys(filter(None, names))),
        )
    from shisho.inference.llm import ChatLlm
    from shisho.inference.providers import ModelAccess, check_access

    access = ModelAccess(
        provider,
        model,
        settings.read_text("model_url"),
        settings.read_text("model_key"),
        settings.read_int("model_context"),
    )
    check_access(access)
    return ChatLlm(access)


def build_policy(settings: Settings, embedder: Embedder | None = None) -> ModelPolicy | None:
    """Build the policy of the librarian's nodes; None if no node has a model.

    `embedder`: compares goals with the question.

    Raises: the errors of `build_llm`.
    """
    preset = PRESETS[settings.read_text("preset")]
    # One client for each model: it remembers the features that its server lacks.
    built = {get_model_name(settings, setting): setting for setting in preset.nodes.values()}
    clients = {model: build_llm(settings, setting) for model, setting in built.items()}
    llm_of_node = {node: clients[get_model_name(settings, setting)] for node, setting in preset.nodes.items()}
    if get_model_name(settings, "model_evaluate") != get_model_name(settings, "model_answer"):
        del llm_of_node["fact"]  # one model reads, another one writes
    llms = {node: llm for node, llm in llm_of_node.items() if llm is not None}
    if not llms:
        return None
    from shisho.librarian.model_calls import ModelLimits
    from shisho.librarian.model_policy import ModelPolicy

    limits = ModelLimits(settings.read_int("model_context"), settings.read_float("model_seconds"))
    from shisho.librarian.model_relatedness import Relatedness

    fills_room = settings.read_text("preset") == THOROUGH
    return ModelPolicy(llms, limits, fills_room=fills_room, relatedness=Relatedness(embedder))


class CurrentPolicy:
    """The policy of the current settings: a changed model is used from the next question."""

    def __init__(self, settings: Settings, embedder: Embedder | None) -> None:
        self._settings = settings
        self._embedder = embedder
        self._built: tuple[Mapping[str, Value], ModelPolicy | None] | None = None

    def __call__(self) -> ModelPolicy | None:
        now = reread(self._settings)
        if self._built is None or self._built[0] != now.values:
            self._built = (now.values, build_policy(now, self._embedder))
        return self._built[1]


def build_borrowed_policy(
    settings: Settings, embedder: Embedder | None, model: BorrowedModel
) -> Policy | None:
    """Return the policy that uses the client's model; None if a model is configured here."""
    settings = reread(settings)
    if any(get_model_name(settings, node) for node in ("model", *NODES)):
        return None
    from shisho.inference.borrowed import BorrowedLlm
    from shisho.librarian.model_calls import ModelLimits
    from shisho.librarian.model_policy import ModelPolicy
    from shisho.librarian.model_relatedness import Relatedness

    preset = PRESETS[settings.read_text("preset")]
    limits = ModelLimits(settings.read_int("model_context"), settings.read_float("model_seconds"))
    llms = dict.fromkeys(preset.nodes, BorrowedLlm(model.name, model.reply))
    return ModelPolicy(llms, limits, relatedness=Relatedness(embedder))


def build_recorded_policy(settings: Settings, uses: Sequence[ModelUse]) -> Policy:
    """Build the policy that replays recorded model replies, without a server.

    Raises: ExtraMissing if the packages that parse replies are not installed.
    """
    from shisho.inference.borrowed import RecordedLlm
    from shisho.librarian.model_calls import ModelLimits
    from shisho.librarian.model_policy import ModelPolicy
    from shisho.librarian.model_relatedness import AssumedRelatedness

    limits = ModelLimits(settings.read_int("model_context"), settings.read_float("model_seconds"))
    nodes = dict.fromkeys(use.node for use in uses)
    llms: Mapping[str, Llm] = {node: RecordedLlm([use for use in uses if use.node == node]) for node in nodes}
    return ModelPolicy(llms, limits, relatedness=AssumedRelatedness())


def read_model_ceilings(settings: Settings) -> Mapping[str, float | None]:
    """Return the call and token limits of one question, by their names in `domain.inquiry.Budget`."""
    preset = PRESETS[settings.read_text("preset")]
    contexts = max(1.0, settings.read_int("model_context") / BASE_CONTEXT)
    return {
        "max_model_calls": preset.max_model_calls,
        "max_tokens": int(preset.max_tokens * contexts),
    }


class ConfiguredModel:
    """The language model of the current settings, for `services.models`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def get_chosen(self) -> ModelSetting:
        """Return the configured model, without its key."""
        settings = reread(self._settings)
        return ModelSetting(
            settings.read_text("model"),
            settings.read_text("model_url"),
            settings.read_text("model_key") and SET,
        )

    def choose(self, setting: ModelSetting) -> None:
        """Write the model into settings.toml. Raises as `set_model`."""
        set_model(reread(self._settings), setting)

    async def check(self, setting: ModelSetting | None) -> Check:
        """Report one real call of the configured model, or of another one."""
        settings = reread(self._settings)
        return await check_model(settings if setting is None else with_model(settings, setting))

    async def find_served(self) -> Sequence[FoundModel]:
        """Return the models of servers that run on this machine."""
        return await find_models()


async def find_models() -> Sequence[FoundModel]:
    """Return the models of servers that run on this machine."""
    from shisho.inference.local_servers import find_models

    return await find_models()


async def measure_model(settings: Settings) -> ModelMeasurement:
    """Make one real call with the output limit of real prompts.

    Raises: InvalidParams if no model is set, ModelFailed, ExtraMissing.
    """
    from shisho.librarian.prompting import load_prompt

    node = next((node for node in ("model", *NODES) if get_model_name(settings, node)), "")
    llm = await asyncio.to_thread(build_llm, settings, node) if node else None
    if llm is None:
        raise InvalidParams("model.none_set")
    prompt = ModelPrompt(
        "Reply with one JSON object of the given schema.",
        "Are you ready? Reply with ready = true.",
        "",
        load_prompt("evaluate").max_output_tokens,  # the largest
        settings.read_float("model_seconds"),
    )
    started = time.monotonic()
    reply = await llm.ask(prompt, ModelTrial)
    usage = reply.usage
    return ModelMeasurement(
        llm.name,
        round(time.monotonic() - started, 1),
        usage.input_tokens,
        usage.output_tokens,
        llm.sends_schema,
        reply.repairs,
        llm.thinking_tokens > 0,
    )


async def check_model(settings: Settings) -> Check:
    """Report one real call of the configured model."""
    if not any(get_model_name(settings, node) for node in ("model", *NODES)):
        return Check("model", False, Message("model.none"), optional=True)
    try:
        measured = await measure_model(settings)
    except ModelFailed as error:
        return Check("model", False, error.message, FAULT_REMEDIES[ModelFault(error.fault)], optional=True)
    except ShishoError as error:
        return Check("model", False, error.message, optional=True)
    return Check("model", True, describe_measurement(measured), optional=True)


def describe_measurement(measured: ModelMeasurement) -> Message:
    """Return the measurement as one line."""
    schema = Message("model.schema_accepted") if measured.schema else Message("model.schema_in_words")
    thinking = Message("model.thinks") if measured.is_thinking else Message("model.thinks_not")
    return Message(
        "model.replied",
        model=measured.model,
        seconds=measured.seconds,
        input=measured.input_tokens,
        output=measured.output_tokens,
        schema=schema,
        repairs=measured.repairs,
        thinking=thinking,
    )


def with_model(settings: Settings, choice: ModelSetting) -> Settings:
    """Return the settings with another model, for a test call.

    The stored key is only sent to the address that it was stored for.
    """
    return Settings({**settings.values, **_list_changes(settings, choice)}, settings.origins)


def set_model(settings: Settings, choice: ModelSetting) -> None:
    """Write the model into settings.toml; it is used from the next question.

    Raises: the errors of `write_settings` and `build_llm`.
    """
    build_llm(with_model(settings, choice))
    changes = _list_changes(settings, choice)
    if choice.key is None and settings.origins["model_key"] in ("environment", "call"):
        del changes["model_key"]  # the key stays in the environment or the call
    write_settings(settings, changes)


def is_same_server(settings: Settings, other: Settings) -> bool:
    """Return whether both name the same provider and address, so that they can share a key."""
    return _read_server(settings) == _read_server(other)


def _read_server(settings: Settings) -> tuple[str, str]:
    return settings.read_text("model").partition("/")[0], settings.read_text("model_url")


def _list_changes(settings: Settings, choice: ModelSetting) -> dict[str, Value]:
    is_same = (choice.name.partition("/")[0], choice.url) == _read_server(settings)
    key = choice.key if choice.key is not None else settings.read_text("model_key") if is_same else ""
    nodes: dict[str, Value] = {node: "" for node in NODES if settings.read_text(node)}
    return {"model": choice.name, "model_url": choice.url, "model_key": key, **nodes}
