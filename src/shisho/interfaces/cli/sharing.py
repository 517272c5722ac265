"""`shisho share`: share a task and its answer with a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.domain.team import TaskShare
    from shisho.interfaces.cli.messages import Words
    from shisho.services import Library


def share(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="help.argument_share")] = "",
    group: Annotated[str, typer.Argument(help="help.argument_share_group")] = "",
    end: Annotated[bool, typer.Option("--end", help="help.option_unshare")] = False,
    json_: Json = False,
) -> None:
    """Share a task and its answer with a group; without arguments, list what is shared."""

    async def execute(library: Library) -> None:
        if task or group:
            await (library.tasks.unshare if end else library.tasks.share)(task, group)
        rows = await library.tasks.list_shares()
        show(rows, json_, lambda: _print_shares(rows, load_words(context)))

    run(context, execute, json_)


def _print_shares(rows: Sequence[TaskShare], say: Words) -> None:
    for row in rows:
        typer.echo(f"{row.shared_id}  {row.owner}  {say('grantee_group')} {row.group}")
    if not rows:
        typer.echo(say("no_shares"))
