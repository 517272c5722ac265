"""The Reader of the house: parsing happens in a child process that is killed when it overruns and replaced when it breaks."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from contextlib import suppress

from shisho.corpus.readers import media, wire
from shisho.domain.corpus import Reading, Source
from shisho.errors import DocumentUnreadable, Internal, TooLarge
from shisho.telemetry import log

HTML_SECONDS = 5.0
START_SECONDS = 60.0
FILES_PER_CHILD = 100


class KillableReader:
    """Reads one file at a time within `seconds` (HTML: at most 5), `memory_mb` and `max_bytes`. Belongs to one event loop.

    `environment` is the child's; without it the child gets the parent's, secrets and all."""

    def __init__(self, seconds: float, memory_mb: int, max_bytes: int, environment: Mapping[str, str] | None = None) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._max_bytes = max_bytes
        self._environment = environment
        self._turn = asyncio.Lock()
        self._child: Process | None = None
        self._files = 0

    async def read(self, source: Source) -> Reading:
        """Raises an `UnusableDocument` that says why, or Internal when no child can be started at all."""
        if len(source.data) > self._max_bytes:
            raise TooLarge(f"The file is larger than {self._max_bytes / 2**20:g} MB: split it or raise max_file_mb.")
        kind = media.sniff(source.name, source.data, source.media_type)
        seconds = min(HTML_SECONDS, self._seconds) if kind == media.HTML else self._seconds
        async with self._turn:
            try:
                child = await self._ready(kind, seconds, source.password)
                reply = await self._ask(child, source.data, seconds)
                answer = await asyncio.to_thread(wire.unpack, reply)
            except BaseException:
                # Cancelled, broken or lying: what this child says next cannot be trusted.
                await self._kill()
                raise
            if isinstance(answer, Reading):
                return answer
            if answer.details.get("parser_failed"):
                await self._kill()
            raise answer

    async def close(self) -> None:
        async with self._turn:
            await self._kill()

    async def _ready(self, kind: str, seconds: float, password: str | None) -> Process:
        """A child that has imported what it needs: only then the clock of the file starts.

        One that ends before it was given a file says nothing of the file: another is tried.
        """
        try:
            return await self._begun(kind, seconds, password)
        except Internal as failure:
            log.warning("a reading process did not start (%r); trying another", failure.__cause__)
            await self._kill()
            return await self._begun(kind, seconds, password)

    async def _begun(self, kind: str, seconds: float, password: str | None) -> Process:
        if self._files >= FILES_PER_CHILD or (self._child and self._child.returncode is not None):
            await self._kill()
        if self._child is None:
            self._child = await self._spawn()
            self._files = 0
        self._files += 1
        asked = {"media": kind, "seconds": seconds, "memory_mb": self._memory_mb, "password": password}
        try:
            async with asyncio.timeout(START_SECONDS):
                await _send(self._child, json.dumps(asked).encode())
                reply = await _receive(self._child)
        except (TimeoutError, EOFError, OSError) as failure:
            raise Internal("The reading process does not start: reinstall Shisho, or run `shisho doctor`.") from failure
        if reply.startswith(wire.MISSING):
            name = reply.removeprefix(wire.MISSING).decode("utf-8", "replace")[:200]
            raise Internal(f"A part of the reader for {kind} is not installed ({name}): reinstall Shisho.")
        if reply != b"ready":
            raise Internal("The reading process answers nonsense: reinstall Shisho.")
        return self._child

    async def _spawn(self) -> Process:
        # -P: a file named json.py in the folder of documents must not be imported.
        command = (sys.executable, "-P", "-m", "shisho.corpus.readers.child")
        return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=self._environment)

    async def _ask(self, child: Process, data: bytes, seconds: float) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                await _send(child, data)
                return await _receive(child)
        except TimeoutError as overrun:
            raise _overrun(seconds) from overrun
        except (EOFError, OSError) as broken:
            with suppress(TimeoutError):  # it may have closed its pipe and live on
                await asyncio.wait_for(child.wait(), 1.0)
            if sys.platform != "win32" and child.returncode == -signal.SIGXCPU:
                raise _overrun(seconds) from broken
            raise DocumentUnreadable(
                "The file broke its reader: it is damaged, or it needs more memory than allowed."
            ) from broken

    async def _kill(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        with suppress(ProcessLookupError):
            child.kill()
        # Reads the pipes to their end, so that no descriptor and no zombie stays behind.
        await asyncio.shield(child.communicate())


async def _send(child: Process, payload: bytes) -> None:
    assert child.stdin is not None
    child.stdin.write(wire.frame(payload))
    await child.stdin.drain()


async def _receive(child: Process) -> bytes:
    """Raises EOFError when the child ended, or announces more than it may send."""
    assert child.stdout is not None
    (size,) = wire.LENGTH.unpack(await child.stdout.readexactly(wire.LENGTH.size))
    if size > wire.MAX_REPLY:
        raise EOFError("reply too large")
    return await child.stdout.readexactly(size)


def _overrun(seconds: float) -> TooLarge:
    return TooLarge(f"Reading took longer than {seconds:g} s: split the file or raise reader_seconds.")
