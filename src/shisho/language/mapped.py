"""Release of a mapped file's unneeded pages, which then count as the system's cache."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

MAPS = Path("/proc/self/maps")
_DONTNEED = 4  # asm-generic/mman-common.h: a page that is read again comes from the cache again


def release_mapped(name: str) -> None:
    """Release the pages of read-only mapped files with this name. Works on Linux only."""
    if sys.platform != "linux":
        return
    for start, end in _read_ranges(name):
        _load_madvise()(start, end - start, _DONTNEED)


def _read_ranges(name: str) -> Iterator[tuple[int, int]]:
    try:
        lines = MAPS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        place, rights, _ = line.split(None, 2)
        if rights.startswith("r--") and line.endswith(f"/{name}"):
            start, _, end = place.partition("-")
            yield int(start, 16), int(end, 16)


@cache
def _load_madvise() -> Any:
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return advise
