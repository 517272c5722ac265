"""The clients of language models, each as a stream of deltas.

A client is imported at its first call and gets every setting from the caller: keys, addresses and proxies of
the environment are never used.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import field
from functools import cache
from importlib.util import find_spec
from typing import Any

from shisho.errors import ExtraMissing, InvalidParams
from shisho.inference.lazy_package import defer_packages
from shisho.plugins import MODELS, find_plugin, find_plugins, load_plugin
from shisho.records import dataclass

# A kept connection would outlive the event loop it was made in.
_HEADERS = {"Connection": "close"}
_NO_KEY = "none"  # the clients require a key even if the server does not
_TEMPERATURE = 0.0
_ANTHROPIC_PARTS = (
    "lib.streaming",
    "lib.tools",
    "resources",
    "resources.messages",
    "types",
    "types.beta",
    "types.beta.organization",
    "types.beta.sessions",
    "types.organization",
    "types.shared",
)
_OPENAI_TYPES = (
    "types",
    "types.beta",
    "types.chat",
    "types.realtime",
    "types.responses",
    "types.shared",
    "types.shared_params",
)
_THINKING_BUDGET = 512  # tokens: the least that all thinking models of Gemini accept
_ROLES = {"ai": "assistant", "human": "user", "system": "system"}

Messages = list[tuple[str, str]]
"""Pairs of a role (`system`, `human`, `ai`) and a text."""


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """A model and its server.

    `url`: empty for the provider's own. `context`: the context window of a local model, in tokens.
    `unknown_parts`: parts of a call that the server has rejected.
    """

    provider: str
    model: str
    url: str = ""
    key: str = field(default="", repr=False)
    context: int = 8192
    unknown_parts: frozenset[str] = frozenset()

    @property
    def optional_parts(self) -> frozenset[str]:
        """The parts that a call to this provider can omit and has not omitted yet."""
        parts = {"response_format", *find_provider(self.provider).optional_parts}
        if not self.url:
            parts -= {"max_tokens", "chat_template"}
        return frozenset(parts - self.unknown_parts)

    def can_send(self, part: str) -> bool:
        """Return whether calls to this server include an optional part."""
        return part in self.optional_parts

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request. `schema`: the JSON Schema of the reply; None if the server accepts none."""

    messages: Messages
    schema: Mapping[str, Any] | None
    max_output_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ModelDelta:
    """A piece of a streamed reply.

    `thinking`: text that a model writes before its reply. `ending`: why the reply
    ended. Counts of tokens replace earlier ones; 0 if not counted.
    """

    text: str = ""
    thinking: str = ""
    ending: str = ""
    is_refusal: bool = False
    input_tokens: int = 0
    output_tokens: int = 0


StreamCall = Callable[[ModelCall], AsyncGenerator[ModelDelta]]


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of models. The setting `model` begins with the name that it is registered under.

    `module` is the one of its client, which the extra of the same name installs. `open` builds the client,
    which may take a second of imports, and returns the function that makes one call. `optional_parts`: parts
    of a call that are omitted if the server rejects them. `needs_key`: a key or an address is required.
    """

    module: str
    open: Callable[[ModelAccess, float], StreamCall]
    optional_parts: frozenset[str] = frozenset()
    needs_key: bool = True


@cache
def find_provider(name: str) -> Provider:
    """Return a provider by the first part of the setting `model`: a built-in one or a plug-in's.

    Raises:
        InvalidParams: There is none of this name, or its plug-in is broken.
    """
    plugin = find_plugin(MODELS, name)
    provider = load_plugin(plugin) if plugin else None
    if not isinstance(provider, Provider):
        raise InvalidParams(
            "model.unknown_provider",
            provider=name,
            providers=", ".join(known.name for known in find_plugins(MODELS)),
        )
    return provider


def open_client(access: ModelAccess, seconds: float) -> StreamCall:
    """Return the function that makes one call, to be awaited in the event loop."""
    return find_provider(access.provider).open(access, seconds)


def check_access(access: ModelAccess) -> None:
    """Check the provider and the key.

    Raises: InvalidParams if wrong or missing, ExtraMissing without its client.
    """
    if find_provider(access.provider).needs_key and not (access.key or access.url):
        raise InvalidParams(
            "model.key_missing",
            provider=access.provider,
        )
    if not has_client(access.provider):
        raise ExtraMissing(
            "model.package_missing",
            provider=access.provider,
            extra=access.provider,
        )


def has_client(provider: str) -> bool:
    """Return whether the client of a provider is installed."""
    try:
        return find_spec(find_provider(provider).module) is not None
    except ModuleNotFoundError:  # not even `google`
        return False


@cache
def _create_tls() -> ssl.SSLContext:
    """Create the TLS context once per process: loading the certificates takes 50 ms."""
    return ssl.create_default_context()


def _make_http_options(seconds: float) -> dict[str, Any]:
    """Return HTTP options without redirects and proxies: words only go to the configured server."""
    return {"timeout": seconds, "trust_env": False, "follow_redirects": False, "verify": _create_tls()}


def _make_role_messages(messages: Messages) -> list[Any]:
    return [{"role": _ROLES[role], "content": text} for role, text in messages]


def _open_openai(access: ModelAccess, seconds: float) -> StreamCall:
    from httpx2 import AsyncClient

    defer_packages("openai", *_OPENAI_TYPES)
    from openai import AsyncOpenAI

    client = AsyncOpenAI(
        base_url=access.url or "https://api.openai.com/v1",
        api_key=access.key or _NO_KEY,
        max_retries=0,
        default_headers=_HEADERS,
        http_client=AsyncClient(**_make_http_options(seconds)),
    )
    client.organization = client.project = None  # the client takes both from the environment,
    client._custom_headers = _HEADERS  # and headers, a key among them

    async def stream(call: ModelCall) -> AsyncGenerator[ModelDelta]:
        # Other servers only know `max_tokens`; OpenAI's reasoning models only accept the new name.
        limit = "max_tokens" if access.can_send("max_tokens") else "max_completion_tokens"
        body: dict[str, Any] = {limit: call.max_output_tokens}
        if access.url and access.can_send("temperature"):
            body["temperature"] = _TEMPERATURE
        if access.can_send("stream_options"):
            body["stream_options"] = {"include_usage": True}
        if access.can_send("reasoning_effort"):
            body["reasoning_effort"] = "low"
        if access.can_send("chat_template"):  # llama.cpp and vLLM
            body["extra_body"] = {"chat_template_kwargs": {"enable_thinking": False}}
        if call.schema is not None:
            json_schema = {"name": call.schema["title"], "schema": call.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        async with client:
            chunks = await client.chat.completions.create(
                model=access.model, messages=_make_role_messages(call.messages), stream=True, **body
            )
            async for chunk in chunks:
                yield _read_openai(chunk)

    return stream


def _read_openai(chunk: Any) -> ModelDelta:
    """Convert a chunk. Servers name the text of thinking `reasoning_content` or `reasoning`."""
    usage = chunk.usage
    choice = chunk.choices[0] if chunk.choices else None
    delta = getattr(choice, "delta", None)
    thinking = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    if usage and usage.completion_tokens_details and usage.completion_tokens_details.reasoning_tokens:
        thinking = thinking or " "  # OpenAI counts it and does not show it
    return ModelDelta(
        text=(delta.content if delta else None) or "",
        thinking=thinking if isinstance(thinking, str) else "",
        ending=(choice.finish_reason if choice else None) or "",
        is_refusal=bool(delta and delta.refusal),
        input_tokens=(usage.prompt_tokens if usage else None) or 0,
        output_tokens=(usage.completion_tokens if usage else None) or 0,
    )


def _open_ollama(access: ModelAccess, seconds: float) -> StreamCall:
    from ollama import AsyncClient

    client = AsyncClient(
        access.url or "http://127.0.0.1:11434",
        headers=_HEADERS | ({"Authorization": f"Bearer {access.key}"} if access.key else {}),
        **_make_http_options(seconds),
    )
    if not access.key:  # the client takes one from the environment
        client._client.headers.pop("authorization", None)

    async def stream(call: ModelCall) -> AsyncGenerator[ModelDelta]:
        # Without num_ctx Ollama silently cuts the prompt to the context that the model was saved with.
        options: dict[str, Any] = {"num_ctx": access.context, "num_predict": call.max_output_tokens}
        if access.can_send("temperature"):
            options["temperature"] = _TEMPERATURE
        async with client:
            parts = await client.chat(
                model=access.model,
                messages=_make_role_messages(call.messages),
                stream=True,
                think=False if access.can_send("think") else None,
                format=dict(call.schema) if call.schema is not None else None,
                options=options,
            )
            async for part in parts:
                yield ModelDelta(
                    text=part.message.content or "",
                    thinking=part.message.thinking or "",
                    ending=(part.done_reason or "stop") if part.done else "",
                    input_tokens=part.prompt_eval_count or 0,
                    output_tokens=part.eval_count or 0,
                )

    return stream


def _open_gemini(access: ModelAccess, seconds: float) -> StreamCall:
    from google import genai
    from httpx import AsyncClient

    http = AsyncClient(**_make_http_options(seconds))
    options: Any = {
        "base_url": access.url or "https://generativelanguage.googleapis.com",
        "headers": _HEADERS,
        "timeout": max(1, int(seconds * 1000)),
        "retry_options": {"attempts": 1},
        "httpx_async_client": http,
    }
    client = genai.Client(vertexai=False, api_key=access.key or _NO_KEY, http_options=options)

    async def stream(call: ModelCall) -> AsyncGenerator[ModelDelta]:
        config: dict[str, Any] = {"max_output_tokens": call.max_output_tokens}
        config["system_instruction"] = "\n".join(text for role, text in call.messages if role == "system")
        if access.can_send("temperature"):
            config["temperature"] = _TEMPERATURE
        if access.can_send("think"):
            config["thinking_config"] = {"thinking_budget": _THINKING_BUDGET}
        if call.schema is not None:
            config |= {"response_mime_type": "application/json", "response_json_schema": call.schema}
        contents: list[Any] = [
            {"role": "model" if role == "ai" else "user", "parts": [{"text": text}]}
            for role, text in call.messages
            if role != "system"
        ]
        async with http:
            chunks = await client.aio.models.generate_content_stream(
                model=access.model,
                contents=contents,
                config=config,  # type: ignore[arg-type]
            )
            async for chunk in chunks:
                yield _read_gemini(chunk)

    return stream


def _read_gemini(chunk: Any) -> ModelDelta:
    candidate = chunk.candidates[0] if chunk.candidates else None
    parts = (candidate.content.parts if candidate and candidate.content else None) or ()
    ending = str(candidate.finish_reason.value).lower() if candidate and candidate.finish_reason else ""
    usage = chunk.usage_metadata
    written = ((usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)) if usage else 0
    return ModelDelta(
        text="".join(part.text or "" for part in parts if not part.thought),
        # Thoughts are counted even if their text is not sent.
        thinking="".join(part.text or "" for part in parts if part.thought)
        or " " * bool(usage and usage.thoughts_token_count),
        ending=ending,
        is_refusal=bool(chunk.prompt_feedback and chunk.prompt_feedback.block_reason),
        input_tokens=(usage.prompt_token_count if usage else None) or 0,
        output_tokens=written,
    )


def _open_anthropic(access: ModelAccess, seconds: float) -> StreamCall:
    from httpx2 import AsyncClient

    defer_packages("anthropic", *_ANTHROPIC_PARTS)
    from anthropic import AsyncAnthropic

    client = AsyncAnthropic(
        base_url=access.url or "https://api.anthropic.com",
        api_key=access.key or _NO_KEY,
        max_retries=0,
        http_client=AsyncClient(**_make_http_options(seconds)),
    )
    client._custom_headers = _HEADERS  # the client adds headers of the environment

    async def stream(call: ModelCall) -> AsyncGenerator[ModelDelta]:
        body: dict[str, Any] = {}
        if call.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": call.schema}}
        async with client:
            events = await client.messages.create(
                model=access.model,
                system="\n".join(text for role, text in call.messages if role == "system"),
                messages=[turn for turn in _make_role_messages(call.messages) if turn["role"] != "system"],
                max_tokens=call.max_output_tokens,
                stream=True,
                **body,
            )
            async for event in events:
                yield _read_anthropic(event)

    return stream


def _read_anthropic(event: Any) -> ModelDelta:
    """Convert an event. Token counts arrive with the first and the second to last event."""
    delta = getattr(event, "delta", None)
    usage = getattr(event, "usage", None) or getattr(getattr(event, "message", None), "usage", None)
    return ModelDelta(
        text=getattr(delta, "text", None) or "",
        thinking=getattr(delta, "thinking", None) or "",
        ending=getattr(delta, "stop_reason", None) or "",
        input_tokens=getattr(usage, "input_tokens", None) or 0,
        output_tokens=getattr(usage, "output_tokens", None) or 0,
    )


OPENAI = Provider(
    "openai",
    _open_openai,
    frozenset({"temperature", "stream_options", "max_tokens", "reasoning_effort", "chat_template"}),
)
OLLAMA = Provider("ollama", _open_ollama, frozenset({"temperature", "think"}), needs_key=False)
GEMINI = Provider("google.genai", _open_gemini, frozenset({"temperature", "think"}))
ANTHROPIC = Provider("anthropic", _open_anthropic)
