"""Let children that read untrusted bytes be forked from one that has loaded the readers: an interpreter that
loads the reader of pages takes .25 CPU seconds, and each library that reads a page needs one."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from shisho.isolation.killable import _Child
from tests import forkserver

start_interpreter = _Child._spawn
PYTHONPATH = os.environ.get("PYTHONPATH")


class ForkedReader:
    """A child that runs: as much of `asyncio.subprocess.Process` as `Killable` asks for."""

    def __init__(
        self, pid: int, stdout: asyncio.StreamReader, stdin: asyncio.StreamWriter, ending: BinaryIO
    ) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.returncode: int | None = None
        self._ending = ending
        self._ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(ending, self._end)

    def _end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._ending)
        with self._ending:
            self.returncode = forkserver.read_number(self._ending)
        self._ended.set()

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    async def wait(self) -> int | None:
        await self._ended.wait()
        return self.returncode

    async def communicate(self) -> None:
        """Close its input, and wait for its end."""
        self.stdin.close()
        with suppress(OSError):
            await self.stdin.wait_closed()
        await self.wait()


def fork_readers(find_server: Callable[[], Path]) -> None:
    """Fork the children of this process that read untrusted bytes, except with another PYTHONPATH."""

    async def spawn(child: _Child) -> Any:
        environment = os.environ if child._environment is None else child._environment
        if environment.get("PYTHONPATH") != PYTHONPATH:
            return await start_interpreter(child)
        pid, connection, ending = forkserver.start_reader(find_server(), environment)
        stdout, stdin = await asyncio.open_connection(sock=connection)
        return ForkedReader(pid, stdout, stdin, ending)

    _Child._spawn = spawn  # type: ignore[assignment, method-assign]


def start_readers() -> None:
    """Start an interpreter for each of these children from now on, as Shisho does."""
    _Child._spawn = start_interpreter  # type: ignore[method-assign]
