"""The Reader of the house: files are parsed in a child process that is killed when it overruns and replaced
when it breaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shisho.corpus.readers import media, wire
from shisho.domain.corpus import Reading, Source
from shisho.errors import DocumentUnreadable, TooLarge, UnusableDocument
from shisho.isolation.killable import ChildBroken, ChildExhausted, Killable, Overrun, Work

HTML_SECONDS = 5.0
# What a good file of a hundred megabytes needs beyond the limits for small ones.
SECONDS_PER_MB = 0.5
MEMORY_PER_MB = 12
_READERS = {
    media.PDF: "shisho.corpus.readers.pdf:read",
    media.HTML: "shisho.corpus.readers.html:read",
    media.DOCX: "shisho.corpus.readers.docx:read",
    media.PPTX: "shisho.corpus.readers.pptx:read",
    media.XLSX: "shisho.corpus.readers.xlsx:read",
    media.EPUB: "shisho.corpus.readers.epub:read",
    media.EML: "shisho.corpus.readers.eml:read",
    media.IPYNB: "shisho.corpus.readers.notebook:read",
    media.RTF: "shisho.corpus.readers.rtf:read",
    media.MARKDOWN: "shisho.corpus.readers.markdown:read",
    media.CSV: "shisho.corpus.readers.delimited:read",
    media.TSV: "shisho.corpus.readers.delimited:read",
    media.TEXT: "shisho.corpus.readers.text:read",
}


class KillableReader:
    """Reads one file at a time within `seconds` of computing (HTML: at most 5), `memory_mb` and `max_bytes`.
    Belongs to one event loop.

    `environment` is the child's; without it the child gets the parent's, secrets and all."""

    def __init__(
        self, seconds: float, memory_mb: int, max_bytes: int, environment: Mapping[str, str] | None = None
    ) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._max_bytes = max_bytes
        self._killable = Killable((UnusableDocument,), environment)

    async def read(self, source: Source) -> Reading:
        """Raises an `UnusableDocument` that says why, or Internal when no child can be started at all."""
        if len(source.data) > self._max_bytes:
            raise TooLarge(
                "The file is larger than {megabytes:g} MB: split it or raise max_file_mb.",
                megabytes=self._max_bytes / 2**20,
            )
        kind = media.sniff(source.name, source.data, source.media_type)
        seconds = min(HTML_SECONDS, self._seconds) if kind == media.HTML else self._seconds
        megabytes = len(source.data) / 2**20
        seconds += SECONDS_PER_MB * megabytes
        memory_mb = self._memory_mb + int(MEMORY_PER_MB * megabytes)
        work = Work(
            _READERS[kind], "shisho.corpus.readers.wire:pack", _given(source, kind), seconds, memory_mb
        )
        try:
            return wire.joined(await self._killable.parts(work, source.data, wire.unpack))
        except Overrun as overrun:
            raise TooLarge(
                "Reading took more than {seconds:g} s of computing: split the file or raise reader_seconds.",
                seconds=seconds,
            ) from overrun
        except ChildExhausted as exhausted:
            raise TooLarge(
                "The file needs more memory, or holds more text, than a reader may: split it or raise reader_memory_mb."
            ) from exhausted
        except ChildBroken as broken:
            if not str(broken):
                raise DocumentUnreadable(
                    "The file broke its reader: it is damaged, or needs more memory than allowed."
                ) from broken
            raise DocumentUnreadable(
                "The file broke its reader: it is damaged ({cause}).", cause=broken
            ) from broken

    async def close(self) -> None:
        await self._killable.close()


def _given(source: Source, kind: str) -> Mapping[str, Any]:
    if kind == media.PDF:
        return {"password": source.password}
    return {"charset": source.charset} if kind in media.WORDS else {}
