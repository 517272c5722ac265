"""Detection and reporting of damaged index files.

An index is derived, so it is rebuilt and nothing fails.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shisho.messages import Message
from shisho.telemetry import log

META = "meta.json"
MANAGED = ".managed.json"  # the names of all files that tantivy has created in the folder
LOOKED_AT = 32 << 20  # bytes to verify whenever an index is opened: a few milliseconds
MAGIC = 1337  # the last four bytes of tantivy's files
LENGTH = 4  # bytes of a number in a file's footer


class IndexDamaged(Exception):
    """A file of an index is damaged; the message names it."""


@contextmanager
def notice_damage() -> Iterator[None]:
    """Convert tantivy's errors about damaged files to IndexDamaged.

    tantivy may also panic, and a panic is not an Exception.
    """
    try:
        yield
    except ValueError as error:
        raise IndexDamaged(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise IndexDamaged(str(error)) from error


def log_rebuild(folder: Path, file: str) -> None:
    """Log once, in the reader's language, that a damaged index is being rebuilt."""
    log.warning(
        Message(
            "index.damaged",
            folder=folder,
            file=file,
        )
    )


def log_other_history(folder: Path) -> None:
    """Log once, in the reader's language, that the index belongs to another database state."""
    log.warning(
        Message(
            "index.other_state",
            folder=folder,
        )
    )


def find_damage(folder: Path, most_bytes: int | None = None) -> str:
    """Return the name of a damaged file of a tantivy index, or "".

    Skips the check if the files are larger than `most_bytes`. Raises OSError.
    """
    try:
        managed = [str(name) for name in json.loads((folder / MANAGED).read_text("utf-8"))]
    except (ValueError, TypeError):
        return MANAGED
    try:
        fields = json.loads((folder / META).read_text("utf-8"))
        files = [folder / name for name in managed if _is_counted(name, fields["segments"])]
    except (ValueError, KeyError, TypeError):
        return META
    if most_bytes is not None and sum(file.stat().st_size for file in files) > most_bytes:
        return ""
    return next((file.name for file in files if not _is_whole(file.read_bytes())), "")


def _is_counted(name: str, segments: Any) -> bool:
    """Return True for a file of a current segment; leftovers of a killed writer belong to none."""
    begun, _, end = name.partition(".")
    for segment in segments:
        if segment["segment_id"].replace("-", "") == begun:
            deletes = segment["deletes"]
            return not end.endswith("del") or bool(deletes and end == f"{deletes['opstamp']}.del")
    return False


def _is_whole(data: bytes) -> bool:
    """Return True if the checksum at the end of a file matches its content."""
    end = len(data) - 2 * LENGTH
    length, magic = (int.from_bytes(data[at : at + LENGTH], "little") for at in (end, end + LENGTH))
    if magic != MAGIC or not 0 < length <= end:
        return False
    try:
        written = json.loads(data[end - length : end])["crc"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(zlib.crc32(data[: end - length]) == written)
