"""The output streams of a command.

UTF-8 everywhere, discarded if closed, with a typed error when full.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from shisho.errors import StorageUnusable
from shisho.messages.system import explain_error


class OutputUnwritable(OSError):
    """An error of the output stream. Other errors without a file name concern the home."""


class Output(io.TextIOWrapper):
    """The standard output. A failed write raises OutputUnwritable once.

    Later output is discarded.
    """

    def write(self, text: str, /) -> int:
        with _detect_failures():
            return super().write(text)

    def flush(self) -> None:
        with _detect_failures():
            super().flush()


@contextmanager
def _detect_failures() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader closed the pipe
        raise
    except OSError as error:
        sys.stdout = _open_devnull()  # or the interpreter would write again at exit
        raise OutputUnwritable(error.errno, error.strerror) from error


def open_streams() -> None:
    """Set up the streams of the process."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout is sys.__stdout__:
        is_terminal = sys.stdout.isatty()
        sys.stdout = Output(
            sys.stdout.detach(), encoding="utf-8", errors="replace", line_buffering=is_terminal
        )
    elif isinstance(sys.stdout, io.TextIOWrapper):  # for a program that calls `main` itself
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    elif sys.stdout is None:
        sys.stdout = _open_devnull()
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="replace")
    elif sys.stderr is None:
        sys.stderr = _open_devnull()


def to_storage_error(error: OutputUnwritable) -> StorageUnusable:
    """Return the error that is shown to the user."""
    return StorageUnusable("output.not_writable", why=explain_error(error))


def _open_devnull() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")
