"""HTTP by httpcore, which does one exchange over one connection and nothing else: no redirects, cookies, proxies,
environment or decompression that would have to be turned off. A connection is opened to the checked address, TLS is verified
against the name, and nothing is kept for another request, so that no answer can come from another host than the one asked."""

from __future__ import annotations

import asyncio
import io
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlencode, urljoin

import httpcore

from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed, InvalidParams, TimedOut, TooLarge
from shisho.ports import Resolver
from shisho.web import body
from shisho.web.address import Exceptions, Target, check_url, chosen
from shisho.web.body import Decoder

MAX_REDIRECTS = 5
_HEAD = 32 * 1024
_SIP = 4 * 1024
_FOLLOWED = frozenset((301, 302, 303, 307, 308))
_KEPT = ("etag", "last-modified", "retry-after")
# Ours to say; and what a caller may not say about the exchange itself.
_OURS = frozenset(("host", "user-agent", "accept-encoding", "connection", "cookie", "content-length", "content-type"))
# What may follow a redirect to another host. Anything else may be a key.
_HARMLESS = frozenset(("accept", "accept-language", "if-none-match", "if-modified-since"))
_DEFAULTS = {"accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8", "accept-language": "ja,en;q=0.8"}


class _Exchange(httpcore.AsyncHTTP11Connection):
    MAX_INCOMPLETE_EVENT_SIZE = _HEAD  # a head, and the trailers of a body in chunks: h11 takes 15 ms for so many short lines


class _Wire(httpcore.AsyncNetworkStream):
    """A connection that gives little at a time, for h11 works off all it has without a pause. Before the body begins it
    gives only so much in all: any number of interim answers may come before the answer."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._head_left: int | None = _HEAD

    def body_begins(self) -> None:
        self._head_left = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  (as httpcore has it)
        if self._head_left is None:
            return await self._stream.read(min(max_bytes, 4 * _SIP), timeout)
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


@dataclass(frozen=True, slots=True)
class _Hop:
    """One request of a chain of redirects."""

    target: Target
    method: str
    form: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)


class HttpFetcher:
    """`ports.Fetcher` over HTTP/1.1. `user_agent` as made by `user_agent()`; `total_s` is for everything, redirects and the
    resolver too. `network` opens the connections."""

    def __init__(
        self,
        resolver: Resolver,
        allow: Exceptions,
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
        hop = _first(request, self._allow)
        try:
            async with asyncio.timeout(self._total_s):
                return await self._follow(hop)
        except TimeoutError as error:
            raise TimedOut(f"{hop.target.host} did not finish within {self._total_s:g} s: try again later.") from error

    async def close(self) -> None:
        """Nothing is kept open between requests."""

    async def _follow(self, hop: _Hop) -> Response:
        seen: list[_Hop] = []
        while hop not in seen:
            seen.append(hop)
            if len(seen) > MAX_REDIRECTS + 1:
                raise AllFetchesFailed(f"{hop.target.host} redirects more than {MAX_REDIRECTS} times: give the final address.")
            async with self._answered(hop) as answer:
                headers = _headers(answer)
                if answer.status not in _FOLLOWED or "location" not in headers:
                    return await _read(hop.target, answer, headers)
            hop = _next(hop, answer.status, headers["location"], self._allow)
        raise AllFetchesFailed(f"{hop.target.host} redirects in a circle: open it in a browser to see why.")

    @asynccontextmanager
    async def _answered(self, hop: _Hop) -> AsyncIterator[httpcore.Response]:
        """The head of the answer has come; its body is still to be read."""
        target = hop.target
        endpoint = chosen(await self._resolver.resolve(target.host, target.port), target, self._allow)
        try:
            wire = await self._network.connect_tcp(endpoint.address, endpoint.port)
            try:
                stream = wire
                if target.scheme == "https":
                    stream = await wire.start_tls(self._ssl, server_hostname=target.host)
                url = httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
                bounded = _Wire(stream)
                answer = await _Exchange(url.origin, bounded).handle_async_request(self._request(hop, url))
                bounded.body_begins()
                yield answer
            finally:
                await wire.aclose()
        except httpcore.LocalProtocolError as error:
            raise InvalidParams(f"The request to {target.host} cannot be sent: {error}.") from error
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, ssl.SSLError, OSError) as error:
            raise _unreachable(target, error) from error

    def _request(self, hop: _Hop, url: httpcore.URL) -> httpcore.Request:
        headers = {"host": hop.target.authority, "user-agent": self._user_agent, **_DEFAULTS, **hop.headers}
        headers |= {"accept-encoding": "gzip", "connection": "close"}
        if hop.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in hop.cookies.items())
        content = b""
        if hop.method == "POST":
            content = urlencode(hop.form).encode("ascii")
            headers |= {"content-type": "application/x-www-form-urlencoded", "content-length": str(len(content))}
        return httpcore.Request(hop.method, url, headers=list(headers.items()), content=content)


def user_agent(version: str, contact: str) -> str:
    """Who we are and where a site's owner finds us. Raises InvalidParams."""
    if not contact:
        return f"Shisho/{version}"
    if not contact.isascii() or not contact.isprintable() or set(contact) & set("() "):
        raise InvalidParams(f"`contact` takes an address of a page or of mail, not {contact!r}.")
    return f"Shisho/{version} (+{contact})"


def _first(request: Request, allow: Exceptions) -> _Hop:
    if request.method not in ("GET", "POST"):
        raise InvalidParams(f"Pages are asked for by GET or POST, not {request.method!r}.")
    headers = {name.lower(): value for name, value in request.headers.items() if name.lower() not in _OURS}
    return _Hop(check_url(request.url, allow), request.method, request.form, headers, request.cookies)


def _next(hop: _Hop, status: int, location: str, allow: Exceptions) -> _Hop:
    """Where a redirect leads. From https to http it is followed, as any http address is, but nothing private goes along."""
    try:
        target = check_url(urljoin(hop.target.url, location), allow)
    except (InvalidParams, ValueError) as error:
        raise AllFetchesFailed(f"{hop.target.host} redirects to what is no web address: open it in a browser.") from error
    if status in (301, 302, 303):
        hop = replace(hop, method="GET", form={})
    if _same_place(hop.target, target):
        return replace(hop, target=target)
    if hop.form:
        raise AllFetchesFailed(f"{hop.target.host} sends a form on to {target.host}: ask there, if that is meant.")
    harmless = {name: value for name, value in hop.headers.items() if name in _HARMLESS}
    return replace(hop, target=target, headers=harmless, cookies={})


def _same_place(old: Target, new: Target) -> bool:
    """The same server, or its secure side."""
    upgraded = (old.scheme, old.port, new.scheme, new.port) == ("http", 80, "https", 443)
    return old.host == new.host and ((old.scheme, old.port) == (new.scheme, new.port) or upgraded)


def _headers(answer: httpcore.Response) -> dict[str, str]:
    """By name in lower case. Of what is said twice the last holds; but encodings come one upon another."""
    held: dict[str, str] = {}
    for raw_name, raw in answer.headers:
        name, value = raw_name.decode("ascii").lower(), _text(raw)
        held[name] = f"{held[name]},{value}" if name == "content-encoding" and name in held else value
    return held


def _text(raw: bytes) -> str:
    # Servers put a Japanese address into Location as it is, in UTF-8 or in Shift_JIS.
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return quote(raw, safe="!\"#$%&'()*+,/:;<=>?@[]^`{|}~\\ ")


async def _read(target: Target, answer: httpcore.Response, headers: Mapping[str, str]) -> Response:
    media, charset = body.media_type(headers.get("content-type", ""))
    limit = body.limit((media or "") if answer.status < 400 else "text/html")
    if answer.status != 304 and int(headers.get("content-length", "0")) > limit:  # 304 names the length of what it leaves out
        raise _too_large(limit)
    content = await _content(answer, body.decoder(headers.get("content-encoding", "")), limit)
    kept = {name: headers[name] for name in _KEPT if name in headers}
    return Response(content, target.url, answer.status, charset, media_type=media, headers=kept)


async def _content(answer: httpcore.Response, decoder: Decoder, limit: int) -> bytes:
    content = io.BytesIO()  # gives its bytes away without a second copy of them
    assert isinstance(answer.stream, AsyncIterable)
    async with aclosing(aiter(answer.stream)) as raw:  # type: ignore[type-var]  # a generator, declared as an iterator
        async for data in raw:
            for piece in decoder.feed(data):
                if content.tell() + len(piece) > limit:
                    raise _too_large(limit)
                content.write(piece)
                await asyncio.sleep(0)  # what has arrived already is handed out without a pause of its own
    decoder.finish()
    return content.getvalue()


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The page is larger than {limit // 2**20} MB: save the part you need and add that.")


def _unreachable(target: Target, error: Exception) -> AllFetchesFailed:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    if cause is not None:
        return AllFetchesFailed(f"The certificate of {target.host} is not valid for it ({cause.verify_message}).")
    return AllFetchesFailed(
        f"{target.host} broke off or cannot be reached ({str(error) or type(error).__name__}): try again later."
    )
