"""`shisho` as processes forked from one that has loaded the program: a hundred tests do not load it a hundred
times.

What runs is a process of its own, with its own environment, folder, streams and end. What a start itself costs or
does is tried elsewhere, by processes that begin with nothing."""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NoReturn

from tests.machine import PATIENCE

ROOT = Path(__file__).parent.parent
NUMBER = struct.Struct("!i")  # the length of a request; the process that serves one, and how it ended
# What most commands load when they need it. Loaded before, it is there in each.
COMMONLY_LOADED = (
    "apsw",
    "httpcore",
    "numpy",
    "rich.console",
    "rich.progress",
    "rich.table",
    "shisho.bootstrap.desk",
    "shisho.bootstrap.embedded_stores",
    "shisho.bootstrap.queue",
    "shisho.bootstrap.web",
    "shisho.interfaces.cli.app",
    "tantivy",
)


def run(
    words: Sequence[str], environment: Mapping[str, str], cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """`shisho` with these words, until it has ended."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        code = _server().run(words, environment, cwd or Path.cwd(), output, errors)
        return subprocess.CompletedProcess(
            ["shisho", *words], code, stdout=_text(output), stderr=_text(errors)
        )


def _text(stream: BinaryIO) -> bytes:
    stream.seek(0)
    return stream.read()


class ForkServer:
    """The process that has loaded the program, and the socket on which it is told what to run. It ends with
    the process that started it."""

    def __init__(self) -> None:
        self._socket, other = socket.socketpair()
        command = [sys.executable, "-m", "tests.forkserver", str(other.fileno())]
        environment = {**os.environ, "PYTHONUTF8": "1"}
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, pass_fds=[other.fileno()], start_new_session=True
        )
        other.close()
        self._one_at_a_time = threading.Lock()

    def run(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path,
        output: BinaryIO,
        errors: BinaryIO,
    ) -> int:
        """Its exit code, minus the signal where one ended it. Raises TimeoutExpired."""
        request = json.dumps([[*words], dict(environment), str(cwd)]).encode()
        replies, reply = os.pipe()
        with os.fdopen(replies, "rb", buffering=0) as answer, Path(os.devnull).open("rb") as nothing:
            handed = [nothing.fileno(), output.fileno(), errors.fileno(), reply]
            with self._one_at_a_time:
                socket.send_fds(self._socket, [NUMBER.pack(len(request))], handed)
                self._socket.sendall(request)
            os.close(reply)
            pid = _number(answer)
            late = threading.Timer(PATIENCE, os.kill, (pid, signal.SIGKILL))
            late.start()
            code = _number(answer)
            if not late.is_alive():
                raise subprocess.TimeoutExpired(["shisho", *words], PATIENCE)
            late.cancel()
        return code

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


@functools.cache
def _server() -> ForkServer:
    server = ForkServer()
    atexit.register(server.close)
    return server


def _number(stream: BinaryIO) -> int:
    data = stream.read(NUMBER.size)
    assert len(data) == NUMBER.size, "the process that forks has ended"
    return int(NUMBER.unpack(data)[0])


def serve(requests: socket.socket) -> list[str]:
    """Return in each process that is to be one command, with its words; the server itself never returns."""
    while True:
        head, handed, _, _ = socket.recv_fds(requests, NUMBER.size, 4)
        if not head:
            sys.exit()
        data = b""
        while len(data) < NUMBER.unpack(head)[0]:
            data += requests.recv(1 << 16)
        if os.fork() == 0:  # keeps the command company, so that several run at once
            requests.close()
            if (pid := os.fork()) == 0:
                return _become(*json.loads(data), handed)
            os.write(handed[3], NUMBER.pack(pid))
            _, status = os.waitpid(pid, 0)
            os.write(handed[3], NUMBER.pack(os.waitstatus_to_exitcode(status)))
            os._exit(0)
        for descriptor in handed:
            os.close(descriptor)
        os.waitpid(-1, os.WNOHANG)  # of those who kept company before, one has ended or will


def _become(words: list[str], environment: dict[str, str], folder: str, handed: list[int]) -> list[str]:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for place, descriptor in enumerate(handed):
        if place < 3:
            os.dup2(descriptor, place)
        os.close(descriptor)
    return words


def load() -> None:
    """Everything that a command may need; nothing that starts a thread or opens a file of a home."""
    for name in COMMONLY_LOADED:
        __import__(name)
    from shisho.language.terms import analyse

    analyse(["辞書を引く。"])


def end(command: Callable[[], None]) -> NoReturn:
    """Run it and leave as Python does, but for taking apart what was loaded: copied from the server, that
    would cost more than most commands."""
    code: object = 0
    try:
        command()
    except SystemExit as left:
        code = left.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    if not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    load()
    gc.freeze()
    sys.argv[1:] = serve(socket.socket(fileno=int(sys.argv[1])))
    from shisho.__main__ import main

    end(main)
