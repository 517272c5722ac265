"""Map errors of the providers' clients to faults.

Error texts are inspected but never passed on: some of them contain the API key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from shisho.domain.model import ModelFault

_BY_STATUS = {
    402: ModelFault.NO_CREDIT,
    401: ModelFault.UNAUTHORISED,
    403: ModelFault.UNAUTHORISED,
    405: ModelFault.WRONG_ADDRESS,
    408: ModelFault.TIMEOUT,
    429: ModelFault.RATE_LIMITED,
    504: ModelFault.TIMEOUT,
}
# parts of class names: the four clients have no base class in common
_BY_NAME = (
    ("Timeout", ModelFault.TIMEOUT),
    ("RemoteProtocol", ModelFault.CUT_OFF),
    ("ReadError", ModelFault.CUT_OFF),
    ("Connect", ModelFault.UNREACHABLE),
    ("Decod", ModelFault.MALFORMED),
    ("Validation", ModelFault.MALFORMED),
    ("APIError", ModelFault.UNAVAILABLE),  # sent in the middle of a stream
)
_LONGEST_TEXT = 4_000
# The wording of llama.cpp, vLLM, LM Studio, Ollama and the three providers.
_OVERFLOW = re.compile(
    r"context.{0,20}(?:length|size|window)|prompt is too long|input token count|input tokens exceed",
    re.IGNORECASE,
)
# The wording of OpenAI, Anthropic, DeepSeek and Gemini for accounts that must pay before the next call.
_NO_CREDIT = re.compile(
    r"insufficient.?(?:quota|balance)|credit balance|billing|exceeded your current quota", re.IGNORECASE
)
_BAD_KEY = re.compile(r"api.?key not valid|API_KEY_INVALID", re.IGNORECASE)
_RETRY_DELAY = re.compile(r"retryDelay\W{1,6}(\d{1,6}(?:\.\d{1,9})?)s")  # Gemini's, in the body
# Optional parts of a call, and the words that servers use to reject them: DeepSeek, Groq, Mistral, vLLM,
# llama.cpp, Gemini, Azure, and proxies of the reasoning models of OpenAI and Anthropic. A text that only
# names a part may be about its value ("max_tokens is too large"), or repeat the request.
_OPTIONAL = {
    "response_format": r"response.?format|output.?(?:format|config)|json.?(?:schema|mode)|structured.?output|grammar|schema",
    "temperature": "temperature",
    "stream_options": r"stream.?options|include_usage",
    "max_tokens": r"max.?tokens",
    "reasoning_effort": r"reasoning.?effort",
    "chat_template": r"chat.?template",
    "think": "think",
}
_UNSUPPORTED = (
    r"unsupported|not? support|unavailable|not (?:enabled|permitted|allowed|available|recogni)|unknown|unrecogni|forbidden"
    r"|deprecat|must be one of|cannot find"
    r"|budget \d{1,6} is invalid|failed to parse|conversion failed|too many states|too complex|max_completion_tokens"
)
_UNKNOWN_PARTS = {
    part: re.compile(
        rf"(?:{named})[^\n]{{0,80}}?(?:{_UNSUPPORTED})|(?:{_UNSUPPORTED})[^\n]{{0,80}}?(?:{named})",
        re.IGNORECASE,
    )
    for part, named in _OPTIONAL.items()
}
_BAD_CALL = (400, 422)
# Groq's words for a reply that did not match the schema; they quote the model's own words.
_BAD_REPLY = ("failed_generation", "json_validate")
RETRIED = frozenset(
    {ModelFault.RATE_LIMITED, ModelFault.UNAVAILABLE, ModelFault.UNREACHABLE, ModelFault.CUT_OFF}
)
NOT_TAKEN = RETRIED | {
    ModelFault.UNAUTHORISED,
    ModelFault.NO_CREDIT,
    ModelFault.UNKNOWN_MODEL,
    ModelFault.WRONG_ADDRESS,
    ModelFault.OVERFLOW,
    ModelFault.REJECTED,
}
"""Faults of calls that the model never read, unless a part of its reply arrived."""


def classify_fault(error: BaseException) -> ModelFault:
    """Return the fault by the status of the response, else by the error or its causes."""
    by_answer = _find_fault(*_read_answer(error))
    if by_answer:
        return by_answer
    # The outermost error first: an invalid reply can be caused by a broken connection.
    for cause in _list_causes(error):
        names = [kind.__name__ for kind in type(cause).__mro__]
        for part, fault in _BY_NAME:
            if any(part in name for name in names):
                return fault
    is_wire_broken = isinstance(error, (ValueError, TypeError, KeyError, AttributeError))
    return ModelFault.MALFORMED if is_wire_broken else ModelFault.FAILED


def _find_fault(status: int, text: str) -> ModelFault | None:
    """Return the fault by the provider's response; None if there was none."""
    if status not in _BY_STATUS and _OVERFLOW.search(text):
        return ModelFault.OVERFLOW
    if status in (400, 403, 429) and _NO_CREDIT.search(text):
        return ModelFault.NO_CREDIT
    if status == 400 and _BAD_KEY.search(text):  # Gemini's
        return ModelFault.UNAUTHORISED
    if status == 404:  # an unknown model or a wrong URL: only the first response mentions a model
        return ModelFault.UNKNOWN_MODEL if "model" in text.lower() else ModelFault.WRONG_ADDRESS
    if status < 300:
        return None
    if status < 400:  # redirects are not followed
        return ModelFault.WRONG_ADDRESS
    return _BY_STATUS.get(status, ModelFault.UNAVAILABLE if status >= 500 else ModelFault.REJECTED)


def find_unknown_parts(error: BaseException) -> frozenset[str]:
    """Return the optional parts that the server reports as unknown."""
    status, text = _read_answer(error)
    if status not in _BAD_CALL or any(word in text for word in _BAD_REPLY):
        return frozenset()
    return frozenset(part for part, pattern in _UNKNOWN_PARTS.items() if pattern.search(text))


def retry_after(error: BaseException) -> float | None:
    """Return the delay that the provider asks for, in seconds."""
    for cause in _list_causes(error):
        headers: Any = getattr(getattr(cause, "response", None), "headers", None) or {}
        value = str(headers.get("retry-after", ""))
        if value.replace(".", "", 1).isdecimal():
            return float(value)
    delay = _RETRY_DELAY.search(_read_answer(error)[1])
    return float(delay[1]) if delay else None


def _read_answer(error: BaseException) -> tuple[int, str]:
    """Return the status and the text of the provider's response; status 0 if there was none."""
    # Errors that wrap the response have texts of their own.
    answer_error = next(filter(_find_status, _list_causes(error)), error)
    return _find_status(answer_error), str(answer_error)[:_LONGEST_TEXT]


def _list_causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    for _ in range(10):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _find_status(error: BaseException) -> int:
    response = getattr(error, "response", None)
    for value in (
        getattr(error, "status_code", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
    ):
        if isinstance(value, int) and 100 <= value < 600:
            return value
    return 0
