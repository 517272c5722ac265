"""Start each new library of the tests from a copy of one migrated database: the schema scripts take 65 ms of
CPU, the copy one."""

from __future__ import annotations

import functools
import os
import threading
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from shisho.stores.embedded import home

make_home = home.make


def copy_schema_into_new_homes() -> None:
    """Let every database that this process and its forks create begin as a copy of `empty_database`."""
    empty_database()
    home.make = make_with_schema


@functools.cache
def empty_database() -> bytes:
    """Return the file of a database that has run every schema script and has no rows."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "shisho.db")
        make_home(path)
        with closing(home.connect(path, readonly=False)) as connection:
            home.migrate(connection, path)
        return path.read_bytes()


def make_with_schema(path: Path) -> None:
    """Create a missing folder and a database with the schema. Raises OSError."""
    if not path.exists():
        with suppress(OSError):  # the original finds the same reason
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            copy = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
            try:
                copy.touch(0o600)
                copy.write_bytes(empty_database())
                path.hardlink_to(copy)  # complete, or not there yet for another process
            finally:
                copy.unlink(missing_ok=True)
    make_home(path)
