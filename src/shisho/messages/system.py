"""Messages for errors of Python and of the system with files and addresses, by error number: their own words
are in one language alone."""

from __future__ import annotations

import errno
import socket
from collections.abc import Mapping

from shisho.messages.message import Message
from shisho.messages.syntax import describe_syntax_error

REASONS: Mapping[int, Message] = {
    errno.ENOENT: Message("system.not_found"),
    errno.EACCES: Message("system.permission_denied"),
    errno.EPERM: Message("system.permission_denied"),
    errno.EEXIST: Message("system.exists"),
    errno.ENOTDIR: Message("system.not_a_folder"),
    errno.EISDIR: Message("system.is_folder"),
    errno.ENOTEMPTY: Message("system.not_empty"),
    errno.ENAMETOOLONG: Message("system.name_too_long"),
    errno.ELOOP: Message("system.link_loop"),
    errno.EMFILE: Message("system.too_many_files"),
    errno.ENFILE: Message("system.too_many_files"),
    errno.ENOSPC: Message("system.disk_full"),
    errno.EDQUOT: Message("system.disk_quota"),
    errno.EROFS: Message("system.read_only"),
    errno.EIO: Message("system.disk_failed"),
    errno.ENXIO: Message("system.no_device"),
    errno.EADDRINUSE: Message("system.address_in_use"),
    errno.EADDRNOTAVAIL: Message("system.address_unavailable"),
    errno.ECONNREFUSED: Message("system.refused"),
    errno.ECONNRESET: Message("system.connection_broken"),
    errno.EPIPE: Message("system.connection_broken"),
    errno.ETIMEDOUT: Message("system.timeout"),
    errno.EHOSTUNREACH: Message("system.unreachable"),
    errno.ENETUNREACH: Message("system.unreachable"),
}
NAMES: Mapping[int, Message] = {
    socket.EAI_NONAME: Message("system.unknown_name"),
    socket.EAI_AGAIN: Message("system.dns_failed"),
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
