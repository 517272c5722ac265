"""The key that a proof of an answer needs from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.proof import ProofSignature


class ProofSigner(Protocol):
    """Signs with the key that the user has made."""

    def make(self) -> tuple[str, bool]:
        """The public key, and whether it was made just now: a key that is there stays. Raises
        StorageUnusable."""

    def read_public_key(self) -> str:
        """The public key; empty where there is none. Raises StorageUnusable where it cannot be used."""

    def sign(self, message: bytes) -> ProofSignature | None:
        """None where there is no key. Raises StorageUnusable where it cannot be used."""
