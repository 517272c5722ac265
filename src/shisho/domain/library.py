"""A library for its operator: settings, stored blobs, damage to an index."""

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


@dataclass(frozen=True, slots=True)
class BlobFacts:
    """A stored blob: its name, its size in bytes, and the time of storage in epoch seconds."""

    name: str
    size: int
    at: float


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A setting, its value and its origin. A secret's value only shows whether it is set."""

    name: str
    value: str | int | float | bool
    default: str | int | float | bool
    origin: str
    """One of call, environment, file (settings.toml of the home) or default."""
    help: str
    choices: tuple[str, ...]
    """Empty: any value of the default's type."""
    secret: bool
