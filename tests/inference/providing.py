"""Language models that are asked of the fake provider."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from shisho.domain.model import ModelPrompt, ModelReply
from shisho.inference.llm import ChatLlm
from shisho.inference.providers import ModelAccess
from shisho.testing.model_providers import FakeProvider, ProviderReply

PROVIDERS = ("openai", "ollama", "gemini", "anthropic")
KEY = "sk-secret-of-the-test"
PATIENT_S = 120.0


@dataclass(frozen=True)
class Line:
    """One line."""

    text: str
    cites: tuple[int, ...]


@dataclass(frozen=True)
class Page:
    """Some lines."""

    lines: tuple[Line, ...]

    streamed: ClassVar[type] = Line


LINES = (Line("司書𠮷野は「決定係数」を調べた。", (1,)), Line("残差は小さい。", (1, 2)))
PAGE = Page(LINES)


def page_json(*, escaped: bool = False) -> str:
    lines = [{"text": line.text, "cites": list(line.cites)} for line in LINES]
    return json.dumps({"lines": lines}, ensure_ascii=escaped)


def llm_of(provider: FakeProvider, name: str, **changed: Any) -> ChatLlm:
    return ChatLlm(ModelAccess(name, "m-1", provider.build_url(name), KEY, **changed))


def prompt_of(seconds: float = PATIENT_S, repairs: int = 1) -> ModelPrompt:
    return ModelPrompt("Answer in lines.", "決定係数とは何か", "hash", 200, seconds, repairs)


async def ask_once(
    name: str, reply: ProviderReply, listen: Callable[[Any], None] | None = None, seconds: float = PATIENT_S
) -> tuple[ModelReply[Page], FakeProvider]:
    async with FakeProvider(lambda request: reply) as provider:
        return await llm_of(provider, name).ask(prompt_of(seconds), Page, listen), provider
