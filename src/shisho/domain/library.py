"""A library for its operator: settings, metadata, metrics, stored blobs, damage to an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from shisho.records import dataclass


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


@dataclass(frozen=True, slots=True)
class LibraryMetrics:
    """The figures of a library at one moment.

    `jobs`: by kind and state, of all owners. `oldest_queued_s`: waiting time of the first claimable job, 0 if
    none waits. `behind`: changes of the library that the index has not applied.
    """

    jobs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    oldest_queued_s: float = 0.0
    documents: int = 0
    passages: int = 0
    behind: int = 0

    def list_gauges(self) -> dict[str, tuple[str, float]]:
        """Return each single figure with its description, by name."""
        return {
            "oldest_queued_seconds": ("how long the first job in the queue has waited", self.oldest_queued_s),
            "documents": ("live documents of the library", self.documents),
            "passages": ("live passages of the library", self.passages),
            "index_behind_changes": ("changes that the index has not taken in", self.behind),
        }


@dataclass(frozen=True, slots=True)
class MetadataValue:
    """A value, and the number of documents that have it."""

    value: str
    documents: int


@dataclass(frozen=True, slots=True)
class MetadataField:
    """A name in documents' metadata. `values`: the most frequent ones first, of `distinct`."""

    name: str
    documents: int
    distinct: int
    values: tuple[MetadataValue, ...]
