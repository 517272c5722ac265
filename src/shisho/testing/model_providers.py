"""A fake provider of language models: a local server that answers from a script.

It serves the wire formats of OpenAI, Ollama, Gemini and Anthropic, as their API references describe them:
chat completions, `/api/chat`, `streamGenerateContent` and messages.
"""

from __future__ import annotations

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from inspect import isawaitable
from types import TracebackType
from typing import Any, Protocol, Self

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


class FakeProvider:
    """A fake provider: `async with FakeProvider(script) as provider:`.

    All four formats are served at `url(provider)`. `script` returns or awaits the reply to each request;
    `requests` lists them in order of arrival, `connections` counts all connections. Port 0 is any free port.
    """

    def __init__(self, script: Script, port: int = 0) -> None:
        self.script = script
        self.requests: list[ProviderRequest] = []
        self.connections = 0
        self._port = port
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._begin, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # the final callbacks of the transports

    def build_url(self, provider: str) -> str:
        """Return the address for the setting `model_url`."""
        return f"http://127.0.0.1:{self._port}" + ("/v1" if provider == "openai" else "")

    def _begin(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.connections += 1
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._serve_exchange(reader, writer)
        finally:
            writer.close()

    async def _serve_exchange(self, reader: StreamReader, writer: StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = head[0].split(" ")[1].partition("?")[0]
        lines = (line.partition(":") for line in head[1:] if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in lines}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        format_ = wire_format(path)
        if format_ is None:
            await _send(writer, 404, {}, "application/json", b'{"error": "no such path"}')
            return
        request = format_.read(path, json.loads(body), headers)
        self.requests.append(request)
        made_reply = self.script(request)
        reply = await made_reply if isawaitable(made_reply) else made_reply
        await asyncio.sleep(reply.delay_s)
        if reply.status != 200:
            text = json.dumps(format_.describe_error(reply.status, reply.text)).encode()
            await _send(writer, reply.status, reply.headers, "application/json", text)
            return
        if reply.page:
            await _send(writer, 200, reply.headers, "text/html", reply.page.encode())
            return
        await _stream(writer, format_, request, reply)


async def _send(
    writer: StreamWriter, status: int, headers: Mapping[str, str], media_type: str, body: bytes
) -> None:
    writer.write(
        _write_head(status, {**headers, "Content-Type": media_type, "Content-Length": str(len(body))})
    )
    writer.write(body)
    await writer.drain()


async def _stream(
    writer: StreamWriter, format_: WireFormat, request: ProviderRequest, reply: ProviderReply
) -> None:
    """Send each piece as its own HTTP chunk, so that the client receives the same pieces."""
    writer.write(_write_head(200, {"Content-Type": format_.media_type, "Transfer-Encoding": "chunked"}))
    events = [event.encode() for event in format_.write_events(request, reply)]
    data = b"".join(events)
    if reply.breaks or reply.hangs:
        data = data[: len(data) // 2]
        events = [data]
    step = reply.cut_bytes
    pieces = [data[at : at + step] for at in range(0, len(data), step)] if step else events
    for piece in pieces:
        writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        await writer.drain()
        if step:
            await asyncio.sleep(0)
    if reply.breaks:
        writer.transport.abort()
        return
    if reply.hangs:
        await asyncio.Event().wait()
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _write_head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in {**headers, "Connection": "close"}.items())
    return f"HTTP/1.1 {status} Told\r\n{lines}\r\n".encode("latin-1")
