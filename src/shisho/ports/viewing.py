"""The viewer's needs from outside: pages drawn and measured, and bytes that stand at no path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.viewing import CharacterPlacement, PageImageKey, PageSize, PageStrip, QuotedLine


class PageRenderer(Protocol):
    """Draws and measures pages of one of `PAGED_TYPES`. Pages count from 1. Each verb raises an
    `UnusableDocument` that says why, InternalError where no child can be started."""

    async def measure_sizes(self, data: bytes, media_type: str) -> Sequence[PageSize]:
        """Of each page."""

    async def draw(self, data: bytes, media_type: str, page: int, width: int) -> bytes:
        """The page as a WebP picture, `width` pixels wide, less where it would be very high."""

    async def crop(self, image: bytes, top: float, bottom: float) -> PageStrip:
        """The strip of a picture that `draw` gave, between `top` and `bottom`, shares of its height."""

    async def locate(self, data: bytes, page: int, lines: Sequence[QuotedLine]) -> CharacterPlacement:
        """Where the quoted characters of these lines stand on a page of a PDF."""

    async def close(self) -> None:
        """End what was started."""


class TextFinder(Protocol):
    """Finds words in a text as searches do: width, case and broken lines do not matter."""

    def __call__(self, text: str, query: str, limit: int) -> Sequence[tuple[int, int]]:
        """Start and end of the first `limit` places, in order. None for a query of white space."""


class Originals(Protocol):
    """Bytes that were handed in and stand at no path, by the hash of their content, for as long as a document
    made of them has its text. Readable by their owner alone."""

    async def put(self, sha256: str, data: bytes) -> None:
        """Store them so that they outlive a crash; again is no error. Raises StorageUnusable, Conflict on a
        full disk."""

    async def has(self, sha256: str) -> bool: ...

    async def get(self, sha256: str) -> bytes:
        """Raises NotFound."""

    async def measure_usage(self) -> tuple[int, int]:
        """How many there are, and their bytes together."""

    async def erase_purged(self) -> None:
        """Erase those whose documents have all been purged, and those that no document was made of for an
        hour."""


class PageImages(Protocol):
    """Pictures of pages, kept until room is needed: what is gone is drawn again. Readable by their owner
    alone."""

    async def get(self, key: PageImageKey) -> bytes | None: ...

    async def put(self, key: PageImageKey, data: bytes) -> None:
        """Keep it if there is room. It never fails: what cannot be kept is drawn again."""

    async def erase_purged(self) -> None:
        """Erase those of documents that have been purged."""
