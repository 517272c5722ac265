"""Functions over bytes as children run them: some honest, the others as bad as hostile bytes can make
them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import Any

from shisho.errors import Conflict, ParserFailed
from shisho.isolation import wire
from shisho.isolation.wire import Tell


def same(value: Any) -> Any:
    return value


def echo(data: bytes, twice: bool = False) -> str:
    return data.decode() * (1 + twice)


def naps(data: bytes) -> int:
    time.sleep(float(data))
    return os.getpid()


def computes(data: bytes) -> float:
    """CPU seconds, as many as the bytes say."""
    began = time.process_time()
    while time.process_time() - began < float(data):
        pass
    return time.process_time() - began


def environment(data: bytes) -> list[str]:
    return sorted(os.environ)


def refuses(data: bytes) -> None:
    raise ParserFailed(
        "この形は\x1b[31m知らない。", engine="bing", status=200, made={"of": "more"}, long="x" * 9_999
    )


def presumes(data: bytes) -> None:
    raise Conflict("not among the reasons")


def hangs(data: bytes, **_: Any) -> None:
    time.sleep(60)


def hangs_in_c(data: bytes) -> None:
    """As a C parser does that holds the interpreter's lock."""
    ctypes.PyDLL(None).sleep(60)


def spins(data: bytes, **_: Any) -> None:
    while True:
        pass


def eats(data: bytes, **_: Any) -> None:
    eaten = []
    while True:
        eaten.append(bytearray(2**24))


def answers_too_much(data: bytes) -> str:
    return "x" * (wire.MAX_REPLY + 1)


def raises(data: bytes, **_: Any) -> None:
    raise RecursionError


def dies(data: bytes, **_: Any) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def exits(data: bytes) -> None:
    os._exit(0)


def shouts(data: bytes) -> None:
    os.write(1, b"noise")
    raise RuntimeError


def closes(data: bytes) -> None:
    os.closerange(3, 99)
    time.sleep(60)


def lies(data: bytes, **_: Any) -> dict[str, int]:
    return {"hits": 3}


def lies_at_length(data: bytes) -> None:
    wire.pack_frame = lambda payload: b"\xff" * 8  # type: ignore[assignment]
    raise RuntimeError


def tells(data: bytes, tell: Tell) -> str:
    """How far it is after each step, of as many as the bytes say; a step takes a moment."""
    total = int(data)
    for done in range(1, total + 1):
        time.sleep(0.001)
        tell(done, total)
    return "told"


def tells_without_end(data: bytes, tell: Tell) -> None:
    while True:
        os.write(3, wire.pack_frame(wire.pack_progress(1, 2)))


def tells_unasked(data: bytes) -> str:
    os.write(3, wire.pack_frame(wire.pack_progress(1, 2)))
    return "told"


def tells_words(data: bytes, **_: Any) -> str:
    """What the bytes say, in place of how far it is."""
    os.write(3, wire.pack_frame(data))
    return "told"


def leaves_words(data: bytes) -> None:
    """A reply before the reply, for whoever asks next."""
    os.write(3, b"\0" * 8)
    os.write(3, b"\0" * 8)
