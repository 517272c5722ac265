"""The requests of a chain of redirects: the first request, each next target, and the data it may carry.

Pure functions.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256
from urllib.parse import urljoin

from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed, InvalidParams
from shisho.ports import Cache
from shisho.records import dataclass
from shisho.web.http.address import AllowList, Target, check_url
from shisho.web.http.url import extract_host, resolve_href, spell_address

# The fetcher sets these, not its caller.
_RESERVED = frozenset(
    (
        "host",
        "user-agent",
        "accept-encoding",
        "connection",
        "cookie",
        "content-length",
        "content-type",
    )
)
# Headers that may follow a redirect to another host. Any other may be a key.
_HARMLESS = frozenset(("accept", "accept-language", "if-none-match", "if-modified-since"))
_TO_GET = frozenset((301, 302, 303))
_SAME_METHOD = frozenset((307, 308))


@dataclass(frozen=True, slots=True)
class Hop:
    """One request of a chain. Header names are in lower case. `alone`: the caller follows the chain."""

    target: Target
    method: str
    form: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    alone: bool = False


def start_chain(request: Request, allow: AllowList) -> Hop:
    """Return the first request. Raises InvalidParams, or ForbiddenAddress."""
    if request.method not in ("GET", "POST"):
        raise InvalidParams("browser.bad_method", method=request.method)
    headers = {
        name.lower(): value for name, value in request.headers.items() if name.lower() not in _RESERVED
    }
    return Hop(
        check_url(request.url, allow),
        request.method,
        request.form,
        headers,
        request.cookies,
        request.one_hop,
    )


def is_redirect(status: int, headers: Mapping[str, str]) -> bool:
    """Return True if a response is a redirect."""
    return status in _TO_GET | _SAME_METHOD and "location" in headers


def follow_redirect(hop: Hop, status: int, location: str, allow: AllowList) -> Hop:
    """Return the next request.

    A redirect from https to http is followed, like any http address, but without private data.

    Raises: ForbiddenAddress, or AllFetchesFailed if it cannot be followed.
    """
    try:
        target = check_url(urljoin(hop.target.url, location), allow)
    except (InvalidParams, ValueError) as error:
        raise AllFetchesFailed("fetch.bad_redirect", host=hop.target.host) from error
    if status in _TO_GET:
        hop = replace(hop, method="GET", form={})
    if _is_same_server(hop.target, target):
        return replace(hop, target=target)
    if hop.form:
        raise AllFetchesFailed(
            "fetch.form_redirect",
            host=hop.target.host,
            target=target.host,
        )
    harmless = {name: value for name, value in hop.headers.items() if name in _HARMLESS}
    return replace(hop, target=target, headers=harmless, cookies={})


def _is_same_server(old: Target, new: Target) -> bool:
    """Return True for the same server, or its https upgrade."""
    upgraded = (old.scheme, old.port, new.scheme, new.port) == ("http", 80, "https", 443)
    return old.host == new.host and ((old.scheme, old.port) == (new.scheme, new.port) or upgraded)


MAX_REDIRECTS = 5  # RFC 9309 2.3.1.2 names five too
KEPT_S = 86_400.0  # a waiter for the next host does not ask the earlier ones again


@dataclass(frozen=True, slots=True)
class RedirectChain:
    """The requested addresses so far, followed by the next one."""

    urls: tuple[str, ...]

    @property
    def url(self) -> str:
        return self.urls[-1]

    @property
    def begins(self) -> bool:
        """True if nothing has been requested yet."""
        return len(self.urls) == 1

    def extend(self, url: str) -> RedirectChain:
        """Append an address. Raises AllFetchesFailed for a loop, or if the chain is too long."""
        host = extract_host(self.url)
        if url in self.urls:
            raise AllFetchesFailed("fetch.redirect_loop", host=host)
        if len(self.urls) > MAX_REDIRECTS:
            raise AllFetchesFailed(
                "fetch.too_many_redirects",
                host=host,
                max_redirects=MAX_REDIRECTS,
            )
        return RedirectChain((*self.urls, url))


def redirect_target(response: Response) -> str:
    """Return the target of a redirect; "" for any other response."""
    return response.headers.get("location", "") if 300 <= response.status < 400 else ""


class RedirectMemory:
    """A store of unfinished chains that wait for their next host."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    async def find_chain(self, name: str, url: str) -> RedirectChain:
        """Return the chain of this name if it began at this address, else a new one."""
        entry = await self._cache.get(_make_key(name))
        urls: Sequence[str] = entry.value if entry is not None else ()
        return RedirectChain(tuple(urls)) if urls and urls[0] == url else RedirectChain((url,))

    async def keep(self, name: str, chain: RedirectChain) -> None:
        await self._cache.put(_make_key(name), list(chain.urls), KEPT_S)

    async def forget(self, name: str, chain: RedirectChain) -> None:
        """Delete a finished chain, whatever its outcome, so that no address is left."""
        if not chain.begins:
            await self._cache.put(_make_key(name), [], 0.0)


def _make_key(name: str) -> str:
    return "redirects " + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


SHORT = 20_000  # bytes; a longer page is worth reading, and its refresh is like a slide show's
MAX_DELAY_S = 10
_BEGIN = re.compile(rb"<(?:script|noscript)\b", re.IGNORECASE)
_END = re.compile(rb"</(?:script|noscript)\b", re.IGNORECASE)
_META = re.compile(rb"<meta\b([^>]{1,2000})>", re.IGNORECASE)
_IS_REFRESH = re.compile(rb"http-equiv\s{0,4}=\s{0,4}[\"']?refresh\b", re.IGNORECASE)
_CONTENT = re.compile(rb"\bcontent\s{0,4}=\s{0,4}(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_LATER = re.compile(rb"\s*(\d{1,3})[.\d]*\s*[;,]\s*(?:url\s*=\s*)?(.+)", re.IGNORECASE | re.DOTALL)


def refresh_target(response: Response) -> str:
    """Return the address that a page forwards to within a few seconds; "" for other pages."""
    if len(response.body) > SHORT or "html" not in (response.media_type or "html"):
        return ""
    for content in (
        response.headers.get("refresh", "").encode("utf-8", "replace"),
        *_list_refreshes(response.body),
    ):
        later = _LATER.fullmatch(content)
        if later and int(later[1]) <= MAX_DELAY_S:
            return resolve_href(response.url, html.unescape(spell_address(later[2].strip().strip(b"\"'"))))
    return ""


def _list_refreshes(page: bytes) -> Iterator[bytes]:
    for meta in _META.finditer(_drop_invisible(page)):
        content = _CONTENT.search(meta[1]) if _IS_REFRESH.search(meta[1]) else None
        if content:
            yield content[1] or content[2] or b""


def _drop_invisible(page: bytes) -> bytes:
    """Return the page without comments, scripts and noscript parts."""
    first, *others = page.split(b"<!--")
    page = first + b"".join(other.partition(b"-->")[2] for other in others)
    first, *others = _BEGIN.split(page)
    return first + b"".join(b"".join(_END.split(other, 1)[1:]) for other in others)
