"""Run a command of the shell over a library, with typed errors and texts in the user's language."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shisho import settings
from shisho.interfaces.cli.failures import fail_typed
from shisho.interfaces.cli.interrupts import run_to_end
from shisho.interfaces.cli.messages import Words
from shisho.messages.catalogue import render_all

if TYPE_CHECKING:
    from shisho.services import Library

Json = Annotated[bool, typer.Option("--json", help="help.option_json")]
Brief = Annotated[bool, typer.Option("--brief", help="help.option_marked_only")]


def run(
    context: typer.Context,
    work: Callable[[Library], Coroutine[Any, Any, None]],
    json_: bool,
    kept: str = "interrupted",
) -> None:
    """Run the work over the library of the command's home.

    `kept`: the message about kept work after Ctrl-C.
    """

    async def open_and_run() -> None:
        from shisho.bootstrap.library import open_library

        async with open_library(**context.obj) as library:
            await work(library)

    with fail_typed(json_):
        run_to_end(open_and_run(), context, kept)


def load_words(context: typer.Context) -> Words:
    """Return the texts of the configured language."""
    return Words(settings.load(**context.obj).reader)


def show(thing: Any, json_: bool, otherwise: Callable[[], None]) -> None:
    """Print the object as JSON, or call `otherwise`."""
    if not json_:
        otherwise()
        return
    from shisho.domain.codec import to_plain

    typer.echo(json.dumps(to_plain(render_all(thing)), ensure_ascii=False, indent=2))
