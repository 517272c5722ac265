"""Where the shared test data is: real and hostile files that are not ours to keep in the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared(*parts: str) -> Path:
    """A path in the shared data. Without it a test is skipped, but on a machine that sets CI it fails."""
    root = Path(os.environ.get("SHISHO_SHARED") or Path(__file__).parents[2] / "shared")
    path = root.joinpath(*parts)
    if not path.exists():
        word = f"{path} is missing: set SHISHO_SHARED to the folder of shared test data"
        if os.environ.get("CI") == "true":
            pytest.fail(word)
        pytest.skip(word)
    return path
