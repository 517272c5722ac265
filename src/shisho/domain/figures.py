"""Figures of a library for its operator. They contain nothing about a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
