"""The process that parses. One request at a time on stdin: a frame that names the media type and the limits, answered by
`ready` once the parser is imported; then a frame of bytes, answered by a reading or a reason."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import BinaryIO

from shisho.corpus.readers import media, wire
from shisho.domain.corpus import Reading
from shisho.errors import DocumentUnreadable, TooLarge, UnusableDocument

Read = Callable[[bytes, str | None], Reading]
_READERS = {
    media.PDF: "pdf",
    media.HTML: "html",
    media.DOCX: "docx",
    media.PPTX: "pptx",
    media.MARKDOWN: "markdown",
    media.TEXT: "text",
}


def main() -> None:
    source, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints must not end up between the frames
    while request := _frame(source):
        asked = json.loads(request)
        try:
            read: Read = import_module(f"shisho.corpus.readers.{_READERS[asked['media']]}").read
        except ImportError as missing:
            _send(replies, wire.MISSING + str(missing.name or missing).encode())
            return
        _limit(asked["seconds"], asked["memory_mb"])
        _send(replies, b"ready")
        _send(replies, answer(read, _frame(source), asked["password"]))


def answer(read: Read, data: bytes, password: str | None) -> bytes:
    try:
        reply = wire.pack(read(data, password))
        if len(reply) > wire.MAX_REPLY:
            raise TooLarge(f"The file holds more than {wire.MAX_REPLY // 2**20} MB of text: split it.")
        return reply
    except UnusableDocument as reason:
        return wire.pack_error(reason)
    except MemoryError:
        message = "The file needs more memory than a reader may use: raise reader_memory_mb or split it."
        return wire.pack_error(TooLarge(message, parser_failed=True))
    except Exception as broken:
        # Parsers raise whatever they like on bad input; all of it means the same to the person who brought the file.
        message = f"The file is damaged and cannot be read ({type(broken).__name__})."
        return wire.pack_error(DocumentUnreadable(message, parser_failed=True))


def _limit(seconds: float, memory_mb: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: the parent's clock is the only limit
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(used.ru_utime + used.ru_stime + seconds) + 2
    for limit, value in ((resource.RLIMIT_CPU, cpu), (resource.RLIMIT_AS, memory_mb * 2**20), (resource.RLIMIT_CORE, 0)):
        try:
            resource.setrlimit(limit, (value, resource.getrlimit(limit)[1]))
        except (ValueError, OSError):  # macOS refuses some
            continue


def _frame(source: BinaryIO) -> bytes:
    head = source.read(wire.LENGTH.size)
    return source.read(wire.LENGTH.unpack(head)[0]) if len(head) == wire.LENGTH.size else b""


def _send(target: BinaryIO, payload: bytes) -> None:
    target.write(wire.frame(payload))
    target.flush()


if __name__ == "__main__":
    main()
