"""Ports for showing, printing and proving what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.printing import PrintableAnswer
    from shisho.domain.proof import ProofSignature
    from shisho.domain.viewing import CharacterBoxes, PageImageKey, PageSize, PageStrip, QuotedLine


class PageRenderer(Protocol):
    """A renderer of pages of one of `PAGED_TYPES`, numbered from 1.

    Raises: an `UnusableDocument` with the reason; InternalError if no child process can be started.
    """

    async def measure_sizes(self, data: bytes, media_type: str) -> Sequence[PageSize]:
        """Return the size of each page."""

    async def draw(self, data: bytes, media_type: str, page: int, width: int) -> bytes:
        """Render the page as a WebP image, `width` pixels wide, or less if it would be very high."""

    async def crop(self, image: bytes, top: float, bottom: float) -> PageStrip:
        """Return the strip of a rendered image between `top` and `bottom`, as fractions of its height."""

    async def locate(self, data: bytes, page: int, lines: Sequence[QuotedLine]) -> CharacterBoxes:
        """Locate the quoted characters of these lines on a page of a PDF."""

    async def close(self) -> None:
        """Stop the child processes."""


class Originals(Protocol):
    """Uploaded bytes without a path, by the hash of their content.

    They are kept as long as a document made from them has its text, and are readable by their owner alone.
    """

    async def put(self, sha256: str, data: bytes) -> None:
        """Store bytes so that they survive a crash; idempotent.

        Raises: StorageUnusable, Conflict on a full disk.
        """

    async def has(self, sha256: str) -> bool: ...

    async def get(self, sha256: str) -> bytes:
        """Return the bytes. Raises NotFound."""

    async def measure_usage(self) -> tuple[int, int]:
        """Return the number of originals and their total bytes."""

    async def erase_purged(self) -> None:
        """Erase originals whose documents have all been purged, and those unused for an hour."""


class PageImages(Protocol):
    """A cache of page images, readable by their owner alone. Missing ones are rendered again."""

    async def get(self, key: PageImageKey) -> bytes | None: ...

    async def put(self, key: PageImageKey, data: bytes) -> None:
        """Store an image if there is room. Never fails: a missing image is rendered again."""

    async def erase_purged(self) -> None:
        """Erase the images of purged documents."""


class Typesetter(Protocol):
    """A renderer of answers to PDF."""

    def typeset(self, answer: PrintableAnswer) -> bytes:
        """Return a PDF whose numbers link to quotations and whose links lead to the web. Blocks.

        Raises: ExtraMissing if the typesetting engine, or a font with the answer's letters, is missing.
        """


class ProofSigner(Protocol):
    """A signer with the key that the user has created."""

    def make(self) -> tuple[str, bool]:
        """Return the public key, and whether it was created now: an existing key is kept.

        Raises: StorageUnusable.
        """

    def read_public_key(self) -> str:
        """Return the public key; empty if there is none. Raises StorageUnusable if it cannot be used."""

    def sign(self, message: bytes) -> ProofSignature | None:
        """Sign a message, or return None if there is no key. Raises StorageUnusable if it cannot be used."""
