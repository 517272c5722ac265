"""Shared parts of DOCX and PPTX: a safety check of the zip, and tables as text."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence

from shisho.errors import DocumentUnreadable, TooLarge

MAX_ENTRIES = 10_000
MAX_UNPACKED = 300 * 2**20
MAX_XML = 100 * 2**20
MAX_RATIO = 200
SMALL = 2**20  # smaller parts may have any compression ratio


def open_package(data: bytes) -> io.BytesIO:
    """Return the bytes as a file, if unpacking them is safe.

    Sizes may be trusted: zipfile stops at the declared size.
    """
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as failure:
        raise DocumentUnreadable("reader.office.damaged") from failure
    if len(parts) > MAX_ENTRIES or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise TooLarge(
            "reader.office.too_large",
            megabytes=MAX_UNPACKED // 2**20,
            max_entries=MAX_ENTRIES,
        )
    for part in parts:
        bomb = part.file_size > SMALL and part.file_size > MAX_RATIO * max(part.compress_size, 1)
        if bomb or (part.filename.endswith(".xml") and part.file_size > MAX_XML):
            raise TooLarge("reader.office.part_explodes")
    return io.BytesIO(data)


def format_table(rows: Iterable[Sequence[str]]) -> str:
    """Return a table as text: a row per line, cells separated by tabs."""
    lines = ([" ".join(cell.split()) for cell in row] for row in rows)
    return "\n".join("\t".join(cells) for cells in lines if any(cells))
