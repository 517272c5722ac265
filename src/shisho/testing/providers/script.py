"""The script of the fake provider: its requests and its replies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any

from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class ProviderRequest:
    """A received call.

    `instructions` and `texts`: the system prompt and the turns after it. `schema`: the JSON Schema of the
    reply.
    """

    provider: str
    model: str
    instructions: str
    texts: tuple[str, ...]
    schema: Mapping[str, Any]
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


@dataclass(frozen=True, slots=True)
class ProviderReply:
    r"""A reply and its transmission.

    `ending`: `stop`, `length` or `refusal`. `delta_chars`: characters of the text in one event. `cut_bytes`:
    send the stream in pieces of this size, regardless of events; 0: event by event. `escaped`: encode
    non-ASCII characters as `\uXXXX`. `delay_s`: before the first byte. `cited_url`: an address that the
    provider itself names as a source. `breaks`: the connection ends in the middle; `hangs`: nothing is sent
    after the middle. `page`: HTML in place of a stream. `refusal`: OpenAI's reason for a missing reply.
    `thinking`: the model's thinking before the reply.
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: str = "stop"
    input_tokens: int = 100
    output_tokens: int = 20
    delta_chars: int = 8
    cut_bytes: int = 0
    escaped: bool = False
    delay_s: float = 0.0
    cited_url: str = ""
    breaks: bool = False
    hangs: bool = False
    page: str = ""
    refusal: str = ""
    thinking: str = ""


Script = Callable[[ProviderRequest], ProviderReply | Awaitable[ProviderReply]]
