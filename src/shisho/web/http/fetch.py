"""An HTTP client on httpcore, which does one exchange over one connection and nothing else.

It has no redirects, cookies, proxies, environment or decompression that would have to be turned off. Each
connection goes to a checked address, TLS is verified against the name, and nothing is reused for another
request, so that no response can come from another host than the requested one.
"""

from __future__ import annotations

import asyncio
import io
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlencode

import httpcore

from shisho.domain.web import Endpoint, Request, Response
from shisho.errors import AllFetchesFailed, InvalidParams, TimedOut, TooLarge
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.ports import Resolver
from shisho.web.http import body
from shisho.web.http.address import AllowList, Target, check_endpoints
from shisho.web.http.redirects import Hop, follow_redirect, is_redirect, start_chain
from shisho.web.http.url import spell_address

_HEAD = 32 * 1024
_SIP = 4 * 1024


class MeteredStream(httpcore.AsyncNetworkStream):
    """A connection with limited reads until the body begins.

    Limited per read, because h11 processes all its input without a pause, and in total, because any number of
    interim responses may precede the final one.
    """

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._head_left: int | None = _HEAD

    def begin_body(self) -> None:
        self._head_left = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  (as httpcore has it)
        if self._head_left is None:
            return await self._stream.read(max_bytes, timeout)
        if self._head_left <= 0:
            raise httpcore.RemoteProtocolError("the head of its answer does not end")
        data = await self._stream.read(_SIP, timeout)
        self._head_left -= len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  (as httpcore has it)
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


async def ask(stream: httpcore.AsyncNetworkStream, request: httpcore.Request) -> httpcore.Response:
    """Send a request and return the head of the response.

    The body is read from its `stream` while the connection stays open.
    """
    wire = MeteredStream(stream)
    answer = await _Exchange(request.url.origin, wire).handle_async_request(request)
    wire.begin_body()
    return answer


class _Exchange(httpcore.AsyncHTTP11Connection):
    # for a head, and for the trailers of a chunked body: h11 takes 15 ms for this many short lines
    MAX_INCOMPLETE_EVENT_SIZE = _HEAD


MAX_REDIRECTS = 5
MAX_ADDRESSES = 3
CONNECT_S = 5.0  # for each address but the last, which gets the remaining time
_RETURNED_HEADERS = ("etag", "last-modified", "refresh", "retry-after")
_DEFAULTS = {
    "accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8",
    "accept-language": "ja,en;q=0.8",
}


class HttpFetcher:
    """`ports.Fetcher` over HTTP/1.1.

    `total_s` limits the whole fetch, including redirects and the
    resolver. `network` opens the connections.
    """

    def __init__(
        self,
        resolver: Resolver,
        allow: AllowList,
        user_agent: str,
        *,
        ssl_context: ssl.SSLContext | None = None,
        total_s: float = 20.0,
        network: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._resolver = resolver
        self._allow = allow
        self._user_agent = user_agent
        self._total_s = total_s
        self._network = network or httpcore.AnyIOBackend()
        self._ssl = ssl_context or httpcore.default_ssl_context()
        self._ssl.set_alpn_protocols(["http/1.1"])

    async def fetch(self, request: Request) -> Response:
        hop = start_chain(request, self._allow)
        try:
            async with asyncio.timeout(self._total_s):
                return await self._follow(hop)
        except TimeoutError as error:
            raise TimedOut(
                "fetch.timeout",
                host=hop.target.host,
                seconds=self._total_s,
            ) from error

    async def close(self) -> None:
        """Do nothing: no connection stays open between requests."""

    async def _follow(self, hop: Hop) -> Response:
        hops: list[Hop] = []
        while hop not in hops:
            hops.append(hop)
            if len(hops) > MAX_REDIRECTS + 1:
                raise AllFetchesFailed(
                    "fetch.too_many_redirects",
                    host=hop.target.host,
                    max_redirects=MAX_REDIRECTS,
                )
            async with self._open_response(hop) as answer:
                headers = _read_headers(answer)
                if not is_redirect(answer.status, headers):
                    return await _read(hop.target, answer, headers)
            next_hop = follow_redirect(hop, answer.status, headers["location"], self._allow)
            if hop.alone:
                return _redirect(hop, answer.status, next_hop)
            hop = next_hop
        raise AllFetchesFailed("fetch.redirect_loop", host=hop.target.host)

    @asynccontextmanager
    async def _open_response(self, hop: Hop) -> AsyncIterator[httpcore.Response]:
        """Yield a response whose head has been read, but not its body."""
        target = hop.target
        request = self._request(hop)
        endpoints = check_endpoints(
            await self._resolver.resolve(target.host, target.port), target, self._allow
        )
        try:
            connection = await self._connect_any(endpoints)
            try:
                stream = connection
                if target.scheme == "https":
                    stream = await connection.start_tls(self._ssl, server_hostname=target.host)
                yield await ask(stream, request)
            finally:
                await connection.aclose()
        except httpcore.LocalProtocolError:
            raise _refuse_target(target) from None
        except (
            httpcore.NetworkError,
            httpcore.TimeoutException,
            httpcore.ProtocolError,
            ssl.SSLError,
            OSError,
        ) as error:
            raise _make_unreachable(target, error) from error

    async def _connect_any(self, endpoints: Sequence[Endpoint]) -> httpcore.AsyncNetworkStream:
        """Connect to the first endpoint that accepts.

        A name may lead to a machine out of service, or to IPv6 where there is none.
        """
        *earlier, last = endpoints[:MAX_ADDRESSES]
        for endpoint in earlier:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return await self._network.connect_tcp(endpoint.address, endpoint.port, timeout=CONNECT_S)
        return await self._network.connect_tcp(last.address, last.port)

    def _request(self, hop: Hop) -> httpcore.Request:
        target = hop.target
        content = b""
        headers = {
            "host": target.authority,
            "user-agent": self._user_agent,
            **_DEFAULTS,
            **hop.headers,
        }
        headers |= {"accept-encoding": "gzip", "connection": "close"}
        if hop.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in hop.cookies.items())
        url = httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
        try:
            if hop.method == "POST":
                content = urlencode(hop.form).encode("ascii")
                headers |= {
                    "content-type": "application/x-www-form-urlencoded",
                    "content-length": str(len(content)),
                }
            fields = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
        except UnicodeEncodeError:
            raise _refuse_target(target) from None
        return httpcore.Request(hop.method, url, headers=fields, content=content)


def _read_headers(answer: httpcore.Response) -> dict[str, str]:
    """Return headers by lower-case name.

    The last of repeated ones counts, except for content encodings, which are joined.
    """
    headers: dict[str, str] = {}
    for raw_name, raw in answer.headers:
        name = raw_name.decode("ascii").lower()
        value = spell_address(raw)
        headers[name] = (
            f"{headers[name]},{value}" if name == "content-encoding" and name in headers else value
        )
    return headers


def _redirect(hop: Hop, status: int, next_hop: Hop) -> Response:
    return Response(b"", hop.target.url, status, headers={"location": next_hop.target.url})


async def _read(target: Target, answer: httpcore.Response, headers: Mapping[str, str]) -> Response:
    media, charset = body.parse_content_type(headers.get("content-type", ""))
    limit = body.limit((media or "") if answer.status < 400 else "text/html")
    # 304 states the length of the omitted body
    if answer.status != 304 and int(headers.get("content-length", "0")) > limit:
        raise _refuse_size(limit)
    content = await _read_content(answer, body.make_decoder(headers.get("content-encoding", "")), limit)
    kept_headers = {name: headers[name] for name in _RETURNED_HEADERS if name in headers}
    return Response(content, target.url, answer.status, charset, media_type=media, headers=kept_headers)


async def _read_content(answer: httpcore.Response, decoder: body.Decoder, limit: int) -> bytes:
    content = io.BytesIO()  # returns its bytes without a second copy
    assert isinstance(answer.stream, AsyncIterable)
    async with aclosing(aiter(answer.stream)) as raw:  # type: ignore[type-var]  # a generator, declared as an iterator
        async for data in raw:
            # buffered data comes without a pause, even a byte at a time
            await asyncio.sleep(0)
            for piece in decoder.feed(data):
                if content.tell() + len(piece) > limit:
                    raise _refuse_size(limit)
                is_opening = content.tell() < body.OPENING
                content.write(piece)
                if is_opening:
                    limit = body.choose_limit(content.getbuffer()[: body.OPENING].tobytes(), limit)
                await asyncio.sleep(0)
    decoder.finish()
    return content.getvalue()


def _refuse_size(limit: int) -> TooLarge:
    return TooLarge(
        "fetch.too_large",
        megabytes=limit // 2**20,
    )


def _refuse_target(target: Target) -> InvalidParams:
    # The library's own message repeats the value, which may be a key.
    return InvalidParams(
        "fetch.bad_header",
        host=target.host,
    )


def _make_unreachable(target: Target, error: Exception) -> AllFetchesFailed:
    causes = [*_list_causes(error)]
    untrusted = next((cause for cause in causes if isinstance(cause, ssl.SSLCertVerificationError)), None)
    if untrusted is not None:
        return AllFetchesFailed(
            "fetch.bad_certificate",
            host=target.host,
            cause=untrusted.verify_message,
        )
    # TLS errors have their own numbers.
    reasons = (explain_error(cause) for cause in causes if not isinstance(cause, ssl.SSLError))
    words = next((reason for reason in reasons if isinstance(reason, Message)), None)
    return AllFetchesFailed(
        "fetch.unreachable",
        host=target.host,
        cause=words or (str(error) or type(error).__name__)[:120],
    )


def _list_causes(error: Exception) -> Iterator[Exception]:
    """Yield the error and the errors that caused it."""
    cause: BaseException | None = error
    while isinstance(cause, Exception):
        yield cause
        cause = cause.__cause__ or cause.__context__
