"""The chat models of LangChain, one for each provider. Each is imported when it is first used, and is told
everything: no key, address or proxy is taken from the environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shisho.errors import ExtraMissing, InvalidParams

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

# A connection that is kept would outlive the event loop it was made in.
_HEADERS = {"Connection": "close"}
# No proxy of the environment, and no redirect: words go where the setting says and nowhere else.
_WAY: Mapping[str, Any] = {"trust_env": False, "follow_redirects": False}
_NO_KEY = "none"  # the clients ask for one also where the server does not
_TEMPERATURE = 0.0


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """Which model is asked, and where. `url`: empty for the provider's own. `context`: the tokens that a
    local model reads and writes at once. `unknown_parts`: of a call, which its server has refused."""

    provider: str
    model: str
    url: str = ""
    key: str = field(default="", repr=False)
    context: int = 8192
    unknown_parts: frozenset[str] = frozenset()

    @property
    def optional_parts(self) -> frozenset[str]:
        """The parts that a call to this provider can do without, and has not done without yet."""
        parts = {"response_format", "temperature"}
        if self.provider == "openai":
            parts |= {"stream_options"} | ({"max_tokens"} if self.url else set())
        return frozenset(parts - self.unknown_parts)

    @property
    def temperature(self) -> float | None:
        return None if "temperature" in self.unknown_parts else _TEMPERATURE

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"


def build_chat_model(access: ModelAccess, max_output_tokens: int, seconds: float) -> BaseChatModel:
    """A chat model without retries of its own, at temperature 0. Raises ExtraMissing, and InvalidParams for
    an unknown provider or a key that is missing."""
    if access.provider not in PROVIDERS:
        raise InvalidParams(
            "There is no provider {provider}. Choose one of {providers}.",
            provider=access.provider,
            providers=", ".join(PROVIDERS),
        )
    if not (access.key or access.url or access.provider == "ollama"):
        raise InvalidParams(
            "{provider} answers nobody without a key: set model_key, or model_url for another server.",
            provider=access.provider,
        )
    extra, build = PROVIDERS[access.provider]
    try:
        return build(access, max_output_tokens, seconds)
    except ImportError as error:
        raise ExtraMissing(
            'The provider {provider} needs an extra: pip install "shisho[{extra}]"',
            provider=access.provider,
            extra=extra,
        ) from error


def _openai(access: ModelAccess, max_output_tokens: int, seconds: float) -> BaseChatModel:
    from httpx2 import AsyncClient, Client
    from langchain_openai import ChatOpenAI

    official_url = "https://api.openai.com/v1"
    # Servers of others know `max_tokens` alone; OpenAI's reasoning models take the new name alone.
    most: dict[str, Any] = (
        {"extra_body": {"max_tokens": max_output_tokens}}
        if access.url and "max_tokens" not in access.unknown_parts
        else {"max_tokens": max_output_tokens}
    )
    chat = ChatOpenAI(
        model=access.model,
        base_url=access.url or official_url,
        api_key=access.key or _NO_KEY,  # type: ignore[arg-type]
        organization="",
        openai_proxy="",
        temperature=access.temperature if access.url else None,
        timeout=seconds,
        max_retries=0,
        stream_usage="stream_options" not in access.unknown_parts,
        use_responses_api=False,
        default_headers=_HEADERS,
        http_client=Client(**_WAY),
        http_async_client=AsyncClient(timeout=seconds, **_WAY),
        http_socket_options=(),
        **most,
    )
    # It takes both from the environment where they are not given, and has no field for the second.
    chat.root_async_client.organization = None
    chat.root_async_client.project = None
    return chat


def _ollama(access: ModelAccess, max_output_tokens: int, seconds: float) -> BaseChatModel:
    from langchain_ollama import ChatOllama

    headers = _HEADERS | ({"Authorization": f"Bearer {access.key}"} if access.key else {})
    return ChatOllama(
        model=access.model,
        base_url=access.url or "http://127.0.0.1:11434",
        temperature=access.temperature,
        num_ctx=access.context,  # without it Ollama cuts the prompt silently to what the model was saved with
        num_predict=max_output_tokens,
        reasoning=None,
        client_kwargs={"timeout": seconds, "headers": headers, **_WAY},
    )


def _gemini(access: ModelAccess, max_output_tokens: int, seconds: float) -> BaseChatModel:
    from langchain_google_genai import ChatGoogleGenerativeAI

    return ChatGoogleGenerativeAI(
        model=access.model,
        base_url=access.url or "https://generativelanguage.googleapis.com",
        api_key=access.key or _NO_KEY,
        vertexai=False,
        temperature=access.temperature,
        max_output_tokens=max_output_tokens,
        timeout=seconds,
        max_retries=1,  # counts the first try
        additional_headers=_HEADERS,
        client_args=dict(_WAY),
    )


def _anthropic(access: ModelAccess, max_output_tokens: int, seconds: float) -> BaseChatModel:
    from anthropic import AsyncAnthropic
    from httpx2 import AsyncClient
    from langchain_anthropic import ChatAnthropic

    url = access.url or "https://api.anthropic.com"
    chat = ChatAnthropic(
        model_name=access.model,
        base_url=url,
        api_key=access.key or _NO_KEY,  # type: ignore[arg-type]
        max_tokens_to_sample=max_output_tokens,
        temperature=access.temperature,
        timeout=seconds,
        max_retries=0,
        stop=None,
    )
    # The client that it would make takes proxies from the environment, and there is no field for another.
    chat.__dict__["_async_client"] = AsyncAnthropic(
        api_key=access.key or _NO_KEY,
        auth_token=None,
        base_url=url,
        timeout=seconds,
        max_retries=0,
        default_headers=_HEADERS,
        http_client=AsyncClient(timeout=seconds, **_WAY),
    )
    return chat


PROVIDERS: Mapping[str, tuple[str, Callable[[ModelAccess, int, float], BaseChatModel]]] = {
    "openai": ("models", _openai),
    "ollama": ("ollama", _ollama),
    "gemini": ("gemini", _gemini),
    "anthropic": ("anthropic", _anthropic),
}
"""Each provider's extra and the function that builds its chat model."""
