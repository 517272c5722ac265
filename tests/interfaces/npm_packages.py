"""Packages from npm that tests need, in folders that are kept between runs."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest


def installed(name: str, packages: Mapping[str, str]) -> Path:
    """The folder with these packages. Without npm the test is skipped with a clear word, and in CI it
    fails."""
    folder = Path(tempfile.gettempdir()) / f"shisho-npm-{name}"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:  # one process of the tests installs, the others wait
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(folder, packages)
    return folder


def _install(folder: Path, packages: Mapping[str, str]) -> None:
    wanted = json.dumps(dict(packages))
    note = folder / "installed"
    if note.is_file() and note.read_text() == wanted:
        return
    (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": dict(packages)}))
    program = shutil.which("npm")
    done = program and subprocess.run(
        [program, "install", "--no-audit", "--no-fund"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if not done or done.returncode:
        word = f"npm could not install the clients: {done.stderr[-300:] if done else 'there is no npm'}"
        if os.environ.get("CI") == "true":
            pytest.fail(word)
        pytest.skip(word)
    note.write_text(wanted)
