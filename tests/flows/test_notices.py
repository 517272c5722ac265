"""How a person is told, and what they say in the shell: real processes on one home, a desktop that writes
down its notices."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shisho.domain.codec import Payload
from shisho.domain.intervention import HumanChallenge
from shisho.domain.time import add_seconds
from shisho.system.clock import SystemClock
from tests.flows.conftest import Shell
from tests.flows.test_shell import rows_of
from tests.machine import PATIENCE
from tests.queues import new, opened

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the desktop of these tests is Linux's")
ROUGH = "a<b>$(touch pwned)"


@pytest.fixture
def desktop(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which a `notify-send` on the PATH writes its arguments, one notice a line."""
    folder = tmp_path / "bin"
    file = tmp_path / "notices"
    folder.mkdir()
    program = folder / "notify-send"
    program.write_text(f"#!/bin/sh\n(IFS='|'; echo \"$*\") >> '{file}'\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    shell.environment |= {"PATH": os.environ["PATH"], "SHISHO_NOTIFY": "auto"}
    file.touch()
    return file


async def wait_for_a_person(home: Path, *tasks: str, name: str = "memory") -> None:
    """A job in each of these tasks that has met a challenge of that engine. Of a kind that no worker here
    would take."""
    met = HumanChallenge(name, f"{name}.example", f"https://{name}.example/search?p=2", "captcha")
    async with opened("embedded", home, SystemClock()) as queue:
        for task in tasks:
            await queue.add(new(), task=task)
            job = await queue.claimed()
            await queue.jobs.await_person(job.claim, Payload(), add_seconds(queue.clock.now(), 60), met)


@contextmanager
def running(shell: Shell, *words: str, number: int = 1) -> Iterator[list[subprocess.Popen[str]]]:
    processes = [shell.start(*words) for _ in range(number)]
    try:
        yield processes
    finally:
        for each in processes:
            Shell.kill(each)
            each.communicate()


def lines(file: Path, least: int, seconds: float = 15) -> list[str]:
    """What the desktop was told, as soon as there is so much of it."""
    ends = time.monotonic() + seconds
    while len(told := file.read_text("utf-8").splitlines()) < least and time.monotonic() < ends:
        time.sleep(0.02)
    return told


def heard(process: subprocess.Popen[str], word: str) -> str:
    """The first line with this word on the error stream."""
    assert process.stderr is not None
    return next((line for line in process.stderr if word in line), "")


async def test_every_terminal_and_one_desktop_are_told_once_a_domain(shell: Shell, desktop: Path) -> None:
    with running(shell, "worker", number=2) as workers:
        for each in workers:
            assert heard(each, "実行中")
        await wait_for_a_person(shell.home, "t1", "t2")
        for each in workers:
            assert "memory (memory.example)" in heard(each, "人の確認")
        told = lines(desktop, 1)
        await wait_for_a_person(shell.home, "t3", name="other")
        for each in workers:
            assert "other (other.example)" in heard(each, "人の確認"), "or the first domain was told twice"
        told = lines(desktop, 2)
    wanted = "--app-name=Shisho|司書 Shisho|{0} ({0}.example) が人の確認を求めています。開くには: shisho auth open {0}.example"
    assert told == [wanted.format("memory"), wanted.format("other")]
    with running(shell, "worker") as (again,):
        assert heard(again, "人の確認") and heard(again, "人の確認"), "a new terminal hears of all that waits"
    assert lines(desktop, 3, seconds=0.5) == told, "the desktop was told again"


async def test_a_server_tells_too_and_what_was_raised_before_it_ran(shell: Shell, desktop: Path) -> None:
    await wait_for_a_person(shell.home, "t1")
    assert lines(desktop, 0) == []
    with running(shell, "serve", "--port", "0") as (server,):
        assert "memory (memory.example)" in heard(server, "人の確認")
        assert len(lines(desktop, 1)) == 1


@pytest.mark.parametrize(("notify", "line"), [("terminal", True), ("off", False)])
async def test_notices_can_be_turned_off(shell: Shell, desktop: Path, notify: str, line: bool) -> None:
    shell.environment["SHISHO_NOTIFY"] = notify
    await wait_for_a_person(shell.home, "t1")
    with running(shell, "worker", "--drain") as (worker,):
        _, said = worker.communicate(timeout=PATIENCE)
        assert ("人の確認" in said) == line
    assert lines(desktop, 0) == []


async def test_what_a_page_is_called_never_becomes_a_command(shell: Shell, desktop: Path) -> None:
    await wait_for_a_person(shell.home, "t1", name=ROUGH)
    with running(shell, "worker", "--drain") as (worker,):
        worker.communicate(timeout=PATIENCE)
    (told,) = lines(desktop, 1)
    assert not set("<>$") & set(told) and "a_b___touch_pwned_.example" in told


async def test_the_watch_says_where(shell: Shell) -> None:
    await wait_for_a_person(shell.home, "t1")
    with running(shell, "queue", "watch") as (watch,):
        assert watch.stdout is not None
        line = next(line for line in watch.stdout if "人の確認が必要" in line)
        assert "memory (memory.example)" in line and "shisho auth open" in line


async def test_the_shell_lists_solves_and_skips(shell: Shell) -> None:
    await wait_for_a_person(shell.home, "t1", "t2")
    await wait_for_a_person(shell.home, "t3", "t4", name="other")
    held = shell("auth", "list", "--json")
    assert [(one["domain"], one["state"]) for one in held] == [
        (f"{name}.example", "pending") for name in ("memory",) * 2 + ("other",) * 2
    ]
    assert "memory.example" in shell("auth", "list")
    assert shell("auth", "done", "memory.example", "--json")["requeued"] == [
        one["job_id"] for one in held[:2]
    ]
    assert "1件" in shell("auth", "skip", held[2]["id"])
    assert shell("auth", "skip", "--task", held[3]["task_id"], "--json") == {"resolved": 1, "requeued": []}
    assert "確認待ちはありません" in shell("auth", "list")
    assert "RESOURCE_NOT_FOUND" in shell("auth", "done", code=1)
    assert rows_of(shell.home, "SELECT state, count(*) FROM interventions GROUP BY state ORDER BY state") == [
        ("completed", 2),
        ("skipped", 2),
    ]
