"""Limits on connections: how many may be open, and how long the headers of a request may take."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from shisho.errors import ServerBusy, ShishoError, TimedOut
from shisho.interfaces.api.failures import describe_error

MAX_CONNECTIONS = 500
HEADER_SECONDS = 10.0
REFUSAL_SECONDS = 1.0  # that a client over the limit has to begin its request
RETRY_SECONDS = 5


class BoundedProtocol(H11Protocol):
    """A connection that is refused if too many are open, and closed if a request's headers take too long.

    The first request is timed from the connection on, later ones from their first byte.
    """

    max_connections: ClassVar[int] = MAX_CONNECTIONS
    header_seconds: ClassVar[float] = HEADER_SECONDS
    _deadline: asyncio.TimerHandle | None = None
    _is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        count = len(self.connections)
        if count > 2 * self.max_connections:  # refused ones count too; beyond this they get no reply
            transport.abort()
            return
        self._is_refused = count > self.max_connections
        seconds = REFUSAL_SECONDS if self._is_refused else self.header_seconds
        self._deadline = self.loop.call_later(seconds, self._end_after_timeout)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            # Refuse after the request arrives: a reply sent before unread bytes are consumed can be lost.
            self._refuse(
                503,
                ServerBusy(
                    "http.too_many_connections",
                    most=self.max_connections,
                    retry_after_s=RETRY_SECONDS,
                ),
            )
            return
        super().data_received(data)
        waits = not self._is_answering() and bool(self.conn.trailing_data[0])
        if not waits:
            self._cancel_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.header_seconds, self._end_after_timeout)

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end_after_timeout(self) -> None:
        self._deadline = None
        if self.conn.trailing_data[0]:
            seconds = self.header_seconds
            late = TimedOut("http.headers_timeout", seconds=seconds)
            self._refuse(408, late)
        else:
            self.transport.close()

    def _refuse(self, status: int, error: ShishoError) -> None:
        if self.transport.is_closing():
            return
        body = json.dumps(describe_error(error), ensure_ascii=False).encode()
        headers = {
            "content-type": "application/json",
            "content-length": len(body),
            "connection": "close",
            **({"retry-after": RETRY_SECONDS} if status == 503 else {}),
        }
        lines = [
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            *(f"{key}: {headers[key]}" for key in headers),
        ]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + body)
        self.transport.close()


def bound_connections(most: int) -> type[BoundedProtocol]:
    """Return the protocol class of a server with this connection limit."""
    bounds: dict[str, Any] = {"max_connections": most}
    return type("BoundedProtocol", (BoundedProtocol,), bounds)
