"""Facts about stored blobs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlobFacts:
    """A stored blob: its name, its size in bytes, and the time of storage in epoch seconds."""

    name: str
    size: int
    at: float
