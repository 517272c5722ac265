"""The folder of a person's own files outside the database.

Their web consent and signing key.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from shisho.domain.corpus import LOCAL_OWNER

PEOPLE = "people"


def locate_personal_folder(home: Path, owner: str) -> Path:
    """Return the home itself for this machine's owner, otherwise a folder in it.

    The folder is named by a hash: names of people may contain any character.
    """
    if owner == LOCAL_OWNER:
        return home
    return home / PEOPLE / sha256(owner.encode()).hexdigest()[:32]
