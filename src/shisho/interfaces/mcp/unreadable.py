"""Reply to invalid messages on stdin.

The SDK silently drops them, and the sender would wait forever. Over HTTP the SDK replies.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Protocol, Self

from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import TypeAdapter, ValidationError

from shisho.messages import Message
from shisho.messages.catalogue import render

REQUEST_ID: TypeAdapter[RequestId] = TypeAdapter(RequestId)
UNREADABLE = "json_invalid"
BYTE_ORDER_MARK = "\ufeff"
NO_JSON = Message("mcp.not_json")
NO_MESSAGE = Message("mcp.not_json_rpc")


class IncomingStream(Protocol):
    """The used part of the SDK's stream of incoming messages."""

    def __aiter__(self) -> AsyncIterator[SessionMessage | Exception]: ...
    async def aclose(self) -> None: ...


class OutgoingStream(Protocol):
    """The used part of the SDK's stream of outgoing messages."""

    async def send(self, item: SessionMessage, /) -> None: ...


class AnsweringStream:
    """A stream of valid messages; invalid ones get an error reply, unless they are blank."""

    def __init__(self, incoming: IncomingStream, outgoing: OutgoingStream) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        async for item in self._incoming:
            message = read_after_mark(item)
            if isinstance(message, SessionMessage):
                return message
            if not is_blank(message):
                await self._outgoing.send(SessionMessage(refuse_unreadable(message)))
        raise StopAsyncIteration

    async def receive(self) -> SessionMessage:
        """Return the next message."""
        return await anext(self)

    async def aclose(self) -> None:
        await self._incoming.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


def read_after_mark(item: SessionMessage | Exception) -> SessionMessage | Exception:
    """Parse a line again without the byte order mark that some programs write before UTF-8."""
    for detail in _list_details(item):
        if detail["type"] == UNREADABLE and detail["input"].startswith(BYTE_ORDER_MARK):
            try:
                line = detail["input"].lstrip(BYTE_ORDER_MARK)
                return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
            except ValidationError as error:
                return error
    return item


def is_blank(error: Exception) -> bool:
    """Return whether the line is blank: some clients end each message with one."""
    lines = [detail["input"] for detail in _list_details(error) if detail["type"] == UNREADABLE]
    return any(not line.strip() for line in lines)


def refuse_unreadable(error: Exception) -> JSONRPCError:
    """Return the reply to an invalid message, with the id of the request if there is one."""
    details = _list_details(error)
    is_json = UNREADABLE not in [detail["type"] for detail in details]
    code, message = (INVALID_REQUEST, NO_MESSAGE) if is_json else (PARSE_ERROR, NO_JSON)
    return JSONRPCError(
        jsonrpc="2.0", id=_find_id(details), error=ErrorData(code=code, message=render(message))
    )


def _list_details(error: SessionMessage | Exception) -> list[Any]:
    return [*error.errors()] if isinstance(error, ValidationError) else []


def _find_id(details: list[Any]) -> RequestId | None:
    """Return the id of a request.

    A response is skipped: it has the number of our request, which its sender may use for a request of its
    own.
    """
    for detail in details:
        message = _load(detail["input"]) if detail["type"] == UNREADABLE else detail["input"]
        if isinstance(message, Mapping) and "method" in message:
            try:
                return REQUEST_ID.validate_json(json.dumps(message.get("id")))
            except ValidationError:  # it has no id, or one that no reply can carry
                return None
    return None


def _load(line: str) -> Any:
    r"""Parse the JSON of a line.

    Python's parser accepts lone surrogates (`\ud83d`), as in truncated emoji.
    """
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
