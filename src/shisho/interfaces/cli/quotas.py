"""`shisho quotas`: daily limits of users and groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.domain.quota import Quota
    from shisho.interfaces.cli.messages import Words
    from shisho.services import Library

quotas = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="help.quotas")

Limited = Annotated[str, typer.Argument(metavar="NAME", help="help.argument_quota_name")]
IsGroup = Annotated[bool, typer.Option("--group", "-g", help="help.option_quota_group")]


@quotas.command("set", help="help.quotas_set")
def set_quota(
    context: typer.Context,
    name: Limited,
    group: IsGroup = False,
    jobs: Annotated[int | None, typer.Option(help="help.option_quota_jobs")] = None,
    pages: Annotated[int | None, typer.Option(help="help.option_quota_pages")] = None,
    tokens: Annotated[int | None, typer.Option(help="help.option_quota_tokens")] = None,
    json_: Json = False,
) -> None:
    """Set a daily limit (UTC) of a user or a group; the usage of today still counts."""

    async def execute(library: Library) -> None:
        ceilings = {"jobs": jobs, "pages": pages, "tokens": tokens}
        rows = await library.team.set_quota(name, ceilings, is_group=group)
        show(rows, json_, lambda: _print_quotas(rows, load_words(context)))

    run(context, execute, json_)


@quotas.command("list", help="help.quotas_list")
def list_quotas(context: typer.Context, json_: Json = False) -> None:
    """List daily limits and the usage of today."""

    async def execute(library: Library) -> None:
        rows = await library.team.list_quotas()
        show(rows, json_, lambda: _print_quotas(rows, load_words(context)))

    run(context, execute, json_)


@quotas.command("remove", help="help.quotas_remove")
def remove_quota(context: typer.Context, name: Limited, group: IsGroup = False, json_: Json = False) -> None:
    """Remove the limits of a user or a group."""

    async def execute(library: Library) -> None:
        await library.team.remove_quota(name, is_group=group)
        show({"name": name}, json_, lambda: typer.echo(load_words(context)("quota_removed", user=name)))

    run(context, execute, json_)


def _print_quotas(rows: Sequence[Quota], say: Words) -> None:
    for quota in rows:
        kind = say(f"grantee_{quota.grantee.kind}")
        used = say(f"quota_{quota.resource}", used=quota.used, limit=quota.per_day)
        typer.echo(f"{kind} {quota.grantee.name}  {used}")
    if not rows:
        typer.echo(say("no_quotas"))
