"""Damage of an index, which is derived from the library and loses nothing with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexDamage:
    """A file of an index that was not as it was written. `folder`: of the index, in the home; `is_remade`: it
    was deleted and is made anew, which needs the right to write there."""

    folder: str
    file: str
    is_remade: bool
