"""Limits on a body: how large by its media type, in which encodings, and gzip undone in bounded steps.
No I/O."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Protocol

from shisho.errors import AllFetchesFailed, UnsupportedMedia

STEP = 64 * 1024  # what one call of zlib may bring out: a few tenths of a millisecond
_MEGABYTE = 1024 * 1024
_HTML = frozenset(("text/html", "application/xhtml+xml"))
# What readers take that is no text, and what servers say that do not know what they send.
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
OPENING = 1024  # a PDF may begin with so much that is none
# What some servers name as an encoding, and packs nothing: a charset among them.
_NO_PACKING = re.compile(
    r"|identity|none|utf-?\d+|shift[_-]jis|sjis|euc-\w+|iso-[\w-]+|windows-\d+|(?:us-)?ascii"
)
_GZIP = b"\x1f"
_NO_TEXT = re.compile(r"(?:image|audio|video|font)/(?!svg\+xml)")
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.IGNORECASE)


def media_type(content_type: str) -> tuple[str | None, str | None]:
    """Media type and charset, as a Content-Type header names them, in lower case."""
    charset = _CHARSET.search(content_type)
    return content_type.partition(";")[0].strip().lower() or None, charset[1].lower() if charset else None


def limit(media: str) -> int:
    """The most bytes of such a body, decompressed. Raises UnsupportedMedia where there is nothing to read in
    it."""
    if _NO_TEXT.match(media):
        raise UnsupportedMedia(
            "fetch.no_text_media",
            media=media,
        )
    if media in _HTML:
        return 5 * _MEGABYTE
    return _BINARY_LIMIT if media in _BINARY else _TEXT_LIMIT


def narrow_limit(opening: bytes, announced: int) -> int:
    """The limit that holds once OPENING bytes have come: what only says that it is a PDF, or a ZIP as offices
    and books are, gets no file's room."""
    is_file = len(opening) < OPENING or b"%PDF" in opening or opening.startswith(b"PK")
    return announced if is_file else min(announced, _TEXT_LIMIT)


class Decoder(Protocol):
    """Undoes a content encoding, piece by piece."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Pieces of at most STEP bytes, or `data` itself. Raises AllFetchesFailed where it is damaged."""

    def finish(self) -> None:
        """Raises AllFetchesFailed where the end is missing."""


def decoder(content_encoding: str) -> Decoder:
    """Raises UnsupportedMedia for what was not asked for: another encoding than gzip, or one upon another."""
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
    """One member after another; what follows the last and is no member is padding."""

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
            # zlib may hold back output without input
            more = bool(data) or (len(piece) == STEP and not self._member.eof)
            if self._member.eof:
                self._member = None
            if piece:
                yield piece

    def finish(self) -> None:
        if self._begun and self._member is not None:
            raise AllFetchesFailed("fetch.truncated")
