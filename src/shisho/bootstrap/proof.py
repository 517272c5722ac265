"""Keys of proof files, and checks of these files without a home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho.bootstrap.personal import locate_personal_folder
from shisho.domain.corpus import LOCAL_OWNER
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.domain.proof import ProofReport
    from shisho.system.signing import SigningKeyFile

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
