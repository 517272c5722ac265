"""Signatures of proof files: an Ed25519 key in the home, created at the user's request."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from shisho.domain.proof import ProofSignature
from shisho.errors import StorageUnusable
from shisho.messages.system import explain_error

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class SigningKeyFile:
    """The key of a home: 64 hexadecimal digits, readable by its owner alone."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def make(self) -> tuple[str, bool]:
        """Return the public key, and whether it was created now: an existing key is kept.

        Raises: StorageUnusable.
        """
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        fresh = Ed25519PrivateKey.generate()
        try:
            self._write(fresh.private_bytes_raw().hex())
        except FileExistsError:
            return _encode_public(self._read()), False
        except OSError as error:
            raise StorageUnusable("key.not_writable", path=self._path, cause=explain_error(error)) from error
        return _encode_public(fresh), True

    def _write(self, digits: str) -> None:
        """Write the key atomically and never over another. Raises FileExistsError, OSError."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The file is created readable by its owner alone.
        with tempfile.NamedTemporaryFile(
            "w", dir=self._path.parent, prefix=".key-", encoding="ascii"
        ) as file:
            file.write(digits + "\n")
            file.flush()
            os.fsync(file.fileno())
            os.link(file.name, self._path)

    def read_public_key(self) -> str:
        """Return the public key; empty if there is none. Raises StorageUnusable if it cannot be used."""
        return _encode_public(self._read()) if self._path.exists() else ""

    def sign(self, message: bytes) -> ProofSignature | None:
        """Sign a message, or return None if there is no key. Raises StorageUnusable if it cannot be used."""
        if not self._path.exists():
            return None
        key = self._read()
        return ProofSignature(_encode_public(key), key.sign(message).hex())

    def _read(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        try:
            return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(self._path.read_text("ascii")))
        except OSError as error:
            raise StorageUnusable("key.unreadable", path=self._path, cause=explain_error(error)) from error
        except ValueError as error:
            raise StorageUnusable(
                "key.damaged",
                path=self._path,
            ) from error


def is_signed(signature: ProofSignature, message: bytes) -> bool:
    """Return True if the signature is valid for this message and its key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.public_key))
        key.verify(bytes.fromhex(signature.signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _encode_public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()
