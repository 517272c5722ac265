"""The requests of a chain of redirects: the first request, each next target, and the data it may carry.

Pure functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

from shisho.domain.web import Request
from shisho.errors import AllFetchesFailed, InvalidParams
from shisho.web.http.address import AllowList, Target, check_url

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
_AS_IT_WAS = frozenset((307, 308))


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
    return status in _TO_GET | _AS_IT_WAS and "location" in headers


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
