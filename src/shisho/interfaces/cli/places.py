"""The storage of a library in the shell: `shisho migrate`, `copy`."""

from __future__ import annotations

from typing import Annotated

import typer

from shisho import settings
from shisho.interfaces.cli.interrupts import run_to_end
from shisho.interfaces.cli.runner import Json, load_words, show


def migrate(context: typer.Context, json_: Json = False) -> None:
    """Migrate the database to this version before servers and workers start.

    They also do it themselves, one at a time.
    """

    async def execute() -> None:
        from shisho.bootstrap.copying import migrate_store

        report = await migrate_store(settings.load(**context.obj))
        say = load_words(context)
        lines = [say("migrated_script", text=name) for name in report.scripts]
        show(report, json_, lambda: typer.echo("\n".join([*lines, say("migrated")])))

    run_to_end(execute(), context, "interrupted")


def copy(
    context: typer.Context,
    source: Annotated[str, typer.Option("--from", help="help.argument_copy_source")],
    target: Annotated[str, typer.Option("--to", help="help.argument_copy_target")],
    json_: Json = False,
) -> None:
    """Copy a whole library to another store.

    An interrupted copy resumes when it is started again.
    """
    say = load_words(context)

    def tell(what: str, count: int) -> None:
        if not json_ and count % 100 == 0:
            typer.echo(say("copying", what=what, n=count), err=True)

    async def execute() -> None:
        from shisho.bootstrap.copying import copy_library

        report = await copy_library(source, target, tell)
        lines = [say("copied_part", what=what, n=count) for what, count in report.copied.items() if count]
        show(report, json_, lambda: typer.echo("\n".join([*lines, say("copied_all")])))

    run_to_end(execute(), context, "interrupted_copy")
