"""A user without HOME and without a row in the table of users, as containers and cron have them: what needs
no home folder works, and the rest says in one sentence how to name one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forkserver import ForkServer

UID = "12345"
NO_HOME = "This user has no home directory. Give a folder for the library with --home or SHISHO_HOME."
# In a namespace of its own this user has another number, and the same rights.
OTHER_USER = ["unshare", "--user", f"--map-user={UID}", f"--map-group={UID}"]


def can_be_another_user() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*OTHER_USER, "true"], capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(
    not can_be_another_user() and "CI" not in os.environ, reason="this user may make no user namespaces"
)


GIVEN = {"PATH": "/usr/bin:/bin", "PYTHONUTF8": "1", "SHISHO_WEB": "off", "SHISHO_LANGUAGE": "en"}


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`shisho` as a process of a user that nothing is known of."""
    return subprocess.run(
        [*OTHER_USER, sys.executable, "-m", "shisho", *words],
        env=GIVEN | environment,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def server_of_other_user() -> Iterator[ForkServer]:
    """What forks commands of that user."""
    server = ForkServer("commands", OTHER_USER)
    yield server
    server.close()


@pytest.mark.parametrize("words", [["--help"], ["add", "--help"], ["--version"]])
def test_help_needs_no_home(words: list[str]) -> None:
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, "") and "shisho" in done.stdout


def test_an_assistants_settings_need_no_home() -> None:
    done = run("mcp", "--print-config", "claude-desktop")
    assert done.returncode == 0
    assert json.loads(done.stdout)["mcpServers"]["shisho"]["args"][-1:] == ["mcp"]


def test_doctor_checks_what_needs_no_home() -> None:
    done = run("doctor", "--json")
    first, *others = json.loads(done.stdout)
    assert (first["name"], first["ok"], first["detail"]) == ("home", False, NO_HOME)
    assert {"settings", "tokenizer", "reader"} <= {check["name"] for check in others if check["ok"]}
    assert "database" not in {check["name"] for check in others} and done.returncode == 1
    assert "/tmp" not in done.stdout and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "home"),
    [
        (["list"], {}),
        (["list"], {"SHISHO_HOME": "~/library"}),
        (["ask", "決定係数とは何か"], {}),
        (["add", "/etc/hostname"], {}),
        (["settings"], {}),
        (["queue", "add", "決定係数"], {}),
        (["models", "list"], {}),
        (["web"], {}),
        (["jobs"], {}),
        (["mcp"], {}),
        (["serve", "--port", "0"], {}),
    ],
)
def test_a_command_that_needs_a_home_says_how_to_name_one(
    words: list[str], home: dict[str, str], server_of_other_user: ForkServer
) -> None:
    done = server_of_other_user.run(words, GIVEN | home, Path("/"))
    assert done.stderr.decode() == f"STORAGE_UNUSABLE: {NO_HOME}\n"
    assert (done.returncode, done.stdout) == (1, b"")


def test_with_a_home_that_is_named_all_works(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("決定係数は、当てはまりの良さを表す指標である。", "utf-8")
    for words in (["add", str(text)], ["ask", "決定係数とは何か"]):
        done = run("--home", str(tmp_path / "home"), *words)
        assert done.returncode == 0, done
    assert "当てはまりの良さ" in done.stdout
    done = run("--home", str(tmp_path / "home"), "add", "~/a.txt")
    assert "Traceback" not in done.stderr and "~" in done.stdout + done.stderr and done.returncode
    done = run("--home", str(tmp_path / "home"), "list", SHISHO_ALLOWED_ROOTS="~/x")
    assert "Traceback" not in done.stderr
