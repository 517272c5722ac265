"""The default PageRenderer, with child processes of its own.

Pages are rendered and measured within the limits of reading, and no reader waits for a page that is viewed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from shisho.corpus.readers import drawing, glyphs
from shisho.corpus.readers.killable import MEMORY_PER_MB, SECONDS_PER_MB
from shisho.domain.viewing import PDF_TYPE, CharacterBoxes, PageSize, PageStrip, QuotedLine
from shisho.errors import DocumentEncrypted, DocumentUnreadable, TooLarge, UnusableDocument
from shisho.isolation.killable import ChildBroken, ChildExhausted, ChildOverrun, Killable, Work

T = TypeVar("T")


class KillablePageRenderer:
    """A renderer of one page at a time, which concurrently locates the characters of another.

    Limits: `seconds` of CPU time and `memory_mb`. It belongs to one event loop. `environment` is the
    children's.
    """

    def __init__(self, seconds: float, memory_mb: int, environment: Mapping[str, str] | None = None) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._drawing = Killable((UnusableDocument,), environment)
        # Characters are located with the fonts of reading, which would render a page as boxes.
        self._finding = Killable((UnusableDocument,), environment)

    async def measure_sizes(self, data: bytes, media_type: str) -> Sequence[PageSize]:
        function = "measure_pdf" if media_type == PDF_TYPE else "measure_pictures"
        work = self._make_work(f"drawing:{function}", "drawing:pack_sizes", {}, data)
        return await _await_result(self._drawing, work, data, drawing.unpack_sizes)

    async def draw(self, data: bytes, media_type: str, page: int, width: int) -> bytes:
        function = "draw_pdf" if media_type == PDF_TYPE else "draw_picture"
        given = {"page": page, "width": width}
        work = self._make_work(f"drawing:{function}", "drawing:pack_image", given, data)
        return await _await_result(self._drawing, work, data, drawing.unpack_image)

    async def crop(self, image: bytes, top: float, bottom: float) -> PageStrip:
        given = {"top": top, "bottom": bottom}
        work = self._make_work("drawing:crop_image", "drawing:pack_image", given, image)
        return await _await_result(self._drawing, work, image, drawing.unpack_strip)

    async def locate(self, data: bytes, page: int, lines: Sequence[QuotedLine]) -> CharacterBoxes:
        rows = [[line.text, line.box, line.first, line.last] for line in lines]
        work = self._make_work("glyphs:locate", "glyphs:pack", {"page": page, "lines": rows}, data)
        return await _await_result(self._finding, work, data, glyphs.unpack)

    async def close(self) -> None:
        await self._drawing.close()
        await self._finding.close()

    def _make_work(self, function: str, pack: str, given: Mapping[str, Any], data: bytes) -> Work:
        megabytes = len(data) / 2**20
        return Work(
            f"shisho.corpus.readers.{function}",
            f"shisho.corpus.readers.{pack}",
            given,
            self._seconds + SECONDS_PER_MB * megabytes,
            self._memory_mb + int(MEMORY_PER_MB * megabytes),
        )


async def _await_result(killable: Killable, work: Work, data: bytes, make: Callable[[Any], T]) -> T:
    try:
        return await killable.run(work, data, make)
    except DocumentEncrypted as encrypted:
        raise DocumentEncrypted("drawing.password_protected") from encrypted
    except ChildOverrun as overrun:
        raise TooLarge(
            "drawing.timeout",
            seconds=work.seconds,
        ) from overrun
    except ChildExhausted as exhausted:
        raise TooLarge("drawing.out_of_memory") from exhausted
    except ChildBroken as broken:
        raise DocumentUnreadable("drawing.broken") from broken
