"""The valid names of blobs, which callers cannot choose."""

from __future__ import annotations

import re

from shisho.errors import NotFound

_PART = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_NAME = re.compile(rf"{_PART}/{_PART}")


def check_name(name: str) -> str:
    """Return a valid name. Raises NotFound for an invalid one."""
    if not _NAME.fullmatch(name):
        raise NotFound("blobs.bad_key", key=name)
    return name


def no_blob(name: str) -> NotFound:
    """Return the error for a missing blob."""
    return NotFound("blobs.not_found", name=name)
