"""Damage of an index's files: how it is found, and how it is told. An index is derived, so that it is made
anew and nothing fails."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shisho.messages.message import Message
from shisho.telemetry import log

META = "meta.json"
MANAGED = ".managed.json"  # the names of all files that tantivy has made there
LOOKED_AT = 32 << 20  # bytes whose checksums are looked at whenever an index is opened: some milliseconds
MAGIC = 1337  # the last four bytes of what tantivy writes
LENGTH = 4  # bytes of a number in a file's end


class IndexDamaged(Exception):
    """Files of an index are not as they were written; it says which."""


@contextmanager
def notice_damage() -> Iterator[None]:
    """While it is entered, what tantivy raises over files that are not as it wrote them is IndexDamaged. It
    may panic, too, and a panic is no Exception."""
    try:
        yield
    except ValueError as error:
        raise IndexDamaged(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise IndexDamaged(str(error)) from error


def tell_remaking(folder: Path, file: str) -> None:
    """Say once, in the reader's language, why an index takes a while."""
    log.warning(
        Message(
            "index.damaged",
            folder=folder,
            file=file,
        )
    )


def tell_other_history(folder: Path) -> None:
    """Say once, in the reader's language, that a database was put back."""
    log.warning(
        Message(
            "index.other_state",
            folder=folder,
        )
    )


def find_damage(folder: Path, most_bytes: int | None = None) -> str:
    """The name of a file of a tantivy index that is not as it was written; "" for none. `most_bytes`: where
    there are more, nothing is looked at. Raises OSError."""
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
    """True for a file of a segment that counts: what a killed writer left belongs to none."""
    begun, _, end = name.partition(".")
    for segment in segments:
        if segment["segment_id"].replace("-", "") == begun:
            deletes = segment["deletes"]
            return not end.endswith("del") or bool(deletes and end == f"{deletes['opstamp']}.del")
    return False


def _is_whole(data: bytes) -> bool:
    """True where the checksum that a file ends with is that of what stands before."""
    end = len(data) - 2 * LENGTH
    length, magic = (int.from_bytes(data[at : at + LENGTH], "little") for at in (end, end + LENGTH))
    if magic != MAGIC or not 0 < length <= end:
        return False
    try:
        written = json.loads(data[end - length : end])["crc"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(zlib.crc32(data[: end - length]) == written)
