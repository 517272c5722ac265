"""Every command and the program of both READMEs run as they are written."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.conftest import Shell
from tests.machine import PATIENCE

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.ja.md")
BY_CI = ("make demo", "make test")  # .ci/run calls them as they stand


UNTIL_INTERRUPTED = ("shisho ui",)


def blocks(readme: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / readme).read_text("utf-8"), re.S)


def commands(readme: str) -> list[str]:
    lines = "".join(blocks(readme, "sh")).splitlines()
    return [re.sub(r"\s+#.*", "", line) for line in lines if line.strip()]


def test_commands_run(shell: Shell, tmp_path: Path) -> None:
    """Those of one README: the other has the same."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    for line in commands("README.md"):
        if line in BY_CI:
            assert line.split()[1] in (ROOT / ".ci" / "run").read_text("utf-8")
            continue
        program, *words = shlex.split(line)
        assert program == "shisho", line
        if line in UNTIL_INTERRUPTED:
            run_until_interrupted(shell, line)
            continue
        done = shell.run(*words, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stdout, done.stderr)


def run_until_interrupted(shell: Shell, line: str) -> None:
    """It says where it is, and ends with Ctrl-C. What it would open is no browser here."""
    shell.environment["BROWSER"] = "true"
    process = shell.start(*shlex.split(line)[1:], "--port", "0")
    assert process.stdout is not None
    assert "http://127.0.0.1:" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130


@pytest.mark.parametrize("readme", READMES)
def test_program_runs(readme: str, tmp_path: Path) -> None:
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    (program,) = blocks(readme, "python")
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=os.environ, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0 and "01-regression.pdf 3" in done.stdout, (done.stdout, done.stderr)


def test_both_languages_have_the_same_commands() -> None:
    assert commands("README.md") == commands("README.ja.md")
