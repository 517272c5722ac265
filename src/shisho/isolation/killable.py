"""Child processes that run a function over bytes within limits.

A child is killed if it exceeds a limit, and replaced if it breaks.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from shisho.domain.codec import to_plain
from shisho.errors import InternalError, ShishoError
from shisho.isolation import wire
from shisho.isolation.wire import ChildBroken, ChildExhausted, ProgressReceiver, Tell, discard_progress
from shisho.messages import Message
from shisho.records import dataclass
from shisho.telemetry import log

__all__ = ["ChildBroken", "ChildExhausted", "ChildOverrun", "Killable", "Work"]

T = TypeVar("T")

START_SECONDS = 60.0
LAST_SECONDS = 5.0  # the time a child may take to exit after its pipe is closed
# Wall-clock seconds allowed for each second of CPU time: a sleeping child is detected, and waiting for a
# processor does no harm.
PATIENCE = 20
GROWTH = 4  # limit of an answer in parts, as a multiple of its input (at least one reply)
SLICE = 256 * 1024
MAX_WORK = 100  # pieces of work per child: a library's leaks end with it


class ChildOverrun(Exception):
    """The function exceeded its CPU time, or was idle for far longer."""


@dataclass(frozen=True, slots=True)
class Work:
    """A pure function over bytes, by its name `module:function`.

    The child calls it as function(data, **given); `pack`, also a name, makes its result JSON-ready. `given`
    is JSON-ready. `seconds` are CPU time, not wall-clock time. `progress_seconds`: the function also gets
    a `tell` argument for reporting progress, at most once in this interval; None: no progress.
    """

    function: str
    pack: str
    given: Mapping[str, Any]
    seconds: float
    memory_mb: int
    progress_seconds: float | None = None


class Killable:
    """A pool of at most `children` concurrent child processes. It belongs to one event loop.

    `reasons`: the errors that a function may raise on purpose. `environment`: the children's environment;
    without it they inherit the parent's, including its secrets.
    """

    def __init__(
        self,
        reasons: tuple[type[ShishoError], ...],
        environment: Mapping[str, str] | None = None,
        children: int = 1,
    ) -> None:
        self._reasons = reasons
        self._children = [_Child(environment) for _ in range(children)]
        # Last in, first out: another child is started only when all before it are busy.
        self._free: asyncio.LifoQueue[_Child] = asyncio.LifoQueue()
        for child in reversed(self._children):
            self._free.put_nowait(child)

    async def run(self, work: Work, data: bytes, make: Callable[[Any], T]) -> T:
        """Run the function in a child and return its result, built from JSON data by `make`.

        `make` raises ValueError or TypeError on invalid data. Raises as `read_parts` does.
        """
        (whole, *rest) = await self.read_parts(work, data, make)
        if rest:
            raise ChildBroken("")
        return whole

    async def read_parts(
        self, work: Work, data: bytes, make: Callable[[Any], T], notify: Tell = discard_progress
    ) -> list[T]:
        """Run a function whose `pack` returns a long answer in parts, and return the parts.

        No process then holds the answer twice. `notify` receives the steps done and their total, if the work
        reports them.

        Raises:
            ChildOverrun, ChildExhausted, ChildBroken, InternalError: InternalError means that no child can be
            started. One of `reasons` may also be raised.
        """
        child = await self._free.get()
        try:
            answer = await child.answer(work, data, make, self._reasons, notify)
        finally:
            self._free.put_nowait(child)
        if isinstance(answer, ShishoError):
            raise answer
        return answer

    async def close(self) -> None:
        """Terminate the children, each after its current work."""
        taken = [await self._free.get() for _ in self._children]
        for child in taken:
            await child.kill()
            self._free.put_nowait(child)


class _Child:
    """A child process, started on demand."""

    def __init__(self, environment: Mapping[str, str] | None) -> None:
        self._environment = environment
        self._done = 0
        self.process: Process | None = None

    async def answer(
        self,
        work: Work,
        data: bytes,
        make: Callable[[Any], T],
        reasons: tuple[type[ShishoError], ...],
        notify: Tell,
    ) -> list[T] | ShishoError:
        parts: list[T] = []
        loop = asyncio.get_running_loop()
        hearer = ProgressReceiver(
            lambda done, total: loop.call_soon(notify, done, total), work.progress_seconds
        )
        remaining = max(wire.MAX_REPLY, GROWTH * len(data))

        async def take(reply: bytes) -> bool:
            nonlocal remaining
            if (steps := wire.read_progress(reply)) is not None:
                hearer.hear(*steps)
                return True
            remaining -= len(reply)
            if remaining < 0:
                raise ChildExhausted
            part, more = await asyncio.to_thread(wire.unpack, reply, make, reasons)
            if isinstance(part, ShishoError):
                raise _Reason(part)
            parts.append(part)
            return more

        try:
            await _ask(await self._prepare_process(work), data, work.seconds, take)
            return parts
        except _Reason as reason:
            return reason.reason
        except BaseException:
            # Cancelled, broken or lying: this process's further output cannot be trusted.
            await self.kill()
            raise

    async def kill(self) -> None:
        process = self.process
        self.process = None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        # Read the pipes to the end, so that no descriptor and no zombie is left.
        await asyncio.shield(process.communicate())

    async def _prepare_process(self, work: Work) -> Process:
        """Return a process that has imported the function.

        The clock of the bytes starts only then. A process that exits before it got any bytes proves nothing
        about them: another is tried.
        """
        try:
            return await self._start_process(work)
        except InternalError as failure:
            log.warning(Message("child.did_not_start", why=repr(failure.__cause__)))
            await self.kill()
            return await self._start_process(work)

    async def _start_process(self, work: Work) -> Process:
        if self._done >= MAX_WORK or (self.process and self.process.returncode is not None):
            await self.kill()
        if self.process is None:
            self.process = await self._spawn()
            self._done = 0
        self._done += 1
        try:
            async with asyncio.timeout(START_SECONDS):
                await _send(self.process, json.dumps(to_plain(work)).encode())
                reply = await _receive(self.process)
        except (TimeoutError, EOFError, OSError) as failure:
            raise InternalError("child.cannot_start") from failure
        if reply.startswith(wire.MISSING):
            name = reply.removeprefix(wire.MISSING).decode("utf-8", "replace")[:200]
            raise InternalError(
                "child.package_missing",
                function=work.function,
                name=name,
            )
        if reply != wire.READY:
            raise InternalError("child.bad_reply")
        return self.process

    async def _spawn(self) -> Process:
        # -P: a file named json.py in the folder of documents must not be imported.
        command = (sys.executable, "-P", "-m", "shisho.isolation.child")
        # In its own process group: a terminal sends Ctrl-C to a whole group, and the child's document would
        # be reported as unreadable.
        apart: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}
        return await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=self._environment, **apart
        )


class _Reason(Exception):
    """The function raised a reason on purpose; its process is still usable."""

    def __init__(self, reason: ShishoError) -> None:
        super().__init__(reason)
        self.reason = reason


async def _ask(
    process: Process, data: bytes, seconds: float, take: Callable[[bytes], Awaitable[bool]]
) -> None:
    """Send the data, and pass replies to `take` until it returns False."""
    try:
        async with asyncio.timeout(seconds * PATIENCE):
            await _send(process, data)
            while await take(await _receive(process)):
                pass
    except TimeoutError as overrun:
        raise ChildOverrun from overrun
    except (EOFError, OSError) as broken:
        with suppress(TimeoutError):  # it may have closed its pipe without exiting
            await asyncio.wait_for(process.wait(), LAST_SECONDS)
        if sys.platform != "win32" and process.returncode in (-signal.SIGPROF, -signal.SIGXCPU):
            raise ChildOverrun from broken
        raise ChildBroken("") from broken


async def _send(process: Process, payload: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(wire.LENGTH.pack(len(payload)))
    view = memoryview(payload)
    for start in range(0, len(payload), SLICE):  # each write copies its data
        process.stdin.write(view[start : start + SLICE])
        await process.stdin.drain()


async def _receive(process: Process) -> bytes:
    """Return the next reply.

    Raises:
        EOFError: The child exited, or announces more bytes than it may send.
    """
    assert process.stdout is not None
    (size,) = wire.LENGTH.unpack(await process.stdout.readexactly(wire.LENGTH.size))
    if size > wire.MAX_REPLY:
        raise EOFError("reply too large")
    return await process.stdout.readexactly(size)
