"""The host, site and registered domain of an address, by the bundled Public Suffix List."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from shisho.web.http.url import bracket_address, host_name

if TYPE_CHECKING:
    from tldextract import TLDExtract


_PORTS = {"http": 80, "https": 443}


def host_of_url(url: str) -> str:
    """Return the normalized host of a URL; "" if it is invalid."""
    try:
        return host_name(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def site_of(url: str) -> str:
    """Return scheme, host and port of a web address: the scope of a robots.txt."""
    parts = urlsplit(url)
    host = bracket_address(host_of_url(url))
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
