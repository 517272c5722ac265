"""Homes that cannot be used as they are, each spoilt in one way, on real file systems."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from shisho.bootstrap.library import build_library
from shisho.domain.corpus import Source
from shisho.settings import load

TEXT = "灯台の高さは三十二メートルである。霧笛は明治四十二年に据え付けられた。\n\n" * 40
SPOILT = ["damaged header", "cut in half", "newer", "a file", "read-only"]


async def furnish(home: Path) -> None:
    """A home with three documents."""
    library = build_library(load(home=home))
    for name in ("灯台", "港", "岬"):
        await library.documents.add_source(Source(f"{name}.txt", f"{name}について。{TEXT}".encode()))
    await library.documents.search(["灯台"])
    await library.close()


@contextmanager
def spoilt(home: Path, how: str) -> Iterator[Path]:
    """The furnished home, spoilt."""
    path = home / "shisho.db"
    if how == "read-only":
        with mounted(home, "bind", "--bind", str(home)):
            mount("-o", "remount,ro,bind", str(home))
            yield home
        return
    if how == "damaged header":
        path.write_bytes(bytes(100) + path.read_bytes()[100:])
    elif how == "cut in half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif how == "newer":
        with closing(apsw.Connection(str(path))) as connection:
            connection.execute("INSERT INTO migrations VALUES ('9999_of_tomorrow.sql', '2030-01-01')")
    elif how == "a file":
        home.rename(home.with_name("moved"))
        home.write_text("no folder")
    yield home


@contextmanager
def mounted(folder: Path, *words: str) -> Iterator[Path]:
    """Something mounted on a folder; skipped where that is not allowed."""
    mount(*(words[1:] if words[0] == "bind" else words), str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def mount(*words: str) -> None:
    if sys.platform != "linux" or subprocess.run(["mount", *words], capture_output=True).returncode:
        pytest.skip("a file system can be mounted by root only")


def scribble(path: Path, page: int, seed: int, size: int = 4096) -> None:
    """Write noise over one page (from 0) of a database."""
    with path.open("r+b") as file:
        file.seek(page * size)
        file.write(random.Random(seed).randbytes(size))
