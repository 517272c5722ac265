"""The child process. It does one piece of work at a time, read from stdin.

A frame names the function and its limits; `ready` is the answer once the function is imported. A second frame
contains the bytes; the answer is a value or a reason.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, BinaryIO

from shisho.errors import ShishoError
from shisho.isolation import wire
from shisho.isolation.wire import ProgressSender

LAST = object()


def main() -> None:
    source = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library's output must not end up between the frames
    while frame := _read_frame(source):
        work = json.loads(frame)
        try:
            function, pack = _load(work["function"], work["pack"])
        except ImportError as missing:
            _send(replies, wire.MISSING + str(missing.name or missing).encode())
            return
        _limit(work["seconds"], work["memory_mb"])
        _send(replies, wire.READY)
        data = _read_frame(source)
        arguments = work["given"]
        if work["progress_seconds"] is not None:
            arguments["tell"] = ProgressSender(functools.partial(_send, replies), work["progress_seconds"])
        _count_cpu(work["seconds"])
        for reply in encode_replies(function, pack, data, arguments):
            _send(replies, reply)
        _count_cpu(0)


def encode_replies(
    function: Callable[..., Any],
    pack: Callable[[Any], Any],
    data: bytes,
    arguments: Mapping[str, Any],
) -> Iterator[bytes]:
    """Yield the reply, or one reply for each part if `pack` returns an iterator.

    An error is the last reply.
    """
    try:
        packed = pack(function(data, **arguments))
        parts = packed if isinstance(packed, Iterator) else iter((packed,))
        part = next(parts)
        while part is not LAST:
            following = next(parts, LAST)
            reply = wire.pack(part, more=following is not LAST)
            if len(reply) > wire.MAX_REPLY:
                raise MemoryError
            yield reply
            part = following
    except ShishoError as reason:
        yield wire.pack_reason(reason)
    except Exception as broken:
        # Parsers raise any exception on bad input; all of them mean the same to the person who provided the
        # bytes.
        yield wire.pack_failure(type(broken).__name__)


@functools.cache
def _load(*names: str) -> list[Callable[..., Any]]:
    """Import the named functions.

    Imported objects are never garbage; scanning them would take a quarter of the time.
    """
    gc.disable()
    named = [_find_function(name) for name in names]
    gc.freeze()
    gc.enable()
    return named


def _find_function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    target: Callable[..., Any] = getattr(import_module(module), function)
    return target


def _count_cpu(seconds: float) -> None:
    """Terminate this process by a signal after so many seconds of CPU time; 0 stops the timer.

    Waiting for a processor does not count: on a busy machine a good file takes longer through no fault of its
    own.
    """
    if hasattr(signal, "setitimer"):  # Windows: the parent's clock is the only limit
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit(seconds: float, memory_mb: int) -> None:
    """Set the kernel's own limits of CPU time and memory.

    They are in whole seconds, in case a library replaces the signal handler of `_count_cpu`.
    """
    try:
        import resource
    except ImportError:  # Windows: the parent's clock is the only limit
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(used.ru_utime + used.ru_stime + seconds) + 2
    for limit, value in (
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_AS, memory_mb * 2**20),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(limit, (value, resource.getrlimit(limit)[1]))
        except (ValueError, OSError):  # macOS refuses some
            continue


def _read_frame(source: BinaryIO) -> bytes:
    head = source.read(wire.LENGTH.size)
    return source.read(wire.LENGTH.unpack(head)[0]) if len(head) == wire.LENGTH.size else b""


def _send(target: BinaryIO, payload: bytes) -> None:
    target.write(wire.pack_frame(payload))
    target.flush()


if __name__ == "__main__":
    main()
