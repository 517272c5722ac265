"""Opening of PDFs by PDFium, and the errors of PDFs that cannot be opened."""

from __future__ import annotations

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
