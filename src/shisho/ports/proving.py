"""The signing key for proofs of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.proof import ProofSignature


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
