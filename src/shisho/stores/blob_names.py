"""The names that blobs may have: ours, never a caller's."""

from __future__ import annotations

import re

from shisho.errors import NotFound

_PART = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_NAME = re.compile(rf"{_PART}/{_PART}")


def check_name(name: str) -> str:
    """The name itself. Raises NotFound for what cannot be one."""
    if not _NAME.fullmatch(name):
        raise NotFound("blobs.bad_key", key=name)
    return name


def no_blob(name: str) -> NotFound:
    """The error for a name under which nothing stands."""
    return NotFound("blobs.not_found", name=name)
