"""Whose page an address is: its host, its site, and the registered domain, by the Public Suffix List that
comes with the package."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from shisho.web.http.url import bracket_address, host_name

if TYPE_CHECKING:
    from tldextract import TLDExtract


_PORTS = {"http": 80, "https": 443}


def host_of_url(url: str) -> str:
    """The host that an address asks, in its one spelling; "" for what is no address."""
    try:
        return host_name(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def site_of(url: str) -> str:
    """Scheme, host and port of a web address: whose robots.txt counts."""
    parts = urlsplit(url)
    host = bracket_address(host_of_url(url))
    return f"{parts.scheme}://{host}" + (
        "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    )


def find_registered_domain(url: str) -> str:
    """`example.co.jp` of https://www.example.co.jp/x; one site of a host that many share
    (`someone.github.io`); an IP address as it is. Empty for what is no web address."""
    try:
        parts = urlsplit(url)
        # what has no such spelling is no host here
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

    # No addresses and no folder: nothing is fetched, nothing is written.
    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
