"""The address guard against SSRF: allowed URLs, and allowed addresses of their names.

Pure functions. The caller resolves first, connects to exactly the address that was checked, and repeats this
for every hop of a redirect.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import Self
from urllib.parse import quote, urlsplit

from shisho.domain.web import Endpoint
from shisho.errors import AllFetchesFailed, ForbiddenAddress, InvalidParams
from shisho.messages import Message
from shisho.records import dataclass
from shisho.web.http.url import add_brackets

_PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"(?:\[(?P<literal>[^\[\]]+)\]|(?P<name>[^\[\]:]+))(?::(?P<port>[0-9]{0,5}))?")
_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_QUAD = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})")
# anything else that a C library would read as an IPv4 address
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_KEPT_IN_PATH = "!$%&'()*+,/:;=?@[]~"

# Names that only have a meaning inside a machine or a network, and names under which clouds serve
# credentials: some of these resolve to public addresses.
_INSIDE = re.compile(
    r"[^.]+|(?:.+\.)?(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)|"
    r"metadata\.(?:tencentyun\.com|packet\.net|platformequinix\.com)"
)

# `is_global` of Python 3.11 is True for many of these: translated and tunnelled IPv4, site-local,
# 192.0.0.192, multicast.
_REASONS: tuple[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, str], ...] = tuple(
    (ipaddress.ip_network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "address.this_machine"),
        ("127.0.0.0/8", "address.this_machine"),
        ("10.0.0.0/8", "address.private"),
        ("172.16.0.0/12", "address.private"),
        ("192.168.0.0/16", "address.private"),
        ("100.64.0.0/10", "address.provider"),
        ("169.254.0.0/16", "address.cloud_metadata"),
        ("168.63.129.16/32", "address.cloud_service"),
        ("192.0.0.0/24", "address.protocols"),
        ("192.0.2.0/24", "address.documentation"),
        ("198.51.100.0/24", "address.documentation"),
        ("203.0.113.0/24", "address.documentation"),
        ("192.88.99.0/24", "address.relay_6to4"),
        ("198.18.0.0/15", "address.benchmark"),
        ("224.0.0.0/4", "address.multicast"),
        ("240.0.0.0/4", "address.reserved"),
        ("::1/128", "address.this_machine"),
        ("::/128", "address.this_machine"),
        ("::ffff:0:0/96", "address.ipv4_mapped"),
        ("::/96", "address.ipv4_mapped"),
        ("64:ff9b::/96", "address.ipv4_translated"),
        ("64:ff9b:1::/48", "address.ipv4_translated"),
        ("2002::/16", "address.ipv4_6to4"),
        ("2001::/32", "address.ipv4_teredo"),
        ("2001::/23", "address.protocols"),
        ("2001:db8::/32", "address.documentation"),
        ("3fff::/20", "address.documentation"),
        ("fc00::/7", "address.private"),
        ("fe80::/10", "address.link_local"),
        ("fec0::/10", "address.private"),
        ("ff00::/8", "address.multicast"),
    )
)
# no other part of IPv6 is allocated for the Internet (RFC 4291, IANA)
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")


@dataclass(frozen=True, slots=True)
class Target:
    """The server and path of a parsed URL.

    `host` is an ASCII name or an IP address without brackets, `path` the request target, including the query.
    """

    scheme: str
    host: str
    port: int
    path: str = "/"

    @property
    def authority(self) -> str:
        """The value of a Host header, with the port only if it is not the scheme's default."""
        host = add_brackets(self.host)
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


@dataclass(frozen=True, slots=True)
class AllowList:
    """The exceptions that the owner of this machine permits.

    `hosts` are names or addresses, as `host` (with the usual ports) or `host:port` (that port alone); `ports`
    are open for every host.
    """

    hosts: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset()

    @classmethod
    def from_names(cls, hosts: Iterable[str], ports: Iterable[str] = ()) -> Self:
        """Parse a user's settings. Raises InvalidParams with the invalid word."""
        return cls(frozenset(map(_parse_exception, hosts)), frozenset(map(_parse_port, ports)))

    def is_private(self, target: Target) -> bool:
        """Return True if this host may resolve to any address."""
        return target.host in self.hosts or self._is_allowed_pair(target)

    def open(self, target: Target) -> bool:
        """Return True if this port may be requested."""
        return target.port in _PORTS.values() or target.port in self.ports or self._is_allowed_pair(target)

    def _is_allowed_pair(self, target: Target) -> bool:
        return f"{add_brackets(target.host)}:{target.port}" in self.hosts


def check_url(url: str, allow: AllowList) -> Target:
    """Return the server that a URL names.

    Raises: InvalidParams if it is not an http(s) URL, ForbiddenAddress if it may not be requested.
    """
    try:
        parts = urlsplit(url.strip(" "))
        path = quote(parts.path or "/", safe=_KEPT_IN_PATH)
        query = "?" + quote(parts.query, safe=_KEPT_IN_PATH) if parts.query else ""
    except ValueError as error:
        raise _refuse_url(url) from error
    if parts.scheme not in _PORTS or _CONTROL.search(url):
        raise _refuse_url(url)
    if "@" in parts.netloc:
        raise ForbiddenAddress("address.userinfo")
    match = _AUTHORITY.fullmatch(parts.netloc)
    if match is None:
        raise _refuse_url(url)
    port = _parse_port(match["port"]) if match["port"] else _PORTS[parts.scheme]
    target = Target(parts.scheme, _parse_host(match["literal"], match["name"], url), port, path + query)
    _check(target, allow)
    return target


def explain_forbidden(address: str) -> Message | None:
    """Return the reason that this IP address is not public, or None if it is."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return Message("address.not_an_ip")
    if "%" in address:
        return Message("address.one_interface")
    for network, reason in _REASONS:
        if ip in network:
            return Message(reason)
    if ip.version == 6 and ip not in _GLOBAL_UNICAST:
        return Message("address.reserved")
    return None if ip.is_global else Message("address.not_public")


def check_endpoints(endpoints: Sequence[Endpoint], target: Target, allow: AllowList) -> Sequence[Endpoint]:
    """Return the endpoints if all are allowed.

    One forbidden address of a name refuses them all, because it is a matter of chance which one a connection
    would use. Raises ForbiddenAddress, or AllFetchesFailed if there is none.
    """
    if not endpoints:
        raise AllFetchesFailed("address.no_host_address", host=target.host)
    if not allow.is_private(target):
        for endpoint in endpoints:
            _refuse(target, endpoint.address)
    return endpoints


def choose_endpoint(endpoints: Sequence[Endpoint], target: Target, allow: AllowList) -> Endpoint:
    """Return the first endpoint, after checking all."""
    return check_endpoints(endpoints, target, allow)[0]


def _check(target: Target, allow: AllowList) -> None:
    if not allow.open(target):
        raise ForbiddenAddress(
            "address.port_closed",
            host=target.host,
            port=target.port,
        )
    if allow.is_private(target):
        return
    if ":" in target.host or _QUAD.fullmatch(target.host):
        _refuse(target, target.host)
    elif _NUMBER.fullmatch(target.host):
        raise ForbiddenAddress(
            "address.disguised",
            host=target.host,
        )
    elif _INSIDE.fullmatch(target.host):
        raise ForbiddenAddress(
            "address.internal_name",
            host=target.host,
            advice=_describe_target(target),
        )


def _refuse(target: Target, address: str) -> None:
    reason = explain_forbidden(address)
    if reason is not None:
        advice = _describe_target(target)
        if address == target.host:
            raise ForbiddenAddress(
                "address.not_internet",
                address=address,
                reason=reason,
                advice=advice,
            )
        raise ForbiddenAddress(
            "address.leads_inside",
            host=target.host,
            address=address,
            reason=reason,
            advice=advice,
        )


def _describe_target(target: Target) -> Message:
    return Message("address.allow_advice", host=target.host)


def _parse_host(literal: str | None, name: str | None, url: str) -> str:
    if literal is not None:
        try:
            return str(ipaddress.IPv6Address(literal.replace("%25", "%")))
        except ValueError as error:
            raise _refuse_url(url) from error
    host = _encode_ascii(name or "")
    if not _NAME.fullmatch(host):
        raise _refuse_url(url)
    return host


def _encode_ascii(name: str) -> str:
    # IDNA maps ①②⑦。⓪ to 127.0, so it must precede every check. It is slow on long input (CVE-2022-45061).
    try:
        return name.encode("idna").decode("ascii").lower().removesuffix(".") if len(name) <= 253 else ""
    except UnicodeError:
        return ""


def _parse_exception(word: str) -> str:
    match = _AUTHORITY.fullmatch(f"[{word}]" if word.count(":") > 1 and not word.startswith("[") else word)
    if match is None:
        raise InvalidParams(
            "address.bad_allowed_host",
            word=word,
        )
    host = _parse_host(match["literal"], match["name"], word)
    return f"{add_brackets(host)}:{_parse_port(match['port'])}" if match["port"] else host


def _parse_port(word: str) -> int:
    if not word.isascii() or not word.isdecimal() or not 0 < int(word) < 65536:
        raise InvalidParams("address.bad_port", word=word)
    return int(word)


def _refuse_url(url: str) -> InvalidParams:
    # a query or a user name may contain a secret
    legible_url = re.sub(r"//[^/]*@", "//", url.partition("?")[0])[:200]
    return InvalidParams("address.not_a_url", url=legible_url)
