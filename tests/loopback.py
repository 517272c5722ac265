"""A small HTTP server on 127.0.0.1 whose replies a test gives; it can break off in the middle of a body."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class LoopbackRequest:
    """What came: the path with its query, the headers with names in lower case, and the body."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class LoopbackReply:
    """What is sent. `cut`: so many bytes of the body, then the connection breaks off."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None


class LoopbackServer:
    """`with LoopbackServer(answer) as server:`; `requests` are all that came, in order."""

    def __init__(self, answer: Callable[[LoopbackRequest], LoopbackReply]) -> None:
        self.requests: list[LoopbackRequest] = []
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = LoopbackRequest(self.command, self.path, headers, body)
                requests.append(request)
                reply = answer(request)
                self.send_response(reply.status)
                for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])

            do_GET = do_POST = _serve

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
