"""Files outside the database: a person's web consent, signing key and proof files, and named files."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from shisho.domain.corpus import LOCAL_OWNER
from shisho.settings import Settings
from shisho.system.disk import build_path_error

if TYPE_CHECKING:
    from shisho.domain.proof import ProofReport
    from shisho.system.signing import SigningKeyFile

__all__ = [
    "build_path_error",
    "check_proof",
    "locate_personal_folder",
    "open_signing_key",
    "read_file",
    "write_file",
]

PEOPLE = "people"


def locate_personal_folder(home: Path, owner: str) -> Path:
    """Return the home itself for this machine's owner, otherwise a folder in it.

    The folder is named by a hash: names of people may contain any character.
    """
    if owner == LOCAL_OWNER:
        return home
    return home / PEOPLE / sha256(owner.encode()).hexdigest()[:32]


KEY = "proof.key"


def open_signing_key(settings: Settings, owner: str = LOCAL_OWNER) -> SigningKeyFile:
    """Open the signing key of a person in the home; its file may not exist yet."""
    from shisho.system.signing import SigningKeyFile

    return SigningKeyFile(locate_personal_folder(settings.home, owner) / KEY)


def check_proof(data: bytes) -> ProofReport:
    """Return the contents and faults of a proof file. Needs no home."""
    from shisho.rendering import proof
    from shisho.system.signing import is_signed

    return proof.check_proof(data, is_signed)


def read_file(path: Path) -> bytes:
    """Read a file that a user named. Raises: InvalidParams."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise build_path_error(error, path) from error


def write_file(path: Path, data: bytes) -> None:
    """Write a file that a user named. Raises: InvalidParams, Conflict if the disk is full."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise build_path_error(error, path) from error
