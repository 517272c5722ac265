"""A font of boxes, by which PDFium measures letters whose font is missing from a PDF.

PDFium knows which letters such a PDF means, but it places a letter by the outline in its font: a font without
that letter makes lines without height, and drops vertical ones. Reading only needs a box as large as the
letter, so one small font serves every script, and no text depends on the fonts of a machine.
"""

from __future__ import annotations

import struct
from functools import lru_cache

EM = 1000
ASCENT = 880
DESCENT = -120
_WIDE = (60, -100, 940, 860)  # left, bottom, right, top of the ink of a kanji
_NARROW = (40, -20, 460, 740)
_WIDE_GLYPH = 1
_NARROW_GLYPH = 2
# First and last letter, and their glyph. White space and controls have none.
_LETTERS = (
    (0x21, 0x7E, _NARROW_GLYPH),
    (0xA1, 0x24F, _NARROW_GLYPH),
    (0x250, 0x1FFF, _WIDE_GLYPH),
    (0x2010, 0x2027, _WIDE_GLYPH),
    (0x2030, 0x2FFF, _WIDE_GLYPH),
    (0x3001, 0xD7FF, _WIDE_GLYPH),
    (0xE000, 0xFEFE, _WIDE_GLYPH),
    (0xFF00, 0xFF60, _WIDE_GLYPH),
    (0xFF61, 0xFFDC, _NARROW_GLYPH),  # half-width kana and hangul
    (0xFFE0, 0xFFF8, _WIDE_GLYPH),
    (0x10000, 0x3FFFF, _WIDE_GLYPH),
    (0xF0000, 0x10FFFD, _WIDE_GLYPH),
)


@lru_cache(maxsize=1)
def make_font() -> bytes:
    """Return a TrueType file of less than a kilobyte."""
    tables = {
        b"OS/2": _make_os2(),
        b"cmap": _make_cmap(),
        b"glyf": _make_glyph(_WIDE) + _make_glyph(_NARROW),
        b"head": _make_head(),
        b"hhea": struct.pack(
            ">I3hH11hH", 0x10000, ASCENT, DESCENT, 0, EM, 0, 0, EM, 1, 0, 0, 0, 0, 0, 0, 0, 3
        ),
        b"hmtx": struct.pack(">HhHhHh", EM, 0, EM, _WIDE[0], EM // 2, _NARROW[0]),
        b"loca": struct.pack(">4I", 0, 0, len(_make_glyph(_WIDE)), 2 * len(_make_glyph(_WIDE))),
        b"maxp": struct.pack(">I14H", 0x10000, 3, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": _make_name_table("Shisho Boxes"),
        b"post": struct.pack(">IIhh5I", 0x30000, 0, -75, 50, 0, 0, 0, 0, 0),
    }
    directory = struct.pack(">I4H", 0x10000, len(tables), 128, 3, 16 * len(tables) - 128)
    body = b""
    start = len(directory) + 16 * len(tables)
    for tag, table in tables.items():
        padded = table + bytes(-len(table) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        directory += tag + struct.pack(">3I", total, start + len(body), len(table))
        body += padded
    return directory + body


def _make_glyph(box: tuple[int, int, int, int]) -> bytes:
    """Return one outline of four corners, as steps from corner to corner."""
    remaining, bottom, right, top = box
    head = struct.pack(">5hHH4B", 1, remaining, bottom, right, top, 3, 0, 1, 1, 1, 1)
    across = struct.pack(">4h", remaining, 0, right - remaining, 0)
    upward = struct.pack(">4h", bottom, top - bottom, 0, bottom - top)
    return head + across + upward + bytes(-len(head + across + upward) % 4)


def _make_cmap() -> bytes:
    # Format 13: all letters of a range have one glyph.
    groups = b"".join(struct.pack(">3I", *group) for group in _LETTERS)
    table = struct.pack(">HHIII", 13, 0, 16 + len(groups), 0, len(_LETTERS)) + groups
    return struct.pack(">4HI", 0, 1, 3, 10, 12) + table


def _make_head() -> bytes:
    bounds = (_WIDE[0], _WIDE[1], _WIDE[2], _WIDE[3])
    return struct.pack(
        ">4I2H2q4h2H3h", 0x10000, 0x10000, 0, 0x5F0F3CF5, 0b1011, EM, 0, 0, *bounds, 0, 8, 2, 1, 0
    )


def _make_os2() -> bytes:
    code_pages = 1 << 17 | 1 << 18 | 1 << 19 | 1 << 20 | 1 << 21  # Japanese, Chinese and Korean
    weight = struct.pack(">HhHHH10hh", 4, EM, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0)
    ranges = bytes(10 + 16) + b"SHSH"
    extent = struct.pack(">3H3hHH", 0x40, 0x20, 0xFFFF, ASCENT, DESCENT, 0, ASCENT, -DESCENT)
    return weight + ranges + extent + struct.pack(">II2h3H", code_pages, 0, 500, 700, 0, 0x20, 0)


def _make_name_table(name: str) -> bytes:
    records = b""
    words = b""
    for number, word in ((1, name), (2, "Regular"), (4, name), (6, name.replace(" ", ""))):
        written = word.encode("utf-16-be")
        records += struct.pack(">6H", 3, 1, 0x409, number, len(written), len(words))
        words += written
    return struct.pack(">3H", 0, 4, 6 + len(records)) + records + words
