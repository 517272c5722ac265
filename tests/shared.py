"""Where the shared test data is: real and hostile files that are not ours to keep in the repository."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest


def shared(*parts: str) -> Path:
    """A path in the shared data. Without it a test is skipped, but on a machine that sets CI it fails."""
    root = Path(os.environ.get("SHISHO_SHARED") or Path(__file__).parents[2] / "shared")
    path = root.joinpath(*parts)
    if not path.exists():
        missing(f"{path} is missing: set SHISHO_SHARED to the folder of shared test data")
    return path


def missing(word: str) -> NoReturn:
    """What a test needs is not on this machine: it is skipped with this word, but on a machine that sets CI
    it fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(word)
    pytest.skip(word)
