"""Canonical URLs: redirectors unwrapped, spellings normalized.

A canonical URL is an identity, never fetched.
"""

from __future__ import annotations

import base64
import binascii
import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urljoin, urlsplit, urlunsplit

if TYPE_CHECKING:
    from tldextract import TLDExtract

_GOOGLE = r"(?:[\w-]+\.)*google\.[a-z]{2,3}(?:\.[a-z]{2})?"

# (host, path, parameters that may contain the target)
_REDIRECTORS: tuple[tuple[re.Pattern[str], re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(host), re.compile(path), names)
    for host, path, names in (
        (_GOOGLE, r"/url", ("q", "url")),
        (_GOOGLE, r"/imgres", ("imgrefurl",)),
        (_GOOGLE, r"/scholar_url", ("url",)),
        (r"(?:[\w-]+\.)?duckduckgo\.com", r"/l/?", ("uddg",)),
        (r"(?:[\w-]+\.)?bing\.com", r"/ck/a", ("u",)),
        (r"(?:[\w-]+\.)?facebook\.com", r"/l\.php", ("u",)),
        (r"(?:www\.)?youtube\.com", r"/redirect", ("q",)),
    )
)

# Links on a result page that are not results: the engine's own pages, advertisements, caches, translations.
_NOT_RESULTS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(host), re.compile(path))
    for host, path in (
        (
            r"(?:www\.|images\.|216\.239\.\d+\.)?" + _GOOGLE,
            r"/(?:search|url|imgres|aclk|setprefs|preferences|advanced_\w+|swr)",
        ),
        (_GOOGLE, r"/(?:aclk|pagead/.*)"),
        (r"(?:\d+\.){3}\d+", r"/search"),
        (
            r"(?:[\w-]+\.)?googleadservices\.com|webcache\.googleusercontent\.com|translate\.google\.[a-z.]+",
            r".*",
        ),
        (
            r"(?:[\w-]+\.)?bing\.com",
            r"/(?:(?:images/|videos/|news/)?search|images|videos|news|aclick|aclk|ck/a|merchant/.*)",
        ),
        (r"(?:[\w-]+\.)*r\.msn\.com|(?:www\.)?microsofttranslator\.com", r".*"),
        (
            r"(?:html\.|lite\.|www\.)?duckduckgo\.com",
            r"/(?:l/?|html/?|lite/?|y\.js|[div]\.js|news\.js)?",
        ),
        (r"search\.brave\.com", r".*"),
        (r"www\.ecosia\.org", r"/(?:search|images|news|videos|maps)?"),
        (r"(?:www|lite)\.qwant\.com", r"/(?:search)?"),
        (r"(?:[\w-]+\.)?startpage\.com", r"/(?:sp|do|av)/.*"),
        (r"www\.mojeek\.(?:com|co\.uk)", r"/search"),
    )
)

_TRACKING = re.compile(
    r"utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|"
    r"ref_src|ref_url|spm|srsltid|vero_id|oly_(?:anon|enc)_id|_ga|_gl|s_kwcid|ns_campaign",
    re.IGNORECASE,
)
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_PORTS = {"http": 80, "https": 443}


def unwrap(url: str) -> str:
    """Return the target of a search engine's redirector; any other URL unchanged."""
    for _ in range(3):
        target = _normalise_target(url)
        if not target:
            return url
        url = target
    return url


def _normalise_target(url: str) -> str:
    parts = _split(url)
    if parts is None:
        return ""
    host, path, query = parts
    for hosts, paths, names in _REDIRECTORS:
        if hosts.fullmatch(host) and paths.fullmatch(path):
            values = dict(parse_qsl(query))
            for name in names:
                target = resolve_href("", _decode_value(values.get(name, "")))
                if target:  # "https://" alone is not an address, and the redirector's own stays
                    return target
    return ""


def _decode_value(value: str) -> str:
    # bing's ck/a carries base64 without padding after a version mark.
    if not value.startswith("a1"):
        return value
    packed = value[2:]
    try:
        return base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return value


def _split(url: str) -> tuple[str, str, str] | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return (
        (normalise_host(parts.hostname or ""), parts.path or "/", parts.query)
        if parts.scheme in _PORTS
        else None
    )


def resolve_href(base: str, href: str) -> str:
    """Resolve `href` against `base`; "" if the result is not a web address."""
    try:
        url = urljoin(base, href.strip())
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return ""
    return url if parts.scheme in _PORTS and parts.hostname else ""


def spell_address(raw: bytes) -> str:
    """Decode an address from a server.

    Servers send raw Japanese in UTF-8, or in Shift_JIS, whose bytes are percent-encoded.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return quote(raw, safe="!\"#$%&'()*+,/:;<=>?@[]^`{|}~\\ ")


def is_result(url: str) -> bool:
    """Return True if a link may be a result.

    It is not an engine's own page, advertisement, cache or translation.
    """
    parts = _split(url)
    if parts is None:
        return False
    host, path, _ = parts
    return not any(hosts.fullmatch(host) and paths.fullmatch(path) for hosts, paths in _NOT_RESULTS)


def canonicalise(url: str) -> str:
    """Return the identity of an address across spellings. Raises ValueError if it is not an http(s) URL.

    http and https, default ports, letter case of the host, percent-encodings, dot segments, a final slash,
    fragments, parameter order and tracking parameters make no difference; path case and all other parameters
    do.
    """
    parts = urlsplit(unwrap(url.strip()))
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(f"not a web address: {url}")
    host = add_brackets(normalise_host(parts.hostname))
    if not host:
        raise ValueError(f"no host: {url}")
    if parts.port not in (None, *_PORTS.values()):
        host = f"{host}:{parts.port}"
    pairs = (pair.partition("=") for pair in parts.query.replace("+", "%20").split("&") if pair)
    parameters = sorted(
        (_spell_segment(name), _spell_segment(value))
        for name, _, value in pairs
        if not _TRACKING.fullmatch(name)
    )
    query = "&".join(f"{name}={value}" for name, value in parameters)
    return urlunsplit(("https", host, _normalise_path(parts.path), query, ""))


def strip_tracking(url: str) -> str:
    """Remove tracking parameters from an address; everything else keeps its spelling."""
    address, mark, fragment = url.partition("#")
    page, asks, query = address.partition("?")
    if not asks:
        return url
    parameters = [pair for pair in query.split("&") if not _TRACKING.fullmatch(pair.partition("=")[0])]
    return page + ("?" + "&".join(parameters) if parameters else "") + mark + fragment


def normalise_host(name: str) -> str:
    """Normalize a host: ASCII, lower case, without the final dot that only marks a complete name."""
    with suppress(UnicodeError):
        name = name.encode("idna").decode("ascii")
    return name.lower().rstrip(".")  # after that: the Japanese full stop has become a dot


def add_brackets(host: str) -> str:
    """Return a host as written in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def strip_final_dot(url: str) -> str:
    """Remove the final dot of the host, which makes it another host to a browser and to a cookie."""
    try:
        parts = urlsplit(url)
        name = parts.hostname or ""
        port = parts.port
    except ValueError:
        return url
    if not name.endswith("."):
        return url
    before, at, _ = parts.netloc.rpartition("@")
    return urlunsplit(
        parts._replace(netloc=f"{before}{at}{name.rstrip('.')}" + (f":{port}" if port is not None else ""))
    )


def _normalise_path(path: str) -> str:
    segments: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            segments = segments[:-1]
        elif segment not in ("", "."):
            segments.append(_spell_segment(segment))
    return "/" + "/".join(segments)


def _spell_segment(segment: str) -> str:
    # An escaped reserved character (%2F) is not that character, and a byte of Shift_JIS is not UTF-8: only
    # unreserved characters are unescaped.
    def unfold(match: re.Match[str]) -> str:
        letter = unquote(match.group())
        return letter if letter in _UNRESERVED else match.group().upper()

    return quote(_ESCAPE.sub(unfold, segment), safe="%!$&'()*+,;=:@-._~")


def extract_host(url: str) -> str:
    """Return the normalized host of a URL; "" if it is invalid."""
    try:
        return normalise_host(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def extract_site(url: str) -> str:
    """Return scheme, host and port of a web address: the scope of a robots.txt."""
    parts = urlsplit(url)
    host = add_brackets(extract_host(url))
    return f"{parts.scheme}://{host}" + (
        "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    )


def find_registered_domain(url: str) -> str:
    """Return the registered domain, such as `example.co.jp` for https://www.example.co.jp/x.

    For shared hosts, one site (`someone.github.io`); an IP address as is. Empty if it is not a web address.
    """
    try:
        parts = urlsplit(url)
        # a host without such a spelling is not valid here
        host = (parts.hostname or "").rstrip(".").encode("idna").decode("ascii")
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https"):
        return ""
    extracted = _list()(host)
    if extracted.suffix or not extracted.domain:
        return extracted.top_domain_under_public_suffix or host
    # A top level that the list lacks counts as a public suffix (publicsuffix.org, "if no rules match").
    return (
        host
        if extracted.ipv4 or extracted.ipv6 or not extracted.subdomain
        else ".".join(host.split(".")[-2:])
    )


@lru_cache(maxsize=1)
def _list() -> TLDExtract:
    from tldextract import TLDExtract

    # No URLs and no folder: nothing is fetched or written.
    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
