"""A local proxy for the browser that connects only to checked addresses, like the fetcher.

Request interception inside a browser sees only the first hop of a redirect and does not bind a name to its
checked address; this proxy does.
"""

from __future__ import annotations

import asyncio
import base64
import re
import secrets
from asyncio import StreamReader, StreamWriter
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from hmac import compare_digest
from urllib.parse import urlsplit

from shisho.domain.web import Endpoint
from shisho.errors import AllFetchesFailed, ForbiddenAddress, InvalidParams, ShishoError
from shisho.ports import Resolver
from shisho.records import dataclass
from shisho.telemetry import log
from shisho.web.http.address import AllowList, Target, check_url, choose_endpoint
from shisho.web.http.url import extract_host, normalise_host

WAIT_S = 5.0  # the event for a requested host may arrive after the browser's connection
_MOST = 2_000  # a hostile page must not fill the memory


class PageHosts:
    """The requested hosts of one browser, which identifies itself to the proxy as `user`."""

    def __init__(self) -> None:
        self.user = f"page-{secrets.token_hex(8)}"
        self._hosts: set[str] = set()
        self._more = asyncio.Event()

    def add(self, url: str) -> None:
        """Add the host of a URL that the page requests."""
        host = extract_host(url)
        if host and len(self._hosts) < _MOST:
            self._hosts.add(host)
            self._more.set()

    async def has(self, host: str, wait_s: float = WAIT_S) -> bool:
        """Return True if the page requests this host within `wait_s`."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + wait_s
        while host not in self._hosts:
            self._more.clear()
            try:
                async with asyncio.timeout_at(ends):
                    await self._more.wait()
            except TimeoutError:
                return False
        return True


Streams = tuple[StreamReader, StreamWriter]
Connect = Callable[[Endpoint], Awaitable[Streams]]
Touch = Callable[[], None]

_CHUNK = 64 * 1024
_MAX_REFUSED = 1000
_AUTHORITY = re.compile(r"[^/?#@\\]+:[0-9]{1,5}")
_STATUS = {
    ForbiddenAddress: "403 Forbidden",
    InvalidParams: "400 Bad Request",
    AllFetchesFailed: "502 Bad Gateway",
}


async def open_endpoint(endpoint: Endpoint) -> Streams:
    """Connect to an address, never to a name: nothing is resolved a second time."""
    return await asyncio.open_connection(endpoint.address, endpoint.port, limit=_CHUNK)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of the proxy.

    Seconds for a request's head, for connecting to a server, without a byte in either direction, and for a
    connection in total.
    """

    head_s: float = 10.0
    connect_s: float = 10.0
    idle_s: float = 30.0
    total_s: float = 300.0
    connections: int = 64


STRICT = AllowList()
STANDARD = Limits()


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """A refused request, with the time of the event loop. `authority` is host:port."""

    at: float
    authority: str
    error: ShishoError


class GuardedProxy:
    """An HTTP proxy on 127.0.0.1 for clients with its password: tunnels (CONNECT) and plain http.

    Belongs to one event loop. `refused` lists refused requests. All outgoing connections use `connect`. A
    client with the user name of a visit may only reach that page's hosts; `uninvited` counts, by host:port,
    the browsers' own requests.
    """

    def __init__(
        self,
        resolver: Resolver,
        allow: AllowList = STRICT,
        *,
        connect: Connect = open_endpoint,
        limits: Limits = STANDARD,
    ) -> None:
        self.user = "shisho"
        self.password = secrets.token_urlsafe(24)
        self.refused: deque[RefusedRequest] = deque(maxlen=_MAX_REFUSED)
        self.uninvited: Counter[str] = Counter()
        self._visits: dict[str, PageHosts] = {}
        self._resolver = resolver
        self._allow = allow
        self._connect = connect
        self._limits = limits
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """Start listening and return the proxy's URL."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_CHUNK)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            for task in self._open:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)
            self._server = None

    @contextmanager
    def visit(self) -> Iterator[PageHosts]:
        """Allow a browser to use the proxy under the returned `user` name during the block."""
        hosts = PageHosts()
        self._visits[hosts.user] = hosts
        try:
            yield hosts
        finally:
            del self._visits[hosts.user]

    def find_refusal(self, authority: str, since: float) -> ShishoError | None:
        """Return the reason that requests to this host:port were refused since that moment, or None."""
        return next(
            (
                refused_request.error
                for refused_request in reversed(self.refused)
                if refused_request.at >= since and refused_request.authority == authority
            ),
            None,
        )

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve((reader, writer)))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        task.add_done_callback(lambda _: writer.close())  # also for one cancelled before it started

    async def _serve(self, client: Streams) -> None:
        try:
            async with asyncio.timeout(self._limits.total_s):
                await self._answer(client)
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            log.debug("a connection of the browser's proxy ended: %r", error)
        finally:
            await _end(client[1])

    async def _answer(self, client: Streams) -> None:
        try:
            async with asyncio.timeout(self._limits.head_s):
                head = read_head(await client[0].readuntil(END))
        except (asyncio.LimitOverrunError, ValueError):
            return await _reply(client, "400 Bad Request", "This is no request that a proxy can read.")
        user = self._read_user(head)
        if user is None:
            challenge = 'Proxy-Authenticate: Basic realm="shisho"\r\n'
            return await _reply(client, "407 Proxy Authentication Required", "", challenge)
        if len(self._open) > self._limits.connections:
            return await _reply(client, "503 Service Unavailable", "Too many connections at once.")
        try:
            target = self._read_target(head)
            size = head.body_size
            if user in self._visits and not await self._visits[user].has(target.host):
                self.uninvited[head.authority] += 1
                log.info("the browser wanted %s for itself", head.authority)
                return await _reply(client, "403 Forbidden", "The page does not ask for this host.")
            upstream = await self._connect_to(target)
        except ShishoError as error:
            self.refused.append(RefusedRequest(asyncio.get_running_loop().time(), head.authority, error))
            log.info("the browser's proxy refused %s: %s", head.authority, error.code)
            return await _reply(client, _STATUS.get(type(error), "502 Bad Gateway"), error.message)
        try:
            if head.method == "CONNECT":
                await self._serve_tunnel(client, upstream)
            else:
                await self._forward(client, upstream, build_outgoing(head, target), size)
        finally:
            await _end(upstream[1])

    def _read_user(self, head: Head) -> str | None:
        """Return the client's user name, or None for a stranger.

        Other programs of this machine may not use the proxy.
        """
        for user in (self.user, *self._visits):
            word = base64.b64encode(f"{user}:{self.password}".encode())
            if any(
                compare_digest(value.encode(), b"Basic " + word)
                for value in head.list_values("proxy-authorization")
            ):
                return user
        return None

    def _read_target(self, head: Head) -> Target:
        if head.method == "CONNECT":
            if not _AUTHORITY.fullmatch(head.target):
                raise InvalidParams("browser.bad_target", target=head.target[:200])
            return check_url(f"https://{head.target}/", self._allow)
        target = check_url(head.target, self._allow)
        if target.scheme != "http":
            raise InvalidParams("browser.needs_connect")
        return target

    async def _connect_to(self, target: Target) -> Streams:
        try:
            async with asyncio.timeout(self._limits.connect_s):
                endpoints = await self._resolver.resolve(target.host, target.port)
                return await self._connect(choose_endpoint(endpoints, target, self._allow))
        except (OSError, TimeoutError) as failure:
            raise AllFetchesFailed("browser.host_silent", host=target.host) from failure

    async def _serve_tunnel(self, client: Streams, upstream: Streams) -> None:
        client[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        async with _limit_idle(self._limits.idle_s) as touch, asyncio.TaskGroup() as both:
            both.create_task(_pump(client[0], upstream[1], touch))
            both.create_task(_pump(upstream[0], client[1], touch))

    async def _forward(self, client: Streams, upstream: Streams, head: bytes, size: int) -> None:
        upstream[1].write(head)
        async with _limit_idle(self._limits.idle_s) as touch:
            sending = asyncio.create_task(_pump(client[0], upstream[1], touch, size))
            try:
                answer = await upstream[0].readuntil(END)
                while is_interim(answer):
                    answer = await upstream[0].readuntil(END)
                client[1].write(build_incoming(answer))
                await _pump(upstream[0], client[1], touch)
            except (asyncio.LimitOverrunError, asyncio.IncompleteReadError, ValueError):
                await _reply(client, "502 Bad Gateway", "The server's answer is no HTTP/1.1.")
            finally:
                sending.cancel()


@asynccontextmanager
async def _limit_idle(seconds: float) -> AsyncIterator[Touch]:
    """Run a block with a time limit that each touch resets."""
    clock = asyncio.get_running_loop().time
    async with asyncio.timeout(seconds) as limit:
        yield lambda: None if limit.expired() else limit.reschedule(clock() + seconds)


async def _pump(source: StreamReader, sink: StreamWriter, touch: Touch, size: int | None = None) -> None:
    """Copy until the end of the stream and propagate it, or copy `size` bytes."""
    with suppress(OSError):
        while size is None or size > 0:
            chunk = await source.read(_CHUNK if size is None else min(size, _CHUNK))
            if not chunk:
                break
            size = None if size is None else size - len(chunk)
            touch()
            sink.write(chunk)
            await sink.drain()
        if size is None and sink.can_write_eof():
            sink.write_eof()


async def _reply(client: Streams, status: str, words: str, fields: str = "") -> None:
    body = words.encode()
    client[1].write(
        f"HTTP/1.1 {status}\r\n{fields}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        f"Cache-Control: no-store\r\nConnection: close\r\n\r\n".encode()
        + body
    )
    await client[1].drain()


async def _end(writer: StreamWriter) -> None:
    writer.close()
    with suppress(OSError, TimeoutError):
        await asyncio.wait_for(writer.wait_closed(), 1.0)


END = b"\r\n\r\n"
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_STATUS_LINE = re.compile(r"HTTP/1\.[01] [2-5][0-9]{2}(?: [^\x00-\x08\x0a-\x1f\x7f]*)?")
_HOP_BY_HOP = {"connection", "keep-alive", "te", "trailer", "upgrade", "expect", "host"}

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a request. `target` is a URL, or host:port for CONNECT."""

    method: str
    target: str
    fields: Fields

    def list_values(self, name: str) -> list[str]:
        """Return the values of a field, named in lower case."""
        return [value for key, value in self.fields if key.lower() == name]

    @property
    def authority(self) -> str:
        """The requested host and port, as far as they can be parsed."""
        return parse_authority(f"https://{self.target}" if self.method == "CONNECT" else self.target)

    @property
    def body_size(self) -> int:
        """The length of the body.

        Raises InvalidParams for an ambiguous length: the following bytes could be read as another request.
        """
        sizes = set(self.list_values("content-length"))
        if (
            self.list_values("transfer-encoding")
            or len(sizes) > 1
            or not all(re.fullmatch("[0-9]{1,12}", size) for size in sizes)
        ):
            raise InvalidParams("browser.content_length")
        return int(sizes.pop()) if sizes else 0


def parse_authority(url: str) -> str:
    """Return the requested host and port of a URL as host:port."""
    try:
        parts = urlsplit(url)
        return (
            f"{normalise_host(parts.hostname or '')}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
        )
    except ValueError:
        return url[:200]


def read_head(raw: bytes) -> Head:
    """Parse a request's head. Raises ValueError for folded lines, bare line ends, anything unusual."""
    first, *lines = raw.removesuffix(END).decode("latin-1").split("\r\n")
    method, target, version = first.split(" ")
    fields = _parse_fields(lines)
    if (
        not method.isalpha()
        or version not in ("HTTP/1.1", "HTTP/1.0")
        or re.search(r"[\x00-\x20\x7f]", target)
    ):
        raise ValueError("no request line")
    if len(fields) < len(lines):
        raise ValueError("a line is no field")
    return Head(method, target, fields)


def build_outgoing(head: Head, target: Target) -> bytes:
    """Return the head for the server. Host comes from the checked URL, not from the header field."""
    return f"{head.method} {target.path} HTTP/1.1\r\nHost: {target.authority}\r\n{_filter_fields(head.fields)}".encode(
        "latin-1"
    )


def is_interim(raw: bytes) -> bool:
    """Return True for 100 Continue and similar: the final response is still to come."""
    return re.match(rb"HTTP/1\.[01] 1", raw) is not None


def build_incoming(raw: bytes) -> bytes:
    """Return the response's head for the browser, without invalid lines. Raises ValueError."""
    first, *lines = raw.removesuffix(END).decode("latin-1").split("\r\n")
    if not _STATUS_LINE.fullmatch(first):
        raise ValueError("no status line")
    return f"{first}\r\n{_filter_fields(_parse_fields(lines))}".encode("latin-1")


def _parse_fields(lines: list[str]) -> Fields:
    return tuple((match[1], match[2].strip()) for line in lines if (match := _FIELD.fullmatch(line)))


def _filter_fields(fields: Fields) -> str:
    """Return the end-to-end header fields, with one request per connection to prevent request smuggling."""
    listed = ",".join(value for key, value in fields if key.lower() == "connection")
    hop_names = {word.strip().lower() for word in listed.split(",")}
    dropped = _HOP_BY_HOP | (hop_names - {"content-length", "transfer-encoding"})
    lines = [
        f"{key}: {value}"
        for key, value in fields
        if key.lower() not in dropped and not key.lower().startswith("proxy-")
    ]
    return "\r\n".join([*lines, "Connection: close", "", ""])
