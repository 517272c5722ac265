"""Damage to an index. The index is derived from the library, so no data is lost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexDamage:
    """A corrupt file of an index.

    `folder`: the folder of the index in the home. `is_remade`: it was deleted and is being rebuilt, which
    requires write access.
    """

    folder: str
    file: str
    is_remade: bool
