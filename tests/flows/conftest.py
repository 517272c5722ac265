"""A library over a fresh home, and the shell as a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.services import Library
from shisho.web.crawl import visit
from tests import forkserver
from tests.machine import PATIENCE

SAMPLES = Path(__file__).parents[2] / "samples" / "lectures"
SHISHO = [sys.executable, "-c", "from shisho.__main__ import main; main()"]


class Shell:
    """`shisho` with its own home. `shell("list", "--json")` gives what it printed; JSON is read."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {
            **os.environ,
            "SHISHO_HOME": str(home),
            "SHISHO_LANGUAGE": "ja",
            "PYTHONUTF8": "1",
        }

    def __call__(self, *words: str | Path, code: int = 0) -> Any:
        done = self.run(*words)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        text = done.stdout or done.stderr
        return json.loads(text) if "--json" in words and words[0] != "add" else text

    def run(self, *words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        done = forkserver.run([str(word) for word in words], self.environment, cwd)
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def start(self, *words: str | Path) -> forkserver.ForkedCommand:
        """A process group of its own, so that a test ends it and its children and nothing else."""
        return forkserver.start([str(word) for word in words], self.environment)

    @staticmethod
    def kill(process: forkserver.ForkedCommand, with_: signal.Signals = signal.SIGKILL) -> None:
        if process.poll() is None:
            os.killpg(process.pid, with_)


@pytest.fixture(autouse=True)
def quiet_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The desktop of whoever runs the tests is left alone."""
    monkeypatch.setenv("SHISHO_NOTIFY", "terminal")


@pytest.fixture(autouse=True)
def pages_are_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that a test holds back is not given up, however long the rest takes beside busy processes."""
    monkeypatch.setattr(visit, "TOTAL_S", 10 * PATIENCE)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture(scope="session")
def stocked_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample lectures, taken in once; each test that wants them has a copy."""
    home = tmp_path_factory.mktemp("stocked") / "home"

    async def stock() -> None:
        async with open_library(home=home) as library:
            async for receipt in library.documents.add(SAMPLES):
                assert receipt.outcome == "added", receipt

    asyncio.run(stock())
    return home


@pytest.fixture
def desk_home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    home = tmp_path / "home"
    if "stocked" in request.fixturenames:
        shutil.copytree(request.getfixturevalue("stocked_home"), home)
    return home


@pytest.fixture
async def library(desk_home: Path) -> AsyncIterator[Library]:
    async with open_library(home=desk_home) as opened:
        yield opened


@pytest.fixture
async def stocked(library: Library) -> Library:
    """A library with the sample lectures."""
    assert await library.documents.list()
    return library
