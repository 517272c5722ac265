"""The script of the fake provider: what it is asked, and what it is to reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ProviderRequest:
    """A call as it arrived. `instructions` and `texts`: the system's words and the turns after them;
    `schema`: the JSON Schema that the reply is held to."""

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
    """A reply and how it is sent. `ending`: `stop`, `length` or `refusal`. `delta_chars`: how many characters
    of the text stand in one event. `cut_bytes`: the stream is sent in pieces of so many bytes, wherever they
    end; 0: event by event. `escaped`: what is not ASCII goes over the wire as `\\uXXXX`. `delay_s`: before
    the first byte. `cited_url`: an address that the provider itself names as a source. `breaks`: the
    connection ends in the middle; `hangs`: nothing more comes after the middle. `page`: HTML that is sent in
    the place of a stream. `refusal`: OpenAI's words for why there is no reply. `thinking`: text
    that the model thinks before it replies."""

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
