"""A PDF opened by PDFium, and what is said of one that cannot be."""

from __future__ import annotations

from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from shisho.errors import DocumentEncrypted, DocumentUnreadable, TooLarge

MAX_PAGES = 10_000


def open_document(data: bytes, password: str | None = None) -> Any:
    """Raises DocumentEncrypted, DocumentUnreadable, TooLarge."""
    try:
        document = pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as failure:
        if failure.err_code == pdfium.FPDF_ERR_PASSWORD:
            if password:
                raise DocumentEncrypted("The password is wrong.") from failure
            raise DocumentEncrypted(
                "The file is protected by a password: give it with --password."
            ) from failure
        if failure.err_code == pdfium.FPDF_ERR_SECURITY:
            raise DocumentEncrypted(
                "The file is encrypted in a way that cannot be opened here: save a plain copy."
            ) from failure
        raise DocumentUnreadable(
            "The PDF is damaged: open it in a viewer and print it to a new PDF."
        ) from failure
    if len(document) > MAX_PAGES:
        raise TooLarge(
            "The PDF has {pages} pages, more than {max_pages}: split it.",
            pages=len(document),
            max_pages=MAX_PAGES,
        )
    return document
