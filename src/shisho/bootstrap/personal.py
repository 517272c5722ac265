"""A person's own files outside the database: web consent, the signing key, proof files."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from shisho.domain.corpus import LOCAL_OWNER
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.domain.proof import ProofReport
    from shisho.system.signing import SigningKeyFile

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
