"""Children that run a function over bytes within limits; one is killed when it overruns and replaced when it
breaks."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from shisho.domain.codec import to_plain
from shisho.errors import InternalError, ShishoError
from shisho.isolation import wire
from shisho.isolation.telling import Hearer, Tell, tell_nobody
from shisho.isolation.wire import ChildBroken, ChildExhausted
from shisho.messages.message import Message
from shisho.telemetry import log

__all__ = ["ChildBroken", "ChildExhausted", "ChildOverrun", "Killable", "Work"]

T = TypeVar("T")

START_SECONDS = 60.0
LAST_SECONDS = 5.0  # what a child whose pipe is closed may take to end
# Seconds by the clock for each second of computing: who sleeps is noticed, who waits for a processor comes to
# no harm.
PATIENCE = 20
GROWTH = 4  # times its input, but at least a reply, is the most that an answer in parts may hold
SLICE = 256 * 1024
MOST_WORK = 100  # pieces one child does: what a library leaks ends with it


class ChildOverrun(Exception):
    """The function computed for longer than it may, or did nothing for far longer."""


@dataclass(frozen=True, slots=True)
class Work:
    """A pure function over bytes by its name, `module:function`, called in the child as function(data,
    **given); what it returns is made JSON-ready by `pack`, a name too. `given` is JSON-ready. `seconds` are
    of computing, not by the clock. `progress_seconds`: the function is also given `tell`, to say how far it
    is, and is heard once in so many seconds; None: it tells nothing."""

    function: str
    pack: str
    given: Mapping[str, Any]
    seconds: float
    memory_mb: int
    progress_seconds: float | None = None


class Killable:
    """At most `children` pieces of work at once, each in a process of its own. Belongs to one event loop.

    `reasons` are the errors that a function may raise on purpose. `environment` is the children's; without it
    they get the parent's, secrets and all."""

    def __init__(
        self,
        reasons: tuple[type[ShishoError], ...],
        environment: Mapping[str, str] | None = None,
        children: int = 1,
    ) -> None:
        self._reasons = reasons
        self._children = [_Child(environment) for _ in range(children)]
        # Last in, first out: a further child is started only when all before it are at work.
        self._free: asyncio.LifoQueue[_Child] = asyncio.LifoQueue()
        for child in reversed(self._children):
            self._free.put_nowait(child)

    async def run(self, work: Work, data: bytes, make: Callable[[Any], T]) -> T:
        """Run the function in the child and give its result, as `make` makes it of JSON data; `make`
        raises ValueError or TypeError on nonsense. Raises what `parts` raises."""
        (whole, *rest) = await self.read_parts(work, data, make)
        if rest:
            raise ChildBroken("")
        return whole

    async def read_parts(
        self, work: Work, data: bytes, make: Callable[[Any], T], notify: Tell = tell_nobody
    ) -> list[T]:
        """The same for a function whose `pack` gives a long answer in parts, so that no process holds it
        twice. `notify` hears how many steps are done, of how many, where the work tells.

        Raises one of `reasons`, ChildOverrun, Exhausted, Broken, or InternalError where no child can be
        started at all."""
        child = await self._free.get()
        try:
            answer = await child.answer(work, data, make, self._reasons, notify)
        finally:
            self._free.put_nowait(child)
        if isinstance(answer, ShishoError):
            raise answer
        return answer

    async def close(self) -> None:
        """End the children, each after the work it has begun."""
        taken = [await self._free.get() for _ in self._children]
        for child in taken:
            await child.kill()
            self._free.put_nowait(child)


class _Child:
    """One process, started when it is needed."""

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
        hearer = Hearer(lambda done, total: loop.call_soon(notify, done, total), work.progress_seconds)
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
            await _ask(await self._ready(work), data, work.seconds, take)
            return parts
        except _Reason as reason:
            return reason.reason
        except BaseException:
            # Cancelled, broken or lying: what this process says next cannot be trusted.
            await self.kill()
            raise

    async def kill(self) -> None:
        process = self.process
        self.process = None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        # Reads the pipes to their end, so that no descriptor and no zombie stays behind.
        await asyncio.shield(process.communicate())

    async def _ready(self, work: Work) -> Process:
        """A process that has imported what it needs: only then the clock of the bytes starts.

        One that ends before it was given any says nothing of them: another is tried.
        """
        try:
            return await self._begun(work)
        except InternalError as failure:
            log.warning(Message("child.did_not_start", why=repr(failure.__cause__)))
            await self.kill()
            return await self._begun(work)

    async def _begun(self, work: Work) -> Process:
        if self._done >= MOST_WORK or (self.process and self.process.returncode is not None):
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
        # In a group of its own: a terminal sends Ctrl-C to a whole group, and what a child reads would be
        # called unreadable.
        apart: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}
        return await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=self._environment, **apart
        )


class _Reason(Exception):
    """The function said why it cannot; its process is as good as before."""

    def __init__(self, reason: ShishoError) -> None:
        super().__init__(reason)
        self.reason = reason


async def _ask(
    process: Process, data: bytes, seconds: float, take: Callable[[bytes], Awaitable[bool]]
) -> None:
    """`take` is given each reply and says whether another comes."""
    try:
        async with asyncio.timeout(seconds * PATIENCE):
            await _send(process, data)
            while await take(await _receive(process)):
                pass
    except TimeoutError as overrun:
        raise ChildOverrun from overrun
    except (EOFError, OSError) as broken:
        with suppress(TimeoutError):  # it may have closed its pipe and live on
            await asyncio.wait_for(process.wait(), LAST_SECONDS)
        if sys.platform != "win32" and process.returncode in (-signal.SIGPROF, -signal.SIGXCPU):
            raise ChildOverrun from broken
        raise ChildBroken("") from broken


async def _send(process: Process, payload: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(wire.LENGTH.pack(len(payload)))
    view = memoryview(payload)
    for start in range(0, len(payload), SLICE):  # what is written at once is copied
        process.stdin.write(view[start : start + SLICE])
        await process.stdin.drain()


async def _receive(process: Process) -> bytes:
    """Raises EOFError when the child ended, or announces more than it may send."""
    assert process.stdout is not None
    (size,) = wire.LENGTH.unpack(await process.stdout.readexactly(wire.LENGTH.size))
    if size > wire.MAX_REPLY:
        raise EOFError("reply too large")
    return await process.stdout.readexactly(size)
