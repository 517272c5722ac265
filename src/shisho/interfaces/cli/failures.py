"""How a command of the shell fails: one typed sentence on the error stream, or JSON, whoever raised it."""

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
    """While it is entered, an error ends the command as `fail` does; a fault of ours goes on."""
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
    """The error of a file that is named; None where none is."""
    if not error.filename:
        return None
    from shisho.bootstrap.files import path_trouble

    return path_trouble(error, Path(os.fsdecode(error.filename)))


def fail(error: ShishoError, json_: bool) -> NoReturn:
    """End with 2 for wrong arguments, 1 otherwise."""
    if json_:
        typer.echo(json.dumps(describe_error(error), ensure_ascii=False))
    else:
        from shisho.language.display import make_legible

        # it may repeat the name of a file, or the words of another program
        typer.echo(make_legible(f"{error.code}: {render(error.message)}"), err=True)
    raise typer.Exit(2 if isinstance(error, InvalidParams) else 1)
