"""HTTP/1.1 on one connection, with h11."""

from __future__ import annotations

import asyncio
import gzip
from asyncio import StreamReader, StreamWriter
from urllib.parse import urlsplit

import h11

from shisho_box.message import BoxRequest, BoxResponse, Way, pairs

_MAX_BODY = 2**20
_MIN_ZIPPED = 1_000


class BoxConnection:
    """One connection of a client."""

    def __init__(self, scheme: str, reader: StreamReader, writer: StreamWriter) -> None:
        self._scheme = scheme
        self.reader = reader
        self.writer = writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=256 * 1024)

    async def read_request(self) -> BoxRequest | None:
        """Return the next request; None if the client has disconnected or does not use HTTP."""
        try:
            if self._http.our_state is h11.MUST_CLOSE:
                return None
            if self._http.our_state is h11.DONE:
                self._http.start_next_cycle()
            head = await self._read_event()
            if not isinstance(head, h11.Request):
                return None
            return self._read(head, await self._read_body())
        except h11.ProtocolError:
            return None

    async def _read_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self.reader.read(65_536))
        return event

    async def _read_body(self) -> bytes:
        parts: list[bytes] = []
        while isinstance(event := await self._read_event(), h11.Data):
            parts.append(bytes(event.data))
            if sum(map(len, parts)) > _MAX_BODY:
                raise h11.RemoteProtocolError("more than the box reads")
        return b"".join(parts)

    def _read(self, head: h11.Request, body: bytes) -> BoxRequest:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
        target = head.target.decode("latin-1")
        host = headers.get("host", "").lower()
        parts = urlsplit(target)
        name = host.rsplit(":", 1)[0] if ":" in host else host
        url = f"{self._scheme}://{host}{target}"
        return BoxRequest(
            self._scheme,
            head.method.decode(),
            name,
            parts.path or "/",
            url,
            pairs(parts.query),
            headers,
            body,
        )

    async def answer(self, request: BoxRequest, answer: BoxResponse) -> None:
        """Send the response. A reset aborts the connection; a hang waits until the client disconnects."""
        await asyncio.sleep(answer.delay_s)
        if answer.way is Way.RESET:
            self.writer.transport.abort()
            raise ConnectionResetError
        if answer.way is Way.HANG:
            await self.reader.read()
            raise ConnectionResetError
        body = answer.body
        headers = [*answer.headers, ("Content-Type", answer.media_type)]
        silent = request.method == "HEAD" or answer.status in (204, 304)
        if len(body) > _MIN_ZIPPED and "gzip" in request.headers.get("accept-encoding", ""):
            body = gzip.compress(body, 1)
            headers.append(("Content-Encoding", "gzip"))
        if not silent or request.method == "HEAD":
            headers.append(("Content-Length", str(len(body))))
        data = [self._http.send(h11.Response(status_code=answer.status, headers=headers))]
        if not silent and body:
            data.append(self._http.send(h11.Data(data=body)))
        data.append(self._http.send(h11.EndOfMessage()))
        self.writer.write(b"".join(part for part in data if part))
        await self.writer.drain()
