"""The default Reader, which parses files in a child process.

The child is killed if it exceeds its limits, and replaced if it breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from shisho.corpus.readers import media, recognition, references, text, wire
from shisho.corpus.readers.recognition import Recogniser
from shisho.domain.corpus import IntakeStage, Reading, Source
from shisho.domain.reference import Reference
from shisho.errors import DocumentUnreadable, NeedsOcr, TooLarge, UnusableDocument
from shisho.isolation.killable import ChildBroken, ChildExhausted, ChildOverrun, Killable, Work
from shisho.isolation.wire import Tell, discard_progress

T = TypeVar("T")

HTML_SECONDS = 5.0
# The additional needs of a good file of a hundred megabytes.
SECONDS_PER_MB = 0.5
MEMORY_PER_MB = 12
PROGRESS_SECONDS = 1.0  # between two progress reports of a long PDF; short ones send none


class KillableReader:
    """A reader of one file at a time.

    Limits: `seconds` of CPU time (HTML: at most 5), `memory_mb` and `max_bytes`. It belongs to one event
    loop.

    `environment` is the child's; without it the child inherits the parent's, including its secrets. `ocr`:
    recognise text in pictures and in pages without a text layer, if the extra is installed.
    """

    def __init__(
        self,
        seconds: float,
        memory_mb: int,
        max_bytes: int,
        environment: Mapping[str, str] | None = None,
        *,
        ocr: bool = True,
    ) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._max_bytes = max_bytes
        self._killable = Killable((UnusableDocument,), environment)
        self._ocr = ocr
        self._recogniser = Recogniser(environment)

    async def read(self, source: Source) -> Reading:
        """Read a source.

        Raises:
            UnusableDocument: The file cannot be read; the message gives the reason.
            InternalError: No child can be started.
        """
        self._check_size(source)
        kind = media.sniff(source.name, source.data, source.media_type)
        is_wanted = self._ocr if source.ocr is None else source.ocr
        if kind in media.PICTURES:
            if not (is_wanted and recognition.is_installed()):
                raise recognition.make_picture_error(is_off=not is_wanted)
            return await self._recogniser.recognise_picture(source)
        if kind != media.PDF or not is_wanted or not recognition.is_installed():
            return await self._read(source, kind)
        return await self._with_scans(source)

    async def read_references(self, source: Source) -> tuple[Reference, ...]:
        """Return the entries of a bibliography. Raises as `read` does."""
        self._check_size(source)
        work = self._make_work(
            "shisho.corpus.readers.references:read", "shisho.corpus.readers.references:pack", source
        )
        given = {"kind": source.media_type, "charset": source.charset}
        (entries,) = await self._read_parts(replace(work, given=given), source.data, references.unpack)
        return entries

    def _check_size(self, source: Source) -> None:
        if len(source.data) > self._max_bytes:
            raise TooLarge(
                "reader.file_too_large",
                megabytes=self._max_bytes / 2**20,
            )

    async def _with_scans(self, source: Source) -> Reading:
        """Read a PDF, with OCR for pages without a text layer."""
        try:
            reading = await self._read(source, media.PDF)
        except NeedsOcr as scan:
            pages = recognition.list_pages(scan)
            recognised = await self._recogniser.recognise_pages(source, pages)
            if not recognised.blocks:
                raise
            return recognition.merge_readings(Reading((), page_count=len(pages), needs_ocr=pages), recognised)
        if not reading.needs_ocr:
            return reading
        try:
            return recognition.merge_readings(
                reading, await self._recogniser.recognise_pages(source, reading.needs_ocr)
            )
        except UnusableDocument:  # text is useful even without its pictures
            return reading

    async def _read(self, source: Source, kind: str) -> Reading:
        if kind == media.TEXT and text.is_harmless(source.data, source.charset):
            return text.read(source.data)
        work = self._make_work(media.find_reader(kind), "shisho.corpus.readers.wire:pack", source)
        if kind == media.HTML:
            seconds = min(HTML_SECONDS, self._seconds) + work.seconds - self._seconds
            work = replace(work, seconds=seconds)
        if kind == media.PDF:
            work = replace(work, progress_seconds=PROGRESS_SECONDS)
        work = replace(work, given=_describe_source(source, kind))
        notify = partial(source.notify, IntakeStage.READING)
        return wire.join_readings(await self._read_parts(work, source.data, wire.unpack, notify))

    def _make_work(self, function: str, pack: str, source: Source) -> Work:
        megabytes = len(source.data) / 2**20
        seconds = self._seconds + SECONDS_PER_MB * megabytes
        return Work(function, pack, {}, seconds, self._memory_mb + int(MEMORY_PER_MB * megabytes))

    async def _read_parts(
        self, work: Work, data: bytes, make: Callable[[Any], T], notify: Tell = discard_progress
    ) -> list[T]:
        try:
            return await self._killable.read_parts(work, data, make, notify)
        except ChildOverrun as overrun:
            raise TooLarge(
                "reader.timeout",
                seconds=work.seconds,
            ) from overrun
        except ChildExhausted as exhausted:
            raise TooLarge("reader.out_of_memory") from exhausted
        except ChildBroken as broken:
            if not str(broken):
                raise DocumentUnreadable("reader.broken") from broken
            raise DocumentUnreadable("reader.broken_by", cause=broken) from broken

    async def close(self) -> None:
        await self._killable.close()
        await self._recogniser.close()


def _describe_source(source: Source, kind: str) -> Mapping[str, Any]:
    if kind == media.PDF:
        return {"password": source.password}
    return {"charset": source.charset} if kind in media.TEXT_FORMATS else {}
