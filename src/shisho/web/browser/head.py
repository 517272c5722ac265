"""Parsing and rewriting of the heads of requests and responses in the proxy (RFC 9112, 9110 7.6).

Pure functions, strict about input that two parsers might read differently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from shisho.errors import InvalidParams
from shisho.web.http.address import Target
from shisho.web.http.url import normalise_host

END = b"\r\n\r\n"
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_STATUS_LINE = re.compile(r"HTTP/1\.[01] [2-5][0-9]{2}(?: [^\x00-\x08\x0a-\x1f\x7f]*)?")
_OF_ONE_HOP = {"connection", "keep-alive", "te", "trailer", "upgrade", "expect", "host"}

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


def request(raw: bytes) -> Head:
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
    dropped = _OF_ONE_HOP | (hop_names - {"content-length", "transfer-encoding"})
    lines = [
        f"{key}: {value}"
        for key, value in fields
        if key.lower() not in dropped and not key.lower().startswith("proxy-")
    ]
    return "\r\n".join([*lines, "Connection: close", "", ""])
