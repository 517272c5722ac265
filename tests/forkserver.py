"""`shisho`, and the workers that tests kill, as processes forked from one that has loaded the program: a
hundred tests do not load it a hundred times.

What runs is a process of its own, with its own environment, folder, streams and end. What a start itself
costs or does is tried elsewhere, by processes that begin with nothing."""

from __future__ import annotations

import atexit
import functools
import gc
import io
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NoReturn

from tests.machine import PATIENCE

ROOT = Path(__file__).parent.parent
READERS = "TEST_READERS"  # in the environment of what forks commands: the socket of what forks their readers
LOOKS = "TEST_LOOKS"  # in a command's environment: the file where its looks at a network are written
NUMBER = struct.Struct("!i")  # the length of a request; the process that serves one, and how it ended
# Sockets that are only made or named look at nothing.
SILENT_EVENTS = frozenset({"socket.__new__", "socket.bind", "socket.sethostname"})
# What most commands load when they need it. Loaded before, it is there in each.
COMMONLY_LOADED = (
    "apsw",
    "httpcore",
    "numpy",
    "rich.console",
    "rich.progress",
    "rich.table",
    "shisho.bootstrap.library",
    "shisho.bootstrap.embedded_stores",
    "shisho.bootstrap.worker",
    "shisho.bootstrap.web",
    "shisho.interfaces.cli.app",
    "tantivy",
)
# What `shisho serve` and `shisho mcp` load besides. Kept from the commands: what is large is slow to fork.
LOADED_TO_SERVE = (
    "shisho.interfaces.http.server",
    "shisho.interfaces.mcp.server",
    "anyio._backends._asyncio",
    "prometheus_client",
    "pydantic.v1",
    "shisho.bootstrap.tracing",
    "shisho.corpus.ingest",
    "shisho.corpus.readers.killable",
    "shisho.corpus.retrieve",
    "shisho.corpus.session",
    "shisho.jobs.worker",
    "shisho.librarian.checking.child",
    "shisho.librarian.loop",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
)
# What most readers of files, pages and result pages load.
LOADED_TO_READ = (
    "shisho.corpus.readers.html",
    "shisho.corpus.readers.markdown",
    "shisho.corpus.readers.pdf",
    "shisho.corpus.readers.wire",
    "shisho.domain.codec",
    "shisho.web.engines",
)


class ForkedProcess:
    """A process that runs: as much of `subprocess.Popen` as tests ask for. It leads a group of its own, as
    with `start_new_session`; where its errors go is not its business."""

    def __init__(self, pid: int, output: int, ending: BinaryIO) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout = os.fdopen(output, encoding="utf-8")
        self._ending = ending

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._ending], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(["shisho"], timeout or 0)
            self.returncode = read_number(self._ending)
            self._ending.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __del__(self) -> None:
        """Who only killed it need not close what it was heard through."""
        self.stdout.close()
        self._ending.close()


class ForkedCommand(ForkedProcess):
    """A command that is heard through pipes of text."""

    def __init__(self, pid: int, output: int, errors: int, ending: BinaryIO) -> None:
        super().__init__(pid, output, ending)
        self.stderr = os.fdopen(errors, encoding="utf-8")
        self._readers: list[tuple[threading.Thread, list[str]]] = []

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it still says until it has ended."""
        if not self._readers:
            self._readers = [_reader(stream) for stream in (self.stdout, self.stderr)]
        self.wait(timeout)
        for thread, _ in self._readers:
            thread.join(timeout)
        output, errors = ("".join(text) for _, text in self._readers)
        self.close()
        return output, errors

    def close(self) -> None:
        self.stdout.close()
        self.stderr.close()

    def __enter__(self) -> ForkedCommand:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()
        self.close()

    def __del__(self) -> None:
        super().__del__()
        self.stderr.close()


def _reader(stream: io.TextIOWrapper) -> tuple[threading.Thread, list[str]]:
    text: list[str] = []
    thread = threading.Thread(target=lambda: text.append(stream.read()), daemon=True)
    thread.start()
    return thread, text


def run(
    words: Sequence[str], environment: Mapping[str, str], cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """`shisho` with these words, until it has ended."""
    return _server("commands").run(words, environment, cwd or Path.cwd())


def start(words: Sequence[str], environment: Mapping[str, str]) -> ForkedCommand:
    """`shisho` with these words, which goes on beside the test."""
    kind = "serving" if words[0] in ("serve", "mcp") else "commands"
    output, output_end = os.pipe()
    errors, errors_end = os.pipe()
    pid, ending = _server(kind).launch(words, environment, Path.cwd(), output_end, errors_end)
    os.close(output_end)
    os.close(errors_end)
    return ForkedCommand(pid, output, errors, ending)


def start_worker(orders: str) -> ForkedProcess:
    """`python -W error -m tests.faults.process` with these orders, with this process's errors for its
    own."""
    output, output_end = os.pipe()
    pid, ending = _server("workers").launch([orders], os.environ, ROOT, output_end, sys.__stderr__.fileno())
    os.close(output_end)
    return ForkedProcess(pid, output, ending)


def readers() -> Path:
    """The socket at which `start_reader` asks."""
    return _server("readers").path


def start_reader(server: Path, environment: Mapping[str, str]) -> tuple[int, socket.socket, BinaryIO]:
    """`python -m shisho.isolation.child`. Returns its process id, its input and output, and where its exit
    code will be read."""
    ours, theirs = socket.socketpair()
    with theirs, Path(os.devnull).open("wb") as nothing, socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(server))
        streams = (theirs.fileno(), theirs.fileno(), nothing.fileno())
        pid, ending = _order(connection, [], environment, Path.cwd(), streams)
    return pid, ours, ending


def command_line(*words: str) -> list[str]:
    """What starts `shisho` with these words over the standard streams of who starts it."""
    program = str(Path(__file__).with_name("forked_command.py"))
    return [sys.executable, "-I", "-S", program, str(_server("serving").path), *words]


def _text(stream: BinaryIO) -> bytes:
    stream.seek(0)
    return stream.read()


class ForkServer:
    """The process that has loaded the program, and the socket on which it is told what to run. It ends with
    the process that started it."""

    def __init__(self, kind: str, under: Sequence[str] = ()) -> None:
        """`under`: the command that runs the server, as `unshare`."""
        self._socket, other = socket.socketpair()
        self._folder = tempfile.TemporaryDirectory(prefix="shisho-fork-")
        self.path = Path(self._folder.name, "socket")  # where others than this process may ask
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.path))
        listener.listen()
        handed = [other.fileno(), listener.fileno()]
        places = {} if kind == "readers" else {READERS: str(readers())}
        self._process = subprocess.Popen(
            [*under, sys.executable, "-m", "tests.forkserver", kind, *map(str, handed)],
            cwd=ROOT,
            env={**os.environ, "PYTHONUTF8": "1", **places},
            pass_fds=handed,
            start_new_session=True,
        )
        other.close()
        listener.close()
        self._one_at_a_time = threading.Lock()

    def run(
        self, words: Sequence[str], environment: Mapping[str, str], cwd: Path
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command until it has ended. Raises TimeoutExpired."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            code = self._await_end(words, environment, cwd, output, errors)
            return subprocess.CompletedProcess(
                ["shisho", *words], code, stdout=_text(output), stderr=_text(errors)
            )

    def _await_end(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path,
        output: BinaryIO,
        errors: BinaryIO,
    ) -> int:
        """Its exit code, minus the signal where one ended it. Raises TimeoutExpired."""
        pid, ending = self.launch(words, environment, cwd, output.fileno(), errors.fileno())
        with ending:
            late = threading.Timer(PATIENCE, os.kill, (pid, signal.SIGKILL))
            late.start()
            code = read_number(ending)
            if not late.is_alive():
                raise subprocess.TimeoutExpired(["shisho", *words], PATIENCE)
            late.cancel()
        return code

    def launch(
        self, words: Sequence[str], environment: Mapping[str, str], cwd: Path, output: int, errors: int
    ) -> tuple[int, BinaryIO]:
        """Its process id, and where its exit code will be read."""
        with Path(os.devnull).open("rb") as nothing, self._one_at_a_time:
            return _order(self._socket, words, environment, cwd, (nothing.fileno(), output, errors))

    def close(self) -> None:
        self._socket.close()
        self._process.wait()
        self._folder.cleanup()


def _order(
    server: socket.socket,
    words: Sequence[str],
    environment: Mapping[str, str],
    cwd: Path,
    streams: tuple[int, int, int],
) -> tuple[int, BinaryIO]:
    """The process id of a new process, and where its exit code will be read."""
    request = json.dumps([[*words], dict(environment), str(cwd)]).encode()
    replies, reply = os.pipe()
    socket.send_fds(server, [NUMBER.pack(len(request))], [*streams, reply])
    server.sendall(request)
    os.close(reply)
    ending = os.fdopen(replies, "rb", buffering=0)
    return read_number(ending), ending


@functools.cache
def _server(kind: str) -> ForkServer:
    server = ForkServer(kind)
    atexit.register(server.close)
    return server


def read_number(stream: BinaryIO) -> int:
    data = stream.read(NUMBER.size)
    assert len(data) == NUMBER.size, "the process that forks has ended"
    return int(NUMBER.unpack(data)[0])


def serve(requests: socket.socket, listener: socket.socket) -> list[str]:
    """Return in each process that is to be one command, with its words; the server itself never returns."""
    while True:
        source = requests
        if requests not in select.select([requests, listener], [], [])[0]:
            source, _ = listener.accept()
        head, handed, _, _ = socket.recv_fds(source, NUMBER.size, 4)
        if not head:
            sys.exit()
        data = b""
        while len(data) < NUMBER.unpack(head)[0]:
            data += source.recv(1 << 16)
        if source is not requests:
            source.close()
        if os.fork() == 0:  # keeps the command company, so that several run at once
            requests.close()
            listener.close()
            if (pid := os.fork()) == 0:
                return _become(*json.loads(data), handed)
            for descriptor in handed[:3]:
                os.close(descriptor)
            os.write(handed[3], NUMBER.pack(pid))
            _, status = os.waitpid(pid, 0)
            os.write(handed[3], NUMBER.pack(os.waitstatus_to_exitcode(status)))
            os._exit(0)
        for descriptor in handed:
            os.close(descriptor)
        os.waitpid(-1, os.WNOHANG)  # of those who kept company before, one has ended or will


def _become(words: list[str], environment: dict[str, str], folder: str, handed: list[int]) -> list[str]:
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # the parent has read TMPDIR already
    if looks := os.environ.pop(LOOKS, ""):
        from tests.forked_readers import start_readers

        start_readers()  # to ask for a fork would be a look
        record_looks(Path(looks))
    for place, descriptor in enumerate(handed):
        if place < 3:
            os.dup2(descriptor, place)
        os.close(descriptor)
    # The server's own streams remember of what kind its files were.
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    return words


def record_looks(file: Path) -> None:
    """Write down, a line each, what this process does from now on with sockets that may leave it: names asked
    for, connections, what is sent."""
    written = file.open("a", buffering=1, encoding="utf-8")

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith("socket.") and event not in SILENT_EVENTS:
            written.write(f"{event} {arguments[-1]!r}\n")

    sys.addaudithook(hear)


def load(kind: str) -> Callable[[], None]:
    """Everything that a command may need; nothing that starts a thread or opens a file of a home. Returns
    what each process is to run."""
    from tests.new_homes import copy_schema_into_new_homes

    copy_schema_into_new_homes()
    if kind == "workers":
        import psycopg  # noqa: F401

        from tests.faults import process

        return process.run
    if kind == "readers":
        for name in LOADED_TO_READ:
            __import__(name)
        from shisho.isolation import child

        return child.main
    if kind == "serving":
        from shisho.interfaces.cli.startup import accelerate_imports

        with accelerate_imports():
            for name in LOADED_TO_SERVE:
                __import__(name)
    for name in COMMONLY_LOADED:
        __import__(name)
    from tests.forked_readers import fork_readers

    path = Path(os.environ[READERS])
    fork_readers(lambda: path)
    from shisho.language.terms import analyse

    analyse(["辞書を引く。"])
    from shisho.__main__ import main

    return main


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
    program = load(sys.argv[1])
    gc.freeze()
    sys.argv[1:] = serve(*(socket.socket(fileno=int(number)) for number in sys.argv[2:]))
    end(program)
