"""The schema scripts that a database lacks, for every kind of database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

from shisho.errors import StorageUnusable


def scripts_in(package: str) -> list[str]:
    """Return the schema scripts of a package in order: their names begin with their number."""
    schema = resources.files(package) / "schema"
    return sorted(script.name for script in schema.iterdir() if script.name.endswith(".sql"))


def list_missing_scripts(done: Iterable[str], scripts: Sequence[str], place: str | Path) -> list[str]:
    """Return the names of the scripts that the database at `place` lacks.

    Raises: StorageUnusable if a newer version has run unknown scripts.
    """
    run = set(done)
    newer = sorted(run - set(scripts))
    if newer:
        raise StorageUnusable(
            "store.newer_version",
            path=place,
            version=newer[-1],
        )
    return [name for name in scripts if name not in run]
