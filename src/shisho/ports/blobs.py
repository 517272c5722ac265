"""Named blobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.blob import BlobFacts


class Blobs(Protocol):
    """A store of blobs by name, each complete or absent, shared by all machines that use it.

    A name is a folder, a slash and a file (`originals/2c26…`), of ASCII letters, digits, dots, hyphens and
    underscores. Every method blocks, so call it in a thread.

    Raises: StorageUnusable; Conflict, which can be retried; NotFound for an invalid name.
    """

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Store bytes, replacing an existing blob.

        A durable blob survives a crash; otherwise it may be lost in one.
        """

    def get(self, name: str) -> bytes:
        """Return the bytes. Raises NotFound."""

    def facts(self, name: str) -> BlobFacts | None:
        """Return the facts of a blob, or None if there is no such blob."""

    def touch(self, name: str) -> bool:
        """Set the time of storage to now.

        Returns False if the blob does not exist, or if the store cannot keep any time but that of the bytes.
        """

    def list(self, folder: str) -> Sequence[BlobFacts]:
        """List all blobs of a folder."""

    def drop(self, name: str) -> None:
        """Delete a blob; a missing one is no error."""
