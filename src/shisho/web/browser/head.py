"""The heads of requests and answers as our proxy reads and rewrites them (RFC 9112, 9110 7.6): pure rules,
strict where two readers might read differently."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from shisho.errors import InvalidParams
from shisho.web.http.address import Target
from shisho.web.http.url import host_name

END = b"\r\n\r\n"
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_STATUS_LINE = re.compile(r"HTTP/1\.[01] [2-5][0-9]{2}(?: [^\x00-\x08\x0a-\x1f\x7f]*)?")
_OF_ONE_HOP = {"connection", "keep-alive", "te", "trailer", "upgrade", "expect", "host"}

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Head:
    """A request's head. `target` is a URL, or host:port for CONNECT."""

    method: str
    target: str
    fields: Fields

    def list_values(self, name: str) -> list[str]:
        """The values of a field, named in lower case."""
        return [value for key, value in self.fields if key.lower() == name]

    @property
    def authority(self) -> str:
        """The host and port that are asked, as far as they can be read."""
        return authority(f"https://{self.target}" if self.method == "CONNECT" else self.target)

    @property
    def body_size(self) -> int:
        """Raises InvalidParams where the length is not plain: what follows could be read as another
        request."""
        sizes = set(self.list_values("content-length"))
        if (
            self.list_values("transfer-encoding")
            or len(sizes) > 1
            or not all(re.fullmatch("[0-9]{1,12}", size) for size in sizes)
        ):
            raise InvalidParams("browser.content_length")
        return int(sizes.pop()) if sizes else 0


def authority(url: str) -> str:
    """The host and port a URL asks, as host:port."""
    try:
        parts = urlsplit(url)
        return f"{host_name(parts.hostname or '')}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
    except ValueError:
        return url[:200]


def request(raw: bytes) -> Head:
    """Raises ValueError: folded lines, bare line ends, anything unusual."""
    first, *lines = raw.removesuffix(END).decode("latin-1").split("\r\n")
    method, target, version = first.split(" ")
    fields = _fields(lines)
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
    """The request as the server gets it. Its Host comes from the URL that was checked, not from the field
    beside it."""
    return f"{head.method} {target.path} HTTP/1.1\r\nHost: {target.authority}\r\n{_kept(head.fields)}".encode(
        "latin-1"
    )


def is_interim(raw: bytes) -> bool:
    """100 Continue and its like: the answer proper is still to come."""
    return re.match(rb"HTTP/1\.[01] 1", raw) is not None


def build_incoming(raw: bytes) -> bytes:
    """The answer's head as the browser gets it, without lines that are no fields. Raises ValueError."""
    first, *lines = raw.removesuffix(END).decode("latin-1").split("\r\n")
    if not _STATUS_LINE.fullmatch(first):
        raise ValueError("no status line")
    return f"{first}\r\n{_kept(_fields(lines))}".encode("latin-1")


def _fields(lines: list[str]) -> Fields:
    return tuple((match[1], match[2].strip()) for line in lines if (match := _FIELD.fullmatch(line)))


def _kept(fields: Fields) -> str:
    """The header fields that may pass on; one request for each connection, so that no byte of another
    slips behind it."""
    listed = ",".join(value for key, value in fields if key.lower() == "connection")
    hop_names = {word.strip().lower() for word in listed.split(",")}
    dropped = _OF_ONE_HOP | (hop_names - {"content-length", "transfer-encoding"})
    lines = [
        f"{key}: {value}"
        for key, value in fields
        if key.lower() not in dropped and not key.lower().startswith("proxy-")
    ]
    return "\r\n".join([*lines, "Connection: close", "", ""])
