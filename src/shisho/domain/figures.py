"""How a library stands, in numbers: what an operator looks at, and nothing that tells of a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LibraryFigures:
    """Numbers of one moment. `jobs` by kind and state, of all owners; `oldest_queued_s`: how long the job has
    waited that could have been claimed first, 0 where none waits; `behind`: changes of the shelf that the
    index has not taken in."""

    jobs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    oldest_queued_s: float = 0.0
    documents: int = 0
    passages: int = 0
    behind: int = 0

    def gauges(self) -> dict[str, tuple[str, float]]:
        """Each number that is one, by its name, with what it says."""
        return {
            "oldest_queued_seconds": ("how long the first job in the queue has waited", self.oldest_queued_s),
            "documents": ("live documents of the library", self.documents),
            "passages": ("live passages of the library", self.passages),
            "index_behind_changes": ("changes that the index has not taken in", self.behind),
        }
