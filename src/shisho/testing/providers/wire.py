"""The wire formats of OpenAI, Ollama, Gemini and Anthropic.

Parse requests, write streamed replies.

Sources: the four vendors' API references, chat completions, `/api/chat`, `streamGenerateContent` and
messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from shisho.testing.providers.script import ProviderReply, ProviderRequest

Json = Mapping[str, Any]
_MADE_AT = 1_780_000_000


class WireFormat(Protocol):
    """The wire format of a provider."""

    media_type: str

    def read(self, path: str, body: Json, headers: Mapping[str, str]) -> ProviderRequest: ...

    def write_events(self, request: ProviderRequest, reply: ProviderReply) -> Iterator[str]: ...

    def describe_error(self, status: int, text: str) -> Json: ...


def wire_format(path: str) -> WireFormat | None:
    """Return the format for requests to this path."""
    if path.endswith("/chat/completions"):
        return OpenAiWire()
    if path.endswith("/api/chat"):
        return OllamaWire()
    if ":streamGenerateContent" in path:
        return GeminiWire()
    return AnthropicWire() if path.endswith("/v1/messages") else None


class OpenAiWire:
    """Server-sent events; the last one is `[DONE]`."""

    media_type = "text/event-stream"

    def read(self, path: str, body: Json, headers: Mapping[str, str]) -> ProviderRequest:
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        instructions, texts = _read_turns(body["messages"])
        return ProviderRequest("openai", body["model"], instructions, texts, schema, body, headers)

    def write_events(self, request: ProviderRequest, reply: ProviderReply) -> Iterator[str]:
        frame = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": _MADE_AT,
            "model": request.model,
        }
        ending = {"refusal": "content_filter"}.get(reply.ending, reply.ending)
        deltas: list[tuple[Json, str | None]] = [({"role": "assistant", "content": ""}, None)]
        if reply.thinking:
            deltas.append(({"reasoning_content": reply.thinking}, None))
        deltas += [({"content": piece}, None) for piece in _split_pieces(reply)]
        if reply.cited_url:
            cited: Json = {"url": reply.cited_url, "title": reply.cited_url, "start_index": 0, "end_index": 1}
            deltas.append(({"annotations": [{"type": "url_citation", "url_citation": cited}]}, None))
        if reply.refusal:
            deltas.append(({"refusal": reply.refusal}, None))
        deltas.append(({}, ending))
        for delta, finish in deltas:
            yield _write_reply(
                frame | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}, reply
            )
        usage = {
            "prompt_tokens": reply.input_tokens,
            "completion_tokens": reply.output_tokens,
            "total_tokens": reply.input_tokens + reply.output_tokens,
        }
        yield _write_reply(frame | {"choices": [], "usage": usage}, reply)
        yield "data: [DONE]\n\n"

    def describe_error(self, status: int, text: str) -> Json:
        return {
            "error": {
                "message": text,
                "type": "invalid_request_error",
                "param": None,
                "code": str(status),
            }
        }


class OllamaWire:
    """One JSON object a line."""

    media_type = "application/x-ndjson"

    def read(self, path: str, body: Json, headers: Mapping[str, str]) -> ProviderRequest:
        instructions, texts = _read_turns(body["messages"])
        schema = body.get("format") or {}
        return ProviderRequest("ollama", body["model"], instructions, texts, schema, body, headers)

    def write_events(self, request: ProviderRequest, reply: ProviderReply) -> Iterator[str]:
        frame = {"model": request.model, "created_at": "2026-05-28T20:26:40.000000Z"}
        thinking: list[Json] = [{"content": "", "thinking": reply.thinking}] if reply.thinking else []
        for message in (*thinking, *({"content": piece} for piece in _split_pieces(reply))):
            message = {"role": "assistant", **message}
            yield _write_event(frame | {"message": message, "done": False}, reply) + "\n"
        last_event = {
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": reply.ending,
            "total_duration": 1_000,
            "load_duration": 1,
            "prompt_eval_count": reply.input_tokens,
            "prompt_eval_duration": 1,
            "eval_count": reply.output_tokens,
            "eval_duration": 1,
        }
        yield _write_event(frame | last_event, reply) + "\n"

    def describe_error(self, status: int, text: str) -> Json:
        return {"error": text}


class GeminiWire:
    """Server-sent events; the model's name is part of the path."""

    media_type = "text/event-stream"

    def read(self, path: str, body: Json, headers: Mapping[str, str]) -> ProviderRequest:
        model = path.rsplit("/", 1)[1].partition(":")[0]
        settings = body.get("generationConfig", {})
        schema = settings.get("responseJsonSchema") or settings.get("responseSchema") or {}
        instructions = _join_parts([body.get("systemInstruction") or {}])
        texts = tuple(_join_parts([turn]) for turn in body["contents"])
        return ProviderRequest("gemini", model, instructions, texts, schema, body, headers)

    def write_events(self, request: ProviderRequest, reply: ProviderReply) -> Iterator[str]:
        ending = {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}[reply.ending]
        thoughts: list[Json] = [{"text": reply.thinking, "thought": True}] if reply.thinking else []
        pieces = [*thoughts, *({"text": piece} for piece in _split_pieces(reply) or [""])]
        for number, piece in enumerate(pieces, 1):
            candidate: dict[str, Any] = {
                "content": {"parts": [piece], "role": "model"},
                "index": 0,
            }
            if number == len(pieces):
                candidate["finishReason"] = ending
                if reply.cited_url:
                    web = {"uri": reply.cited_url, "title": reply.cited_url}
                    candidate["groundingMetadata"] = {"groundingChunks": [{"web": web}]}
            usage = {
                "promptTokenCount": reply.input_tokens,
                "candidatesTokenCount": reply.output_tokens,
                "totalTokenCount": reply.input_tokens + reply.output_tokens,
            }
            event = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": request.model}
            yield f"data: {_write_event(event, reply)}\r\n\r\n"

    def describe_error(self, status: int, text: str) -> Json:
        name = {429: "RESOURCE_EXHAUSTED", 404: "NOT_FOUND"}.get(status, "INVALID_ARGUMENT")
        return {"error": {"code": status, "message": text, "status": name}}


class AnthropicWire:
    """Server-sent events with names."""

    media_type = "text/event-stream"

    def read(self, path: str, body: Json, headers: Mapping[str, str]) -> ProviderRequest:
        schema = body.get("output_config", {}).get("format", {}).get("schema", {})
        instructions = _read_content(body.get("system", ""))
        texts = tuple(_read_content(turn["content"]) for turn in body["messages"])
        return ProviderRequest("anthropic", body["model"], instructions, texts, schema, body, headers)

    def write_events(self, request: ProviderRequest, reply: ProviderReply) -> Iterator[str]:
        message: Json = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": request.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": reply.input_tokens, "output_tokens": 1},
        }
        ending = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}[reply.ending]
        block = {"type": "text", "text": ""}
        yield self._write_named_event("message_start", {"message": message}, reply)
        yield self._write_named_event("content_block_start", {"index": 0, "content_block": block}, reply)
        if reply.thinking:
            thought = {"type": "thinking_delta", "thinking": reply.thinking}
            yield self._write_named_event("content_block_delta", {"index": 0, "delta": thought}, reply)
        for piece in _split_pieces(reply):
            delta = {"type": "text_delta", "text": piece}
            yield self._write_named_event("content_block_delta", {"index": 0, "delta": delta}, reply)
        if reply.cited_url:
            citation = {
                "type": "web_search_result_location",
                "url": reply.cited_url,
                "title": reply.cited_url,
            }
            citation |= {"cited_text": reply.text[:20], "encrypted_index": "1"}
            cited: Json = {"type": "citations_delta", "citation": citation}
            yield self._write_named_event("content_block_delta", {"index": 0, "delta": cited}, reply)
        yield self._write_named_event("content_block_stop", {"index": 0}, reply)
        last_event = {"delta": {"stop_reason": ending, "stop_sequence": None}}
        usage = {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
        yield self._write_named_event("message_delta", last_event | {"usage": usage}, reply)
        yield self._write_named_event("message_stop", {}, reply)

    def describe_error(self, status: int, text: str) -> Json:
        kind = {429: "rate_limit_error", 401: "authentication_error", 404: "not_found_error"}
        return {"type": "error", "error": {"type": kind.get(status, "api_error"), "message": text}}

    def _write_named_event(self, name: str, event: Json, reply: ProviderReply) -> str:
        return f"event: {name}\ndata: {_write_event({'type': name, **event}, reply)}\n\n"


def _split_pieces(reply: ProviderReply) -> list[str]:
    step = reply.delta_chars
    return [reply.text[start : start + step] for start in range(0, len(reply.text), step)]


def _write_event(event: Json, reply: ProviderReply) -> str:
    return json.dumps(event, ensure_ascii=reply.escaped)


def _write_reply(event: Json, reply: ProviderReply) -> str:
    return f"data: {_write_event(event, reply)}\n\n"


def _read_turns(messages: Sequence[Json]) -> tuple[str, tuple[str, ...]]:
    instructions = [_read_content(turn["content"]) for turn in messages if turn["role"] == "system"]
    texts = tuple(_read_content(turn["content"]) for turn in messages if turn["role"] != "system")
    return "\n".join(instructions), texts


def _read_content(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def _join_parts(turns: Sequence[Json]) -> str:
    return "".join(part.get("text", "") for turn in turns for part in turn.get("parts", ()))
