"""Where a home keeps what is one person's own and stands in no database: their word about the web, their
signing key."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from shisho.domain.corpus import LOCAL_OWNER

PEOPLE = "people"


def locate_personal_folder(home: Path, owner: str) -> Path:
    """The home itself for who uses this machine, else a folder below it. Names of people may hold any letter,
    and no folder is called by one."""
    if owner == LOCAL_OWNER:
        return home
    return home / PEOPLE / sha256(owner.encode()).hexdigest()[:32]
