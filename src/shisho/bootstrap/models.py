"""Settings to language models: which model thinks for which node, and whether it answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shisho.bootstrap.setting_values import SET
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
from shisho.messages.message import Message
from shisho.settings import Settings, Value, reread, write_settings

if TYPE_CHECKING:
    from shisho.inference.llm import ChatLlm
    from shisho.librarian.model_policy import ModelPolicy
    from shisho.librarian.policy import Policy
    from shisho.ports import BorrowedModel, Llm

NODES = ("model_plan", "model_evaluate", "model_answer")


@dataclass(frozen=True, slots=True)
class ModelPreset:
    """The allowance of models for one question: `nodes` by name, each with its setting; the budget of calls,
    and of tokens where the context is `BASE_CONTEXT` or less."""

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
THOROUGH = "thorough"
"""The preset whose rounds read as much as the context holds."""
BASE_CONTEXT = 8_192  # tokens; with a larger one the budget of tokens grows in proportion


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """A tiny reply, to see whether a model answers at all."""

    ready: bool


def model_of(settings: Settings, node: str) -> str:
    """The model of a node, as `provider/name`; empty where rules think."""
    name = settings.text(node) or settings.text("model")
    return "" if name == "none" else name


def build_llm(settings: Settings, node: str = "model") -> ChatLlm | None:
    """The model of a node; None where rules think. Raises InvalidParams, and ExtraMissing where the packages
    are not installed."""
    name = model_of(settings, node)
    if not name:
        return None
    provider, _, model = name.partition("/")
    names = [model_of(settings, other) for other in ("model", *NODES)]
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
        settings.text("model_url"),
        settings.text("model_key"),
        settings.read_int("model_context"),
    )
    check_access(access)
    return ChatLlm(access)


def build_policy(settings: Settings) -> ModelPolicy | None:
    """Build what thinks for the librarian's nodes; None where no node has a model. Raises as `build_llm`."""
    preset = PRESETS[settings.text("preset")]
    # One client for each model: it learns what its server does not know.
    built = {model_of(settings, setting): setting for setting in preset.nodes.values()}
    clients = {model: build_llm(settings, setting) for model, setting in built.items()}
    llm_of_node = {node: clients[model_of(settings, setting)] for node, setting in preset.nodes.items()}
    if model_of(settings, "model_evaluate") != model_of(settings, "model_answer"):
        del llm_of_node["fact"]  # one model reads, another one writes
    llms = {node: llm for node, llm in llm_of_node.items() if llm is not None}
    if not llms:
        return None
    from shisho.librarian.model_calls import ModelLimits
    from shisho.librarian.model_policy import ModelPolicy

    limits = ModelLimits(settings.read_int("model_context"), settings.read_float("model_seconds"))
    return ModelPolicy(llms, limits, fills_room=settings.text("preset") == THOROUGH)


class CurrentPolicy:
    """The policy of the settings as they are now: a model that was set counts from the next question."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._built: tuple[Mapping[str, Value], ModelPolicy | None] | None = None

    def __call__(self) -> ModelPolicy | None:
        now = reread(self._settings)
        if self._built is None or self._built[0] != now.values:
            self._built = (now.values, build_policy(now))
        return self._built[1]


def build_borrowed_policy(settings: Settings, model: BorrowedModel) -> Policy | None:
    """Return the policy that asks a model which is lent; None if one is set."""
    settings = reread(settings)
    if any(model_of(settings, node) for node in ("model", *NODES)):
        return None
    from shisho.inference.borrowed import BorrowedLlm
    from shisho.librarian.model_calls import ModelLimits
    from shisho.librarian.model_policy import ModelPolicy

    preset = PRESETS[settings.text("preset")]
    limits = ModelLimits(settings.read_int("model_context"), settings.read_float("model_seconds"))
    return ModelPolicy(dict.fromkeys(preset.nodes, BorrowedLlm(model.name, model.reply)), limits)


def build_recorded_policy(settings: Settings, uses: Sequence[ModelUse]) -> Policy | None:
    """The policy that replies as these uses did, without any server; None where rules have thought. Raises
    ExtraMissing where the packages are not installed that read replies."""
    if not uses:
        return None
    from shisho.inference.recorded import RecordedLlm
    from shisho.librarian.model_calls import ModelLimits
    from shisho.librarian.model_policy import ModelPolicy

    limits = ModelLimits(settings.read_int("model_context"), settings.read_float("model_seconds"))
    nodes = dict.fromkeys(use.node for use in uses)
    llms: Mapping[str, Llm] = {node: RecordedLlm([use for use in uses if use.node == node]) for node in nodes}
    return ModelPolicy(llms, limits)


def model_ceilings(settings: Settings) -> Mapping[str, float | None]:
    """The calls and tokens of one question, as `domain.inquiry.Budget` names them."""
    preset = PRESETS[settings.text("preset")]
    contexts = max(1.0, settings.read_int("model_context") / BASE_CONTEXT)
    return {
        "max_model_calls": preset.max_model_calls,
        "max_tokens": int(preset.max_tokens * contexts),
    }


async def find_models() -> Sequence[FoundModel]:
    """Return the models of servers that run on this machine."""
    from shisho.inference.local_servers import find_models

    return await find_models()


async def measure_model(settings: Settings) -> ModelMeasurement:
    """Make one real call with the caps of real prompts. Raises InvalidParams if no model is set, ModelFailed,
    ExtraMissing."""
    from shisho.librarian.prompting import load_prompt

    node = next((node for node in ("model", *NODES) if model_of(settings, node)), "")
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
    if not any(model_of(settings, node) for node in ("model", *NODES)):
        return Check("model", False, Message("model.none"), optional=True)
    try:
        measured = await measure_model(settings)
    except ModelFailed as error:
        return Check("model", False, error.message, FAULT_REMEDIES[ModelFault(error.fault)], optional=True)
    except ShishoError as error:
        return Check("model", False, error.message, optional=True)
    return Check("model", True, describe_measurement(measured), optional=True)


def describe_measurement(measured: ModelMeasurement) -> Message:
    """Return what was measured, in one line."""
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


def read_model(settings: Settings) -> ModelSetting:
    """Return the model that is set, without its key."""
    return ModelSetting(
        settings.text("model"), settings.text("model_url"), settings.text("model_key") and SET
    )


def with_model(settings: Settings, choice: ModelSetting) -> Settings:
    """Return the settings with another model, for a trial. The stored key only goes to the address that it
    was stored for."""
    return Settings({**settings.values, **_list_changes(settings, choice)}, settings.origins)


def set_model(settings: Settings, choice: ModelSetting) -> None:
    """Write the model into settings.toml. It counts from the next question. Raises as `write_settings`, and
    as `build_llm`."""
    build_llm(with_model(settings, choice))
    changes = _list_changes(settings, choice)
    if choice.key is None and settings.origins["model_key"] in ("environment", "call"):
        del changes["model_key"]  # it stays where it is
    write_settings(settings, changes)


def is_same_server(settings: Settings, other: Settings) -> bool:
    """Return whether both name the same provider and address, so that a key of one is for the other too."""
    return _name_server(settings) == _name_server(other)


def _name_server(settings: Settings) -> tuple[str, str]:
    return settings.text("model").partition("/")[0], settings.text("model_url")


def _list_changes(settings: Settings, choice: ModelSetting) -> dict[str, Value]:
    is_same = (choice.name.partition("/")[0], choice.url) == _name_server(settings)
    key = choice.key if choice.key is not None else settings.text("model_key") if is_same else ""
    nodes: dict[str, Value] = {node: "" for node in NODES if settings.text(node)}
    return {"model": choice.name, "model_url": choice.url, "model_key": key, **nodes}
