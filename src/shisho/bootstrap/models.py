"""Settings to language models: which model thinks for which node, and whether it answers."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shisho.domain.corpus import Check
from shisho.domain.model import ModelFault, ModelPrompt
from shisho.errors import ExtraMissing, InvalidParams, ModelFailed, ShishoError
from shisho.messages.message import Message
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.ports import Llm

NODES = ("model_plan", "model_evaluate", "model_answer")
_TRIAL_TOKENS = 200
_REMEDIES = {
    ModelFault.UNREACHABLE: Message("start the models' server, or set model_url to where it is"),
    ModelFault.UNAUTHORISED: Message("set model_key"),
    ModelFault.UNKNOWN_MODEL: Message("have the server load the model, or name another one"),
    ModelFault.TIMEOUT: Message("raise model_seconds, or choose a smaller model"),
    ModelFault.MALFORMED: Message("choose a model that can be held to a JSON Schema"),
    ModelFault.TRUNCATED: Message("choose a model that can be held to a JSON Schema"),
}


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """A tiny reply, to see whether a model answers at all."""

    ready: bool


def model_of(settings: Settings, node: str) -> str:
    """The model of a node, as `provider/name`; empty where rules think."""
    name = settings.text(node) or settings.text("model")
    return "" if name == "none" else name


def build_llm(settings: Settings, node: str = "model") -> Llm | None:
    """The model of a node; None where rules think. Raises InvalidParams, and ExtraMissing where the packages
    are not installed."""
    name = model_of(settings, node)
    if not name:
        return None
    provider, _, model = name.partition("/")
    names = [model_of(settings, other) for other in ("model", *NODES)]
    if len({other.partition("/")[0] for other in names if other}) > 1:
        raise InvalidParams(
            "All models are asked of one provider, as there is one model_url and one model_key: {models}.",
            models=", ".join(dict.fromkeys(filter(None, names))),
        )
    if importlib.util.find_spec("langchain_core") is None:
        raise ExtraMissing('The setting "model" needs an extra: pip install "shisho[models]"')
    from shisho.inference.llm import ChatLlm
    from shisho.inference.providers import ModelAccess

    access = ModelAccess(
        provider,
        model,
        settings.text("model_url"),
        settings.text("model_key"),
        settings.whole("model_context"),
    )
    return ChatLlm(access)


async def check_model(settings: Settings) -> Check:
    """One tiny call of the configured model."""
    node = next((node for node in ("model", *NODES) if model_of(settings, node)), "")
    if not node:
        return Check("model", False, Message("none: answers are quotations only"), optional=True)
    started = time.monotonic()
    prompt = ModelPrompt(
        "Reply with one JSON object of the given schema.",
        "Are you ready? Reply with ready = true.",
        "",
        _TRIAL_TOKENS,
        settings.real("model_seconds"),
    )
    try:
        llm = await asyncio.to_thread(build_llm, settings, node)
        if llm is not None:
            await llm.ask(prompt, ModelTrial)
    except ModelFailed as error:
        remedy = _REMEDIES.get(ModelFault(error.fault), Message("see docs/settings.md"))
        return Check("model", False, error.message, remedy, optional=True)
    except ShishoError as error:
        return Check("model", False, error.message, optional=True)
    seconds = round(time.monotonic() - started, 1)
    model = model_of(settings, node)
    detail = Message("{model} replied in {seconds} s", model=model, seconds=seconds)
    return Check("model", True, detail, optional=True)
