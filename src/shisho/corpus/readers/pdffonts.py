"""Fonts that PDFium uses for reading.

Those inside the PDF, its own Latin ones, and boxes for all others; never the machine's, so that a file reads
the same everywhere. Only for reading: a rendered page would consist of boxes.

PDFium knows which letters a PDF without its fonts means, but it places a letter by the outline in its font: a
font without that letter makes lines without height, and drops vertical ones. Reading only needs a box as
large as the letter, so one small font serves every script.
"""

from __future__ import annotations

import ctypes
import struct
from functools import lru_cache
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from shisho.errors import DocumentEncrypted, DocumentUnreadable, TooLarge

MAX_PAGES = 10_000


def open_document(data: bytes, password: str | None = None) -> Any:
    """Return the document.

    Raises:
        DocumentEncrypted, DocumentUnreadable, TooLarge: It cannot be opened.
    """
    try:
        document = pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as failure:
        if failure.err_code == pdfium.FPDF_ERR_PASSWORD:
            if password:
                raise DocumentEncrypted("reader.pdf.wrong_password") from failure
            raise DocumentEncrypted("reader.pdf.password_needed") from failure
        if failure.err_code == pdfium.FPDF_ERR_SECURITY:
            raise DocumentEncrypted("reader.pdf.unknown_encryption") from failure
        raise DocumentUnreadable("reader.pdf.damaged") from failure
    if len(document) > MAX_PAGES:
        raise TooLarge(
            "reader.pdf.too_many_pages",
            pages=len(document),
            max_pages=MAX_PAGES,
        )
    return document


_BOXES = 1  # the only handle that is returned
_WESTERN = (0, 1, 2)  # PDFium's numbers for the charsets ANSI, default and symbol
_BUILT_IN = (b"Helvetica", b"Times", b"Courier", b"Symbol", b"ZapfDingbats", b"Arial")


class FontSubstitutes:
    """The font callbacks of this process, for fonts that a PDF names but does not embed.

    `uncertain`: since `begin`, PDFium replaced an unknown font by its own Latin one. That is right for Latin
    letters; others have no outline in it and may be lost, which only a reading with boxes for those fonts too
    can reveal.
    """

    def __init__(self) -> None:
        self.uncertain = False
        self._everywhere = False
        self._info = pdfium.FPDF_SYSFONTINFO()
        self._info.version = 1
        types: dict[str, Any] = dict(pdfium.FPDF_SYSFONTINFO._fields_)
        answers = {
            "Release": lambda _: None,
            "EnumFonts": lambda _, mapper: None,
            "MapFont": self._choose_font,
            "GetFont": lambda _, face: None,
            "GetFontData": _copy,
            "GetFaceName": lambda _, font, buffer, size: 0,
            "GetFontCharset": lambda _, font: 0,
            "DeleteFont": lambda _, font: None,
        }
        for name, answer in answers.items():
            setattr(self._info, name, types[name](answer))
        pdfium.FPDF_SetSystemFontInfo(ctypes.byref(self._info))

    def begin(self, *, everywhere: bool = False) -> None:
        """Prepare for the next document. `everywhere`: use boxes for unknown Latin fonts too."""
        self.uncertain = False
        self._everywhere = everywhere

    def _choose_font(
        self, _: Any, weight: int, italic: int, charset: int, pitch: int, face: Any, exact: Any
    ) -> int | None:
        if charset not in _WESTERN:
            return _BOXES
        if (ctypes.string_at(face) if face else b"").startswith(_BUILT_IN):
            return None
        self.uncertain = True
        return _BOXES if self._everywhere else None


@lru_cache(maxsize=1)
def install_substitutes() -> FontSubstitutes:
    """Return the font callbacks of this process, installed once."""
    return FontSubstitutes()


def _copy(_: Any, handle: Any, table: int, buffer: Any, size: int) -> int:
    if table:  # a single table is only requested for font collections
        return 0
    data = make_font()
    if buffer and size >= len(data):
        ctypes.memmove(buffer, data, len(data))
    return len(data)


def read_unnamed_letters(textpage: Any) -> str:
    """Return the letters without a known character, for which PDFium returns their codes."""
    count = pdfium.FPDFText_CountChars(textpage)
    codes = [
        pdfium.FPDFText_GetUnicode(textpage, index)
        for index in range(count)
        if pdfium.FPDFText_HasUnicodeMapError(textpage, index) == 1
    ]
    return "".join(chr(code) if code <= 0x10FFFF else "\ufffd" for code in codes)


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
