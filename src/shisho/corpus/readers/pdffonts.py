"""Fonts that PDFium uses for reading.

Those inside the PDF, its own Latin ones, and boxes for all others; never the machine's, so that a file reads
the same everywhere. Only for reading: a rendered page would consist of boxes.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from shisho.corpus.readers.boxfont import make_font
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
