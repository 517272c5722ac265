"""Errors in the format of every interface: `{ok: false, code, message, message_id, details, error_id}`."""

from __future__ import annotations

import errno
import uuid
from typing import Any

from shisho.errors import Conflict, InternalError, ShishoError, StorageUnusable
from shisho.language.normalise import strip_unseen
from shisho.messages import Message
from shisho.messages.catalogue import render, render_all
from shisho.messages.system import explain_error
from shisho.telemetry import log

FULL = (errno.ENOSPC, errno.EDQUOT)
CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ENOTDIR, errno.ENXIO)


def find_disk_error(error: OSError) -> ShishoError | None:
    """Translate an error of the file system for a user; None if the user cannot fix it."""
    if error.errno in FULL:
        return Conflict("storage.disk_full")
    if error.errno in CLOSED:
        where = f"{error.filename}: " if error.filename else ""
        return StorageUnusable("storage.no_right", where=where, why=explain_error(error))
    return None


def to_shisho_error(error: Exception) -> ShishoError:
    """Return the error for the user: file system errors translated, internal errors without details."""
    if isinstance(error, ShishoError):
        return error
    if isinstance(error, OSError) and (cause := find_disk_error(error)) is not None:
        return cause
    error_id = uuid.uuid4().hex[:12]
    log.error(Message("internal.logged", error_id=error_id), exc_info=error)
    return InternalError("internal.failed", error_id=error_id)


def describe_error(raised: Exception) -> dict[str, Any]:
    """Describe the error for the user. Internal errors are logged under an id, without being shown."""
    error = to_shisho_error(raised)
    error_id = error.details.get("error_id") or uuid.uuid4().hex[:12]
    details = {
        name: strip_unseen(value) if isinstance(value, str) else render_all(value)
        for name, value in error.details.items()
    }
    message = strip_unseen(render(error.message))
    return {
        "ok": False,
        "code": error.code,
        "message": message,
        "message_id": error.message_id,
        "details": details,
        "error_id": error_id,
    }
