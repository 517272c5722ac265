"""The streams that a command writes to: UTF-8 everywhere, nowhere where one was closed before, and a typed
error where it takes no more."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from shisho.errors import StorageUnusable
from shisho.messages.system import reason_of


class OutputUnwritable(OSError):
    """The output takes no more. Of other errors without a file it is the home that is meant."""


class Output(io.TextIOWrapper):
    """The standard output: what it does not take raises OutputUnwritable once, and then goes nowhere."""

    def write(self, text: str, /) -> int:
        with _watched():
            return super().write(text)

    def flush(self) -> None:
        with _watched():
            super().flush()


@contextmanager
def _watched() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # who reads it has seen enough
        raise
    except OSError as error:
        sys.stdout = _open_nowhere()  # else the interpreter tries at its end, too
        raise OutputUnwritable(error.errno, error.strerror) from error


def open_streams() -> None:
    """Take the streams of the process into use."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout is sys.__stdout__:
        is_terminal = sys.stdout.isatty()
        sys.stdout = Output(
            sys.stdout.detach(), encoding="utf-8", errors="replace", line_buffering=is_terminal
        )
    elif isinstance(sys.stdout, io.TextIOWrapper):  # of a program that calls `main` itself
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    elif sys.stdout is None:
        sys.stdout = _open_nowhere()
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="replace")
    elif sys.stderr is None:
        sys.stderr = _open_nowhere()


def to_storage_error(error: OutputUnwritable) -> StorageUnusable:
    """The error that a visitor is told of."""
    return StorageUnusable("output.not_writable", why=reason_of(error))


def _open_nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")
