"""The facts of bytes that stand under a name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlobFacts:
    """One blob: its name, its bytes, and when it was stored, in seconds since 1970."""

    name: str
    size: int
    at: float
