"""Commands whose output is closed, or takes no more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


def run(home: Path, *words: str, close: int | None = None, out: Path | None = None) -> tuple[int, str]:
    """The exit code, and what came over the streams that are open."""
    redirection = f"{close}>&-" if close else f">{out}" if out else ""
    command = " ".join((sys.executable, "-m", "shisho", *words, redirection))
    environment = os.environ | {"SHISHO_HOME": str(home), "SHISHO_WEB": "off", "SHISHO_LANGUAGE": "en"}
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("stream", [1, 2])
def test_a_command_runs_whose_streams_were_closed_before(stream: int, tmp_path: Path) -> None:
    code, told = run(tmp_path, "engines", close=stream)
    assert code == 0
    assert "Traceback" not in told


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="a device that takes nothing is of Linux")
@pytest.mark.parametrize("words", [("engines",), ("engines", "--json")])
def test_an_output_that_takes_no_more_is_told_in_a_sentence(words: tuple[str, ...], tmp_path: Path) -> None:
    code, told = run(tmp_path, *words, out=FULL)
    assert code == 1
    assert (
        told
        == "STORAGE_UNUSABLE: The output cannot be written: the disk is full. Choose another place for it.\n"
    )
