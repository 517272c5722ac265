"""Ctrl-C as a terminal sends it, to the whole process group: what was kept is said, and how to go on; 130,
and no traceback."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from subprocess import PIPE

import apsw
import pytest

from tests.flows.conftest import SAMPLES, SHISHO, Shell
from tests.flows.test_shell import rows_of, until, write_notes
from tests.interfaces.serving import empty_box
from tests.machine import PATIENCE

DOCUMENTS = "SELECT count(*) FROM documents"
WEIGHT = 200 << 20  # bytes: a backup of them is seen before it is done


def interrupted(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Press Ctrl-C; what was printed."""
    os.killpg(process.pid, signal.SIGINT)
    printed, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, (process.returncode, printed, said)
    assert "Traceback" not in printed + said and "Error" not in said, said
    return printed, said


def test_adding_keeps_what_is_in_and_the_same_command_goes_on(shell: Shell, tmp_path: Path) -> None:
    write_notes(tmp_path / "lib", 60)
    process = shell.start("add", tmp_path / "lib")
    until(process, shell.home, DOCUMENTS, 5)
    printed, said = interrupted(process)
    assert "追加した文書は保存されています" in said and "追加 " in printed.splitlines()[-1]
    assert "追加できません 0" in printed, "a file that was being read is no failure"
    kept = len(shell("list", "--limit", "999", "--json"))
    assert 5 <= kept < 60
    done = shell("add", tmp_path / "lib")
    assert f"変更なし {kept} " in done.splitlines()[-1]


@pytest.mark.slow
def test_asking_says_how_to_go_on(shell: Shell, tmp_path: Path) -> None:
    write_notes(tmp_path / "lib", 60)
    process = shell.start("ask", "統計の12番目の関係とは何か", "--in", tmp_path / "lib")
    until(process, shell.home, DOCUMENTS, 2)
    printed, said = interrupted(process)
    assert "途中で停止しました" in printed and "--continue last" in said and "追加できません" not in said
    answer = shell("ask", "--continue", "last", "--json")
    assert answer["loop_stop"] != "STOPPED"
    assert shell("ask", "--continue", "last", "--json", code=1)["code"] == "RESOURCE_NOT_FOUND"


def test_searching_a_folder_keeps_what_is_in(shell: Shell, tmp_path: Path) -> None:
    write_notes(tmp_path / "lib", 60)
    process = shell.start("search", "統計", "--in", tmp_path / "lib")
    until(process, shell.home, DOCUMENTS, 2)
    assert "停止しました" in interrupted(process)[1]


def test_measuring_says_that_nothing_was_kept(shell: Shell, tmp_path: Path) -> None:
    shell.environment["TMPDIR"] = str(tmp_path)
    process = shell.start("eval", SAMPLES.parent / "eval", "--answers", "99")
    while process.poll() is None and not list(tmp_path.glob("shisho-eval-*")):
        time.sleep(0.05)
    assert "何も残していません" in interrupted(process)[1]


@pytest.mark.slow
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_an_assistants_server_ends_though_its_client_says_nothing(
    shell: Shell, how: signal.Signals, code: int
) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    }
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    command = [*SHISHO, "mcp"]
    with subprocess.Popen(
        command, env=shell.environment, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(json.dumps(call) + "\n")
        process.stdin.flush()
        assert "serverInfo" in process.stdout.readline()
        process.send_signal(how)
        assert process.wait(PATIENCE) == code
        said = process.stderr.read()
    assert "Traceback" not in said and ("キューに戻り" in said) == (how is signal.SIGINT)


@pytest.mark.parametrize("words", [("worker",), ("serve", "--port", "0")])
def test_work_goes_back_to_the_queue(shell: Shell, words: tuple[str, ...]) -> None:
    process = shell.start(*words)
    stream = process.stderr if words == ("worker",) else process.stdout
    assert stream is not None and stream.readline()
    assert "キューに戻り" in interrupted(process)[1]


def test_a_worker_that_is_told_to_end_ends_well(shell: Shell) -> None:
    process = shell.start("worker")
    assert process.stderr is not None and process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_watching_leaves_the_queue_alone(shell: Shell) -> None:
    shell.environment |= {"SHISHO_WEB": "on", "SHISHO_BOX": str(empty_box())}
    shell("queue", "add", "決定係数 定義")
    process = shell.start("queue", "watch")
    assert process.stdout is not None and process.stdout.readline()
    assert "shisho queue watch" in interrupted(process)[1]
    assert rows_of(shell.home, "SELECT state FROM jobs") == [("queued",)]


WHILE_IT_WORKS = """
import asyncio, os, signal, sys
from shisho.bootstrap import copying
from shisho.services.documents import Documents
from shisho.services.library import Library
from shisho.services.questions import Questions
async def pressed(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.Event().wait()
name, _, verb = sys.argv.pop(1).rpartition(".")
setattr(globals()[name], verb, pressed)
from shisho.__main__ import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "words", "said"),
    [
        ("Documents.list", ("list",), "何も変更していません"),
        ("Library.run_checks", ("doctor",), "何も変更していません"),
        ("Questions.replay", ("replay",), "何も変更していません"),
        ("Library.show", ("show",), "何も変更していません"),
        ("Library.backup", ("backup", "copy.db"), "何も書き出していません"),
        ("copying.copy_library", ("copy", "--from", "a", "--to", "b"), "コピー済みの分は保存されています"),
        ("Documents.restore", ("restore", "x"), "完了した分は保存されています"),
    ],
)
def test_each_command_says_what_was_kept_and_how_to_go_on(
    shell: Shell, verb: str, words: tuple[str, ...], said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WHILE_IT_WORKS, verb, *words],
        env=shell.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert (
        said in done.stderr
        and any(word in done.stderr for word in ("もう一度", "同じコマンド"))
        and len(done.stderr.splitlines()) == 1
    )


@pytest.mark.slow
def test_a_backup_that_is_broken_off_is_written_by_the_same_command(shell: Shell, tmp_path: Path) -> None:
    shell("list")
    with closing(apsw.Connection(str(shell.home / "shisho.db"))) as database:
        database.execute("CREATE TABLE weight (bytes BLOB)")
        database.execute("INSERT INTO weight VALUES (zeroblob(?))", (WEIGHT,))
    target = tmp_path / "copy.db"
    process = shell.start("backup", target)
    while process.poll() is None and not (target.exists() and target.stat().st_size):
        time.sleep(0.001)
    assert "何も書き出していません" in interrupted(process)[1]
    assert not target.exists()
    assert "バックアップ" in shell("backup", target) and target.stat().st_size > WEIGHT


IN_LOADING = """
import sys
class Loading:
    def find_spec(self, name, path=None, target=None):
        if name == "shisho.interfaces.cli.app":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Loading())
from shisho.__main__ import main
main()
"""


def test_even_while_the_command_is_loaded_there_is_no_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_LOADING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.slow
def test_a_question_of_ours_can_be_left(shell: Shell) -> None:
    shell("add", SAMPLES / "01-regression.pdf")
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [*SHISHO, "remove", "01-regression.pdf", "--purge"],
        env=shell.environment,
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    sent = b""
    while "元に戻せません".encode() not in sent:
        sent += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    sent += os.read(ours, 4096)
    os.close(ours)
    os.close(its)
    assert "停止しました".encode() in sent and b"Traceback" not in sent
    assert len(shell("list", "--json")) == 1


# The interrupt is noted where the terminal is about to be read, and no signal follows that would end the
# read.
JUST_BEFORE_THE_READ = """
import ctypes
from shisho.interfaces.cli.interrupts import confirm
hook = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PyOS_InputHook")
hook.value = ctypes.cast(ctypes.pythonapi.PyErr_SetInterrupt, ctypes.c_void_p).value
confirm("?")
"""

# The interrupt comes while `input` empties a stream, and `input` drops what is raised there.
WHILE_A_STREAM_IS_EMPTIED = """
import signal
import sys
from shisho.interfaces.cli.interrupts import confirm

class Output:
    interrupts = 1
    def __getattr__(self, name):
        return getattr(sys.__stdout__, name)
    def flush(self):
        sys.__stdout__.flush()
        if self.interrupts:
            self.interrupts -= 1
            signal.raise_signal(signal.SIGINT)

sys.stdout = Output()
confirm("?")
"""


@pytest.mark.parametrize("script", [JUST_BEFORE_THE_READ, WHILE_A_STREAM_IS_EMPTIED])
def test_an_interrupt_just_before_the_terminal_is_read_is_heard(script: str) -> None:
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    try:
        assert process.wait(PATIENCE) == 1
    finally:
        process.kill()
    sent = os.read(ours, 4096)
    os.close(ours)
    os.close(its)
    assert b"Abort" in sent
