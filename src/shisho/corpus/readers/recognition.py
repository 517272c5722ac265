"""OCR of pictures and scanned pages.

It runs in a separate child process, which keeps the models loaded.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from shisho.corpus.readers import wire
from shisho.domain.corpus import IntakeStage, Reading, Source
from shisho.errors import DocumentUnreadable, NeedsOcr, TooLarge, UnusableDocument
from shisho.isolation.killable import ChildBroken, ChildExhausted, ChildOverrun, Killable, Work
from shisho.messages import Message, install_command

SECONDS_PER_PAGE = 60.0  # a page of small type takes 3 to 8 on the machine this was measured on
SECONDS_PER_MB = 300.0  # of a picture: a fax of 20 pages has one megabyte
MEMORY_MB = 4096
PROGRESS_SECONDS = 0.0  # seconds between two progress reports: a page takes long enough
PACKAGES = ("rapidocr", "onnxruntime")
UNREAD = "reader.ocr.page_unread"
MAX_LISTED_PAGES = 20


def is_installed() -> bool:
    """Return whether the extra `ocr` is installed."""
    return all(importlib.util.find_spec(name) is not None for name in PACKAGES)


def join_numbers(numbers: Sequence[int]) -> str:
    """Return the first numbers for a message."""
    return ", ".join(map(str, numbers[:MAX_LISTED_PAGES])) + (" …" if len(numbers) > MAX_LISTED_PAGES else "")


class Recogniser:
    """A recogniser of one file at a time. It belongs to one event loop."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._killable = Killable((UnusableDocument,), environment)

    async def recognise_pages(self, source: Source, numbers: Sequence[int]) -> Reading:
        """Recognise these pages of a PDF. `source.notify` is called for each.

        Raises:
            DocumentUnreadable, TooLarge: The pages cannot be recognised.
        """
        work = _make_work(
            "read_pdf",
            {"pages": numbers, "password": source.password},
            SECONDS_PER_PAGE * len(numbers),
        )
        return await self._recognise_pages(work, source)

    async def recognise_picture(self, source: Source) -> Reading:
        """Recognise a picture, or all pictures of one file."""
        seconds = SECONDS_PER_PAGE + SECONDS_PER_MB * len(source.data) / 2**20
        reading = await self._recognise_pages(_make_work("read_picture", {}, seconds), source)
        if not reading.blocks:
            raise DocumentUnreadable("reader.ocr.nothing_recognised")
        return reading

    async def close(self) -> None:
        await self._killable.close()

    async def _recognise_pages(self, work: Work, source: Source) -> Reading:
        notify = partial(source.notify, IntakeStage.RECOGNISING)
        try:
            return wire.join_readings(await self._killable.read_parts(work, source.data, wire.unpack, notify))
        except ChildOverrun as overrun:
            raise TooLarge(
                "reader.ocr.timeout",
                seconds=work.seconds,
            ) from overrun
        except ChildExhausted as exhausted:
            raise TooLarge("reader.ocr.out_of_memory") from exhausted
        except ChildBroken as broken:
            raise DocumentUnreadable("reader.ocr.broken") from broken


def _make_work(function: str, given: Mapping[str, Any], seconds: float) -> Work:
    return Work(
        f"shisho.corpus.readers.ocr:{function}",
        "shisho.corpus.readers.wire:pack",
        given,
        seconds,
        MEMORY_MB,
        PROGRESS_SECONDS,
    )


def list_pages(scan: NeedsOcr) -> tuple[int, ...]:
    """Return all pages of a PDF without any text."""
    count = scan.message.values.get("pages") if isinstance(scan.message, Message) else None
    return tuple(range(1, count + 1)) if isinstance(count, int) else (1,)


def make_picture_error(is_off: bool) -> NeedsOcr:
    """Return the error for a picture that is not ingested."""
    if is_off:
        return NeedsOcr("reader.ocr.off")
    return NeedsOcr("reader.ocr.extra_missing", install=install_command("ocr"))


def warn_of_recognised(pages: Sequence[int]) -> Message:
    """Return the warning about recognised pages of an ingested document."""
    return Message("reader.ocr.recognised", pages=join_numbers(pages))


def merge_readings(reading: Reading, recognised: Reading) -> Reading:
    """Return a reading with its missing pages added."""
    pages = sorted({block.page for block in recognised.blocks if block.page is not None})
    missing = tuple(number for number in reading.needs_ocr if number not in pages)
    blocks = sorted((*reading.blocks, *recognised.blocks), key=lambda block: block.page or 0)
    warnings = [warning for warning in reading.warnings if not pages or getattr(warning, "id", "") != UNREAD]
    return replace(
        reading,
        blocks=tuple(blocks),
        title=reading.title or recognised.title,
        page_count=reading.page_count or recognised.page_count,
        needs_ocr=missing,
        warnings=(*warnings, *((warn_of_recognised(pages),) if pages else ())),
    )
