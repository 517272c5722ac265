"""What `make` says and does where a part fails or Python does not fit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import WITH_TIME
from tests.shared import missing

ROOT = Path(__file__).parent.parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The Makefile with the files it looks at."""
    if shutil.which("make") is None:
        missing("make is not installed")
    for name in (
        "Makefile",
        "pyproject.toml",
        "packages/box/pyproject.toml",
        "requirements/core.lock",
        "requirements/dev.lock",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MAKELEVEL", "PYTHON", "VENV")
    }
    return subprocess.run(
        ["make", *words],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def program(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
    path.chmod(0o755)
    return path


def python_of_version(path: Path, version: str) -> Path:
    """This Python, saying that it is another one."""
    parts = tuple(map(int, version.split(".")))
    lie = f"import sys; sys.version_info = {parts!r}; exec(sys.argv.pop(1))"
    return program(
        path,
        f'if [ "$1" = --version ]; then echo "Python {version}"; exit; fi',
        'if [ "$1" != -c ]; then echo "went on" >&2; exit 3; fi',
        f'exec {sys.executable} -c "{lie}" "$2"',
    )


@pytest.mark.parametrize("version", ["3.9.2", "3.10.15", "3.14.0"])
@pytest.mark.parametrize("target", ["setup", "demo", "check", "test"])
def test_a_python_that_does_not_fit_is_told_which_does(checkout: Path, version: str, target: str) -> None:
    other = python_of_version(checkout / "python", version)
    done = make(checkout, target, f"PYTHON={other}")
    assert done.returncode != 0
    assert f"needs Python 3.11, 3.12 or 3.13; {other} is Python {version}." in done.stderr
    assert "make PYTHON=python3.12" in done.stderr
    assert "went on" not in done.stderr


@pytest.mark.parametrize("version", ["3.11.0", "3.13.9"])
def test_a_python_that_fits_is_used(checkout: Path, version: str) -> None:
    done = make(checkout, "setup", f"PYTHON={python_of_version(checkout / 'python', version)}")
    assert "needs Python" not in done.stderr
    assert "went on" in done.stderr


def test_a_python_that_is_not_there_is_told_too(checkout: Path) -> None:
    assert "python3.99 is not there." in make(checkout, "setup", "PYTHON=python3.99").stderr


@pytest.mark.parametrize(
    ("first", "second", "fails"), [(0, 0, False), (1, 0, True), (0, 1, True), (1, 1, True), (5, 0, True)]
)
def test_both_parts_of_the_tests_run_whatever_the_first_says(
    checkout: Path, first: int, second: int, fails: bool
) -> None:
    program(
        checkout / ".venv" / "bin" / "python",
        'case "$*" in --version) echo Python; exit;; -c*) exit 0;; esac',
        'echo "$*" >> ran',
        f'case "$*" in *"not apart"*) exit {first};; *) exit {second};; esac',
    )
    for stamp in (".core", ".dev"):
        (checkout / ".venv" / stamp).touch()
    done = make(checkout, "test")
    ran = (checkout / "ran").read_text().splitlines()
    assert [("not apart" in line, "apart" in line) for line in ran] == [(False, True), (True, True)]
    assert (done.returncode != 0) is fails


PAGES = ("README*.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "docs/**/*.md", ".github/*.md")
RULE = re.compile(r"^([a-z][a-z -]*):(?!=)", re.MULTILINE)
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
IN_A_BLOCK = re.compile(r"^ *(?:\$ )?(?:\w+=\S+ )*make ([^#\n]+)", re.MULTILINE)
IN_A_SENTENCE = re.compile(r"`(?:\w+=\S+ )*make ([^`]+)`")


def named_targets(text: str) -> set[str]:
    """What a page tells to make: in a block of code at the start of a line, in a sentence as code."""
    commands = [command for block in BLOCK.findall(text) for command in IN_A_BLOCK.findall(block)]
    commands += IN_A_SENTENCE.findall(BLOCK.sub("", text))
    return {word for command in commands for word in command.split() if "=" not in word}


def test_every_target_that_a_page_names_is_in_the_makefile() -> None:
    targets = {
        name for names in RULE.findall((ROOT / "Makefile").read_text("utf-8")) for name in names.split()
    }
    pages = [page for pattern in PAGES for page in ROOT.glob(pattern)]
    named = {str(page.relative_to(ROOT)): named_targets(page.read_text("utf-8")) for page in pages}
    assert {"setup", "test-busy", "demo", "bench-postgres"} <= set().union(*named.values())
    assert {page: sorted(names - targets) for page, names in named.items() if names - targets} == {}


def test_bench_has_all_of_bench_postgres(checkout: Path) -> None:
    for stamp in (".core", ".dev"):
        (checkout / ".venv").mkdir(exist_ok=True)
        (checkout / ".venv" / stamp).touch()
    wanted = [line for line in make(checkout, "-n", "bench-postgres").stdout.splitlines() if "bench" in line]
    done = make(checkout, "-n", "bench").stdout.splitlines()
    assert len(wanted) >= 2 and set(wanted) <= set(done)


def test_whatever_has_a_long_form_is_among_the_long_tests() -> None:
    """Told by a word that each of them has, not by the line that the Makefile looks for."""
    told = make(ROOT, "-n", "faults").stdout
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]
    has_long_form = [
        name
        for name in files
        if re.search(r"\b(not|if) (IS_)?LONG\b|\bLIGHT\b", (ROOT / name).read_text("utf-8"))
    ]
    assert len(has_long_form) > 30
    assert [name for name in has_long_form if name not in told and not name.startswith("tests/faults/")] == []


def test_every_name_of_tests_that_have_to_do_with_time_is_one_of_a_test() -> None:
    tests = [path.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("test_*.py")]
    assert [name for name in WITH_TIME if not any(test.startswith(name) for test in tests)] == []
