"""PDF by pypdfium2.

PDFium's lines and their boxes are combined into blocks; pages without text are reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pypdfium2

from shisho.corpus.readers import paragraphs
from shisho.corpus.readers.described import describe_pdf
from shisho.corpus.readers.headings import title_of
from shisho.corpus.readers.pdffonts import install_substitutes, open_document
from shisho.corpus.readers.pdfpage import PdfPage, read_page
from shisho.corpus.readers.recognition import UNREAD, join_numbers
from shisho.domain.corpus import Reading
from shisho.errors import NeedsOcr
from shisho.isolation.wire import Tell, discard_progress
from shisho.messages import Message, install_command

OCR = Message(
    "reader.pdf.ocr_advice",
    install=install_command("ocr"),
)
# A page with a text layer is not recognised; ocrmypdf skips it too unless it is forced.
UNNAMED = "reader.pdf.unnamed_letters"
# (cid:12) is other programs' form of a glyph without a character.
_GARBLED = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]|\\(cid:\\d+\\)")
_PLAUSIBLE = re.compile("[!-~ぁ-ヺー、。]")


def read(data: bytes, password: str | None = None, tell: Tell = discard_progress) -> Reading:
    """Read a PDF. Pages count from 1; `tell` is called for each.

    Raises:
        NeedsOcr: No page has a usable text layer.
    """
    fonts = install_substitutes()
    fonts.begin()
    with closing(open_document(data, password)) as document:
        pages = _read_pages(document, tell)
        title = _title(document)
        description = describe_pdf(_read_author(document), data)
    if fonts.uncertain:
        fonts.begin(everywhere=True)
        with closing(open_document(data, password)) as document:
            pages = [
                max(both, key=_count_letters) for both in zip(pages, _read_pages(document, tell), strict=True)
            ]
    damaged = _select_numbers(pages, lambda page: not page.height)
    needs_ocr = _select_numbers(pages, lambda page: not _count_letters(page) or _is_garbled(page))
    guessed = _select_numbers(pages, lambda page: bool(page.unnamed) and not _is_garbled(page))
    pdf_pages = [
        replace(page, lines=()) if number in needs_ocr else page for number, page in enumerate(pages, start=1)
    ]
    blocks = paragraphs.build_blocks(pdf_pages)
    if not blocks:
        raise NeedsOcr(
            "reader.pdf.no_text_layer",
            pages=len(pages),
            ocr=OCR,
        )
    warnings = [Message("reader.pdf.page_left_out", number=number) for number in damaged]
    if needs_ocr:
        warnings.append(Message(UNREAD, pages=join_numbers(needs_ocr), ocr=OCR))
    if guessed:
        letters = sum(len(pages[number - 1].unnamed) for number in guessed)
        warnings.append(Message(UNNAMED, letters=letters, pages=join_numbers(guessed)))
    title = title_of(title, blocks)
    return Reading(blocks, title, len(pages), tuple(needs_ocr), tuple(warnings), description)


def _read_pages(document: Any, tell: Tell) -> list[PdfPage]:
    """Return the pages; a damaged page has no height."""
    pages: list[PdfPage] = []
    count = len(document)
    for number in range(1, count + 1):
        try:
            pages.append(read_page(document, number))
        except pypdfium2.PdfiumError:
            pages.append(PdfPage((), 0.0, 0.0))
        tell(number, count)
    return pages


def _select_numbers(pages: Sequence[PdfPage], fits: Callable[[PdfPage], bool]) -> list[int]:
    return [number for number, page in enumerate(pages, start=1) if fits(page)]


def _count_letters(page: PdfPage) -> int:
    return sum(len("".join(line.text.split())) for line in page.lines)


def _is_garbled(page: PdfPage) -> bool:
    """Return whether a text layer is meaningless.

    That is worse than none: it would be indexed.
    """
    return _is_nonsense("".join(line.text for line in page.lines), page.unnamed)


def _is_nonsense(text: str, unnamed: str = "") -> bool:
    most = 0.3 * len("".join(text.split()))
    # Codes that read as kana or ASCII are letters after all: some programs write them without declaring it.
    guesses = len(unnamed) - len(_PLAUSIBLE.findall(unnamed))
    return sum(map(len, _GARBLED.findall(text))) > most or (guesses > most and 2 * guesses > len(unnamed))


def _read_author(document: Any) -> str:
    author = " ".join(str(document.get_metadata_value("Author")).split())
    return "" if _is_nonsense(author) else author


def _title(document: Any) -> str:
    title = " ".join(str(document.get_metadata_value("Title")).split())
    return "" if _is_nonsense(title) else title
