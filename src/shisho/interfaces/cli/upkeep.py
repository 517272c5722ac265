"""Maintain a library: `shisho backup`, `migrate`, `copy`, `doctor`, `settings`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from shisho import settings as settings_
from shisho.interfaces.cli.interrupts import run_to_end
from shisho.interfaces.cli.shell import Json, Shell, Words, async_command, library_command


@library_command("interrupted_backup")
async def backup(
    shell: Shell,
    file: Annotated[Path, typer.Argument(help="help.argument_new_file")],
) -> None:
    """Back up everything to one file, during normal operation."""
    from shisho.bootstrap.blobs import list_left_out

    await shell.library.backup(file)
    say = shell.say
    typer.echo(say("backed_up", text=file))
    settings_held = shell.load_settings()
    left_out = await asyncio.to_thread(list_left_out, settings_held)
    if left_out:
        place = settings_held.show("blobs") or settings_held.home
        typer.echo(say("backup_left_out", n=len(left_out), text=place), err=True)


def doctor(
    shell: Shell,
    fix: Annotated[bool, typer.Option("--fix", help="help.option_fix")] = False,
    json_: Json = False,
) -> None:
    """Report the available features and how to install the missing ones."""
    run_to_end(_check(shell, fix), shell, "interrupted" if fix else "interrupted_look")


async def _check(shell: Shell, fix: bool) -> None:
    from shisho.bootstrap.library import run_doctor
    from shisho.interfaces.cli import render

    say = Words(settings_.load_readable(**shell.obj)[0].reader)
    checks = [*await run_doctor(**shell.obj)]
    if fix:
        from shisho.bootstrap.library import tidy_library

        checks.append(await tidy_library(**shell.obj))
    shell.show(checks, lambda: render.print_checks(checks, say))
    if not all(check.ok or check.optional for check in checks):
        raise typer.Exit(1)


def print_settings(shell: Shell, json_: Json = False) -> None:
    """List every setting with its value and the origin of the value."""
    from shisho.bootstrap.library import open_web_consent
    from shisho.interfaces.cli import render

    settings_held = shell.load_settings()
    words = shell.say
    rows = [
        {
            "name": row.name,
            "value": settings_held.show(row.name),
            "from": settings_held.origins[row.name],
            "default": row.default,
            "help": words.render(row.help),
        }
        for row in settings_.TABLE
    ]
    consent = open_web_consent(settings_held)
    state = {"state": consent.read_state(), "since": consent.read_since() or None}

    def print_all() -> None:
        render.print_settings(rows, settings_held.home, words)
        typer.echo(words(f"consent_{consent.read_state()}", since=consent.read_since()[:10]).rstrip())

    shell.show({"home": str(settings_held.home), "settings": rows, "web_consent": state}, print_all)


@async_command("interrupted")
async def migrate(shell: Shell, json_: Json = False) -> None:
    """Migrate the database to this version before servers and workers start.

    They also do it themselves, one at a time.
    """
    from shisho.bootstrap.copying import migrate_store

    report = await migrate_store(shell.load_settings())
    say = shell.say
    lines = [say("migrated_script", text=name) for name in report.scripts]
    shell.show(report, lambda: typer.echo("\n".join([*lines, say("migrated")])))


@async_command("interrupted_copy")
async def copy(
    shell: Shell,
    source: Annotated[str, typer.Option("--from", help="help.argument_copy_source")],
    target: Annotated[str, typer.Option("--to", help="help.argument_copy_target")],
    json_: Json = False,
) -> None:
    """Copy a whole library to another store.

    An interrupted copy resumes when it is started again.
    """
    from shisho.bootstrap.copying import copy_library

    say = shell.say

    def tell(what: str, count: int) -> None:
        if not json_ and count % 100 == 0:
            typer.echo(say("copying", what=what, n=count), err=True)

    report = await copy_library(source, target, tell)
    lines = [say("copied_part", what=what, n=count) for what, count in report.copied.items() if count]
    shell.show(report, lambda: typer.echo("\n".join([*lines, say("copied_all")])))
