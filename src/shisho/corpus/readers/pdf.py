"""PDF by pypdfium2: lines as PDFium gives them with their boxes, put together to blocks; pages without text are named."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from shisho.corpus.readers import paragraphs
from shisho.corpus.readers.pdfpage import Page, printed_page
from shisho.domain.corpus import Reading
from shisho.errors import DocumentEncrypted, DocumentUnreadable, NeedsOcr, TooLarge

MAX_PAGES = 10_000
OCR = "make a text layer first, for example with `ocrmypdf -l jpn in.pdf out.pdf`, and add the result"
# (cid:12) is what other programs write for a glyph without a character.
_GARBLED = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]|\\(cid:\\d+\\)")
_UNTITLED = re.compile(
    r"untitled|無題|名称未設定|microsoft (word|powerpoint|excel)|スライド \d+|powerpoint"
    r"|.*\.(docx?|pptx?|xlsx?|pdf|tex|dvi|indd|jtd)",
    re.I,
)


def read(data: bytes, password: str | None = None) -> Reading:
    """Pages count from 1. Raises NeedsOcr when no page has a usable text layer."""
    document = _opened(data, password)
    try:
        pages, needs_ocr, warnings = _pages(document)
        blocks = paragraphs.blocks(pages)
        if not blocks:
            raise NeedsOcr(f"None of its {len(document)} pages has a usable text layer (a scan?): {OCR}.")
        if needs_ocr:
            listed = ", ".join(map(str, needs_ocr[:20])) + (" …" if len(needs_ocr) > 20 else "")
            warnings.append(f"No usable text layer on page {listed}: {OCR}.")
        title = _title(document)
        return Reading(blocks, title, len(document), tuple(needs_ocr), tuple(warnings))
    finally:
        document.close()


def _opened(data: bytes, password: str | None) -> Any:
    try:
        document = pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as failure:
        if failure.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise DocumentEncrypted(
                "The password is wrong." if password else "The file is protected by a password: give it with --password."
            ) from failure
        if failure.err_code == pdfium.FPDF_ERR_SECURITY:
            raise DocumentEncrypted(
                "The file is encrypted in a way that cannot be opened here: save a plain copy."
            ) from failure
        raise DocumentUnreadable("The PDF is damaged: open it in a viewer and print it to a new PDF.") from failure
    if len(document) > MAX_PAGES:
        raise TooLarge(f"The PDF has {len(document)} pages, more than {MAX_PAGES}: split it.")
    return document


def _pages(document: Any) -> tuple[list[Page], list[int], list[str]]:
    pages: list[Page] = []
    needs_ocr: list[int] = []
    warnings: list[str] = []
    for number in range(1, len(document) + 1):
        try:
            page = printed_page(document, number)
        except pypdfium2.PdfiumError:
            page = Page((), 0.0, 0.0)
            warnings.append(f"Page {number} is damaged and was left out.")
        text = "".join(line.text for line in page.lines)
        if not text.strip() or _is_garbled(text):
            page = replace(page, lines=())
            needs_ocr.append(number)
        pages.append(page)
    return pages, needs_ocr, warnings


def _is_garbled(text: str) -> bool:
    """A text layer whose characters stand for nothing is worse than none: it would be indexed."""
    return sum(len(found) for found in _GARBLED.findall(text)) > 0.3 * len("".join(text.split()))


def _title(document: Any) -> str:
    title = " ".join(str(document.get_metadata_value("Title")).split())
    return "" if len(title) > 300 or _UNTITLED.fullmatch(title) or _is_garbled(title) else title
