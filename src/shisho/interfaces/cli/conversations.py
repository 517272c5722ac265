"""`shisho conversation`: show or erase a conversation's questions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.errors import InvalidParams
from shisho.interfaces.cli.interrupts import confirm
from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.services import Library


def conversation(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="help.argument_conversation")] = "last",
    remove: Annotated[bool, typer.Option("--remove", help="help.option_forget")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="help.option_yes_forget")] = False,
    json_: Json = False,
) -> None:
    """Show the questions of a conversation, each with its interpretation; or erase it."""

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli import render

        say = load_words(context)
        turns = await library.conversations.list_turns(id_)
        if not remove:
            show(turns, json_, lambda: render.print_turns(turns, say))
            return
        count = len(turns)
        if not yes and not sys.stdin.isatty():
            raise InvalidParams(say("forget_unasked"))
        if not yes and not confirm(say("forget_sure", n=count)):
            raise typer.Exit(1)
        removed = await library.conversations.remove(id_)
        tasks = ", ".join(removed.kept_tasks)
        show(removed, json_, lambda: typer.echo(say("forgotten", n=count)))
        if tasks and not json_:
            typer.echo(say("forget_kept", tasks=tasks), err=True)

    run(context, execute, json_)
