"""Report the failure of a command: one sentence on stderr, or JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

from shisho.errors import InvalidParams, ShishoError
from shisho.interfaces.api.failures import describe_error, find_disk_error
from shisho.interfaces.cli.streams import OutputUnwritable, to_storage_error
from shisho.messages.catalogue import render


@contextmanager
def fail_typed(json_: bool) -> Iterator[None]:
    """Exit as `fail` does for expected errors while entered; other exceptions propagate."""
    try:
        yield
    except ShishoError as error:
        fail(error, json_)
    except OutputUnwritable as error:
        fail(to_storage_error(error), json_=False)
    except OSError as error:
        cause = find_disk_error(error) or _find_path_error(error)
        if cause is None:
            raise
        fail(cause, json_)


def _find_path_error(error: OSError) -> ShishoError | None:
    """Return the error for the file that the OSError names; None if it names none."""
    if not error.filename:
        return None
    from shisho.bootstrap.personal import path_trouble

    return path_trouble(error, Path(os.fsdecode(error.filename)))


def fail(error: ShishoError, json_: bool) -> NoReturn:
    """Exit with 2 for invalid arguments, otherwise 1."""
    if json_:
        typer.echo(json.dumps(describe_error(error), ensure_ascii=False))
    else:
        from shisho.language.display import make_legible

        # the message may contain a file name, or another program's output
        typer.echo(make_legible(f"{error.code}: {render(error.message)}"), err=True)
    raise typer.Exit(2 if isinstance(error, InvalidParams) else 1)
