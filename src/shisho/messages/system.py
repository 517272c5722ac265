"""Messages for errors of Python and of the system with files and addresses, by error number: their own words
are in one language alone."""

from __future__ import annotations

import errno
import socket
from collections.abc import Mapping

from shisho.messages.message import Message
from shisho.messages.syntax import describe_syntax_error

REASONS: Mapping[int, Message] = {
    errno.ENOENT: Message("there is no such file or folder"),
    errno.EACCES: Message("permission denied"),
    errno.EPERM: Message("permission denied"),
    errno.EEXIST: Message("it exists already"),
    errno.ENOTDIR: Message("a part of the path is no folder"),
    errno.EISDIR: Message("it is a folder"),
    errno.ENOTEMPTY: Message("the folder is not empty"),
    errno.ENAMETOOLONG: Message("the name is too long"),
    errno.ELOOP: Message("its links lead in a circle"),
    errno.EMFILE: Message("too many files are open"),
    errno.ENFILE: Message("too many files are open"),
    errno.ENOSPC: Message("the disk is full"),
    errno.EDQUOT: Message("the quota of the disk is spent"),
    errno.EROFS: Message("the disk is read-only"),
    errno.EIO: Message("the disk does not answer"),
    errno.ENXIO: Message("there is no such device"),
    errno.EADDRINUSE: Message("another program uses it"),
    errno.EADDRNOTAVAIL: Message("this machine has no such address"),
    errno.ECONNREFUSED: Message("connection refused"),
    errno.ECONNRESET: Message("connection broken off"),
    errno.EPIPE: Message("connection broken off"),
    errno.ETIMEDOUT: Message("no answer in time"),
    errno.EHOSTUNREACH: Message("no way leads there"),
    errno.ENETUNREACH: Message("no way leads there"),
}
NAMES: Mapping[int, Message] = {
    socket.EAI_NONAME: Message("no such name is known"),
    socket.EAI_AGAIN: Message("the name servers do not answer"),
}


def reason_of(error: Exception) -> str:
    """Why it was refused: an error of ours as it says it, another with no full stop; in its own words where
    ours have none."""
    message = getattr(error, "message", None)
    if isinstance(message, Message):
        return message
    if isinstance(error, socket.gaierror):
        return NAMES.get(error.errno or 0) or error.strerror or str(error)
    if isinstance(error, OSError):
        number = errno.ETIMEDOUT if isinstance(error, TimeoutError) else error.errno or 0
        return REASONS.get(number) or error.strerror or str(error)
    known = describe_syntax_error(error) if isinstance(error, ValueError) else None
    return known or str(error)
