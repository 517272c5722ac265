"""Where bytes stand under names of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.blob import BlobFacts


class Blobs(Protocol):
    """Bytes by name, each whole or not there at all, seen by all machines that share them. A name is a
    folder, a slash and a file (`originals/2c26…`), of ASCII letters, digits, dots, hyphens and underscores.
    Each verb blocks: it is called in a thread. Each raises StorageUnusable, Conflict (to be tried again),
    NotFound for what is no name."""

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Store bytes, in place of what is there, so that they outlive a crash; not `durable`: so that they
        may be lost with it."""

    def get(self, name: str) -> bytes:
        """Raises NotFound."""

    def facts(self, name: str) -> BlobFacts | None:
        """None where there is no such blob."""

    def touch(self, name: str) -> bool:
        """It counts as stored just now. False where it is not there, or no time but that of its bytes can be
        kept."""

    def list(self, folder: str) -> Sequence[BlobFacts]:
        """All of a folder."""

    def drop(self, name: str) -> None:
        """Forget it; what is not there, too."""
