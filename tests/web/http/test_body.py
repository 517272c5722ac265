"""Bodies: their limits, and gzip undone piece by piece."""

from __future__ import annotations

import gzip

import pytest

from shisho.errors import AllFetchesFailed, UnsupportedMedia
from shisho.web.http.body import STEP, limit, make_decoder, parse_content_type
from tests.tables import each_row

JAPANESE = "落ち着いた文章です。".encode() * 20_000
PACKED = gzip.compress(JAPANESE, mtime=0)  # else tests are named after the second


@pytest.mark.parametrize("size", [1, 7, 1000, len(PACKED)])
@pytest.mark.parametrize(
    ("packed", "whole"), [(PACKED, JAPANESE), (PACKED * 3, JAPANESE * 3), (PACKED + bytes(100), JAPANESE)]
)
def test_gzip_in_pieces(size: int, packed: bytes, whole: bytes) -> None:
    unpacker = make_decoder("gzip")
    pieces = [piece for at in range(0, len(packed), size) for piece in unpacker.feed(packed[at : at + size])]
    unpacker.finish()
    assert b"".join(pieces) == whole and max(map(len, pieces)) <= STEP


@each_row("packed", [PACKED[:-1], PACKED[:100], PACKED + PACKED[:50], b"<html>", PACKED[:-8] + bytes(8)])
def test_broken_gzip_is_no_page(packed: bytes) -> None:
    unpacker = make_decoder("gzip")
    with pytest.raises(AllFetchesFailed):
        list(unpacker.feed(packed))
        unpacker.finish()


def test_encodings() -> None:
    for none in ("", "identity", " , identity", "UTF-8", "none", "Shift_JIS"):
        assert list(make_decoder(none).feed(b"a")) == [b"a"]
    make_decoder("X-GZIP").finish()  # a 304 may name it and send nothing
    for wrong in (
        "br",
        "brotli",
        "zlib",
        "deflate",
        "zstd",
        "gzip, gzip",
        "gzip,identity,gzip",
        "identity, br",
    ):
        with pytest.raises(UnsupportedMedia):
            make_decoder(wrong)


@each_row(
    ("header", "found"),
    [
        ("text/html", ("text/html", None)),
        ("Text/HTML; charset=EUC-JP", ("text/html", "euc-jp")),
        ('text/html;charset="x-sjis"; a=b', ("text/html", "x-sjis")),
        ("; charset=utf-8", (None, "utf-8")),
        ("", (None, None)),
    ],
)
def test_media_types(header: str, found: tuple[str | None, str | None]) -> None:
    assert parse_content_type(header) == found


def test_a_drawing_may_hold_text() -> None:
    assert limit("image/svg+xml") == 10 * 2**20
