"""Show and solve challenges that need a person, in the shell: `shisho auth …`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.interrupts import INTERRUPTED, end_request
from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.domain.intervention import AuthTarget
    from shisho.services import Library

app = typer.Typer(cls=CommandGroup, help="help.auth", no_args_is_help=True)

Item = Annotated[str, typer.Argument(metavar="[ID|DOMAIN]", help="help.argument_wait")]
TaskOption = Annotated[str | None, typer.Option(help="help.option_wait_task")]


@app.command("list", help="help.auth_list")
def list_(context: typer.Context, json_: Json = False) -> None:
    """List the challenges that wait for a person."""

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli import render_queue

        interventions = await library.web.get_auth_queue()
        show(interventions, json_, lambda: render_queue.print_waiting(interventions, load_words(context)))

    run(context, execute, json_, "interrupted_look")


@app.command("open", help="help.auth_open")
def open_(context: typer.Context, item: Item = "last", json_: Json = False) -> None:
    """Open a challenge in a browser window and wait.

    Once solved, its domain's waiting jobs resume.
    """

    async def execute(library: Library) -> None:
        from shisho.domain.intervention import find_intervention

        if find_intervention(await library.web.get_auth_queue(), item) is not None:
            typer.echo(load_words(context)("opening"), err=True)
        opening = asyncio.create_task(library.web.open_auth(item))
        task = asyncio.create_task(end_request(with_terminal=True).wait())
        await asyncio.wait([opening, task], return_when=asyncio.FIRST_COMPLETED)
        task.cancel()
        if opening.cancel():  # it keeps waiting for another person
            await asyncio.wait([opening])
            typer.echo(load_words(context)("still_waits"), err=True)
            raise typer.Exit(INTERRUPTED)
        opened = opening.result()
        text = load_words(context)("requeued" if opened.through else "still_waits", n=len(opened.requeued))
        show(opened, json_, lambda: typer.echo(text))

    run(context, execute, json_)


@app.command(help="help.auth_done")
def done(context: typer.Context, item: Item = "last", task: TaskOption = None, json_: Json = False) -> None:
    """Mark a challenge as solved: all waiting jobs of its domain or engine resume."""
    _resolve(context, item, task, json_, skip=False)


@app.command(help="help.auth_skip")
def skip(context: typer.Context, item: Item = "last", task: TaskOption = None, json_: Json = False) -> None:
    """Skip a challenge: its searches finish with their results so far."""
    _resolve(context, item, task, json_, skip=True)


def _resolve(context: typer.Context, item: str, task: str | None, json_: bool, *, skip: bool) -> None:
    async def execute(library: Library) -> None:
        from shisho.domain.intervention import AuthAction

        target, name = await _find_target(library, item, task)
        freed = await library.web.resolve_auth(target, name, AuthAction.SKIP if skip else AuthAction.COMPLETE)
        text = load_words(context)("ended_with" if skip else "requeued", n=freed.resolved)
        show(freed, json_, lambda: typer.echo(text))

    run(context, execute, json_)


async def _find_target(library: Library, item: str, task: str | None) -> tuple[AuthTarget, str]:
    from shisho.domain.intervention import AuthTarget

    if task is not None:
        return AuthTarget.TASK, task
    interventions = await library.web.get_auth_queue()
    return (
        AuthTarget.DOMAIN
        if any(intervention.domain == item for intervention in interventions)
        else AuthTarget.ITEM
    ), item
