"""Limits of response bodies: size by media type, allowed encodings, and gzip in bounded steps. No I/O."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Protocol

from shisho.errors import AllFetchesFailed, UnsupportedMedia

STEP = 64 * 1024  # maximum output of one call of zlib: a few tenths of a millisecond
_MEGABYTE = 1024 * 1024
_HTML = frozenset(("text/html", "application/xhtml+xml"))
# Binary types that readers parse, and types from servers that do not know the real one.
_BINARY = frozenset(
    (
        "",
        "application/pdf",
        "application/x-pdf",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/epub+zip",
        "application/octet-stream",
        "binary/octet-stream",
        "application/download",
        "application/force-download",
    )
)
_TEXT_LIMIT = 10 * _MEGABYTE
_BINARY_LIMIT = 50 * _MEGABYTE
OPENING = 1024  # a PDF may begin with this many other bytes
# Values that some servers send as an encoding although nothing is compressed, such as a charset.
_NO_PACKING = re.compile(
    r"|identity|none|utf-?\d+|shift[_-]jis|sjis|euc-\w+|iso-[\w-]+|windows-\d+|(?:us-)?ascii"
)
_GZIP = b"\x1f"
_NO_TEXT = re.compile(r"(?:image|audio|video|font)/(?!svg\+xml)")
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.IGNORECASE)


def parse_content_type(content_type: str) -> tuple[str | None, str | None]:
    """Return media type and charset of a Content-Type header, in lower case."""
    charset = _CHARSET.search(content_type)
    return content_type.partition(";")[0].strip().lower() or None, charset[1].lower() if charset else None


def limit(media: str) -> int:
    """Return the maximum size of such a body in bytes, decompressed.

    Raises: UnsupportedMedia if it contains no text.
    """
    if _NO_TEXT.match(media):
        raise UnsupportedMedia(
            "fetch.no_text_media",
            media=media,
        )
    if media in _HTML:
        return 5 * _MEGABYTE
    return _BINARY_LIMIT if media in _BINARY else _TEXT_LIMIT


def choose_limit(opening: bytes, announced: int) -> int:
    """Return the limit that applies after OPENING bytes.

    A body that only claims to be a PDF, or a ZIP like office files and e-books, does not get a file's limit.
    """
    is_file = len(opening) < OPENING or b"%PDF" in opening or opening.startswith(b"PK")
    return announced if is_file else min(announced, _TEXT_LIMIT)


class Decoder(Protocol):
    """An incremental decoder of a content encoding."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield pieces of at most STEP bytes, or `data` itself. Raises AllFetchesFailed if it is damaged."""

    def finish(self) -> None:
        """End the input. Raises AllFetchesFailed if it is truncated."""


def make_decoder(content_encoding: str) -> Decoder:
    """Return a decoder. Raises UnsupportedMedia for any encoding but gzip, or for several."""
    words = content_encoding.lower().replace(" ", "").split(",")
    encodings = [word for word in words if not _NO_PACKING.fullmatch(word)]
    if not encodings:
        return _Plain()
    if encodings in (["gzip"], ["x-gzip"]):
        return _Gunzip()
    raise UnsupportedMedia(
        "fetch.unasked_encoding",
        encoding=content_encoding[:80],
    )


class _Plain:
    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        return


class _Gunzip:
    """A decoder of concatenated gzip members; trailing bytes that are not a member are padding."""

    def __init__(self) -> None:
        self._begun = False
        self._member: zlib._Decompress | None = zlib.decompressobj(wbits=31)

    def feed(self, data: bytes) -> Iterator[bytes]:
        more = bool(data)
        self._begun = self._begun or more
        while more:
            if self._member is None:
                if not data.startswith(_GZIP):
                    return
                self._member = zlib.decompressobj(wbits=31)
            try:
                piece = self._member.decompress(data, STEP)
            except zlib.error as error:
                raise AllFetchesFailed("fetch.damaged") from error
            data = self._member.unconsumed_tail or self._member.unused_data
            # zlib may buffer output without input
            more = bool(data) or (len(piece) == STEP and not self._member.eof)
            if self._member.eof:
                self._member = None
            if piece:
                yield piece

    def finish(self) -> None:
        if self._begun and self._member is not None:
            raise AllFetchesFailed("fetch.truncated")
