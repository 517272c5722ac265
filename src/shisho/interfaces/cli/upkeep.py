"""Maintain a library: `shisho restore`, `backup`, `migrate`, `doctor`, `settings`, `eval`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shisho import settings as settings_
from shisho.interfaces.cli.interrupts import run_to_end
from shisho.interfaces.cli.messages import Words
from shisho.interfaces.cli.runner import Json
from shisho.interfaces.cli.runner import load_words as _words
from shisho.interfaces.cli.runner import run as _run
from shisho.interfaces.cli.runner import show as _print

if TYPE_CHECKING:
    from shisho.services import Library


def restore(
    context: typer.Context,
    document: Annotated[str, typer.Argument(help="help.argument_document")],
    json_: Json = False,
) -> None:
    """Restore a removed document that was not purged."""

    async def execute(library: Library) -> None:
        from shisho.language.display import display_name

        restored = await library.documents.restore(document)
        name = display_name(restored.source)
        _print(restored, json_, lambda: typer.echo(_words(context)("restored", text=name)))

    _run(context, execute, json_)


def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="help.argument_new_file")],
) -> None:
    """Back up everything to one file, during normal operation."""

    async def execute(library: Library) -> None:
        from shisho.bootstrap.blobs import list_left_out

        await library.backup(file)
        say = _words(context)
        typer.echo(say("backed_up", text=file))
        settings_held = settings_.load(**context.obj)
        left_out = await asyncio.to_thread(list_left_out, settings_held)
        if left_out:
            place = settings_held.show("blobs") or settings_held.home
            typer.echo(say("backup_left_out", n=len(left_out), text=place), err=True)

    _run(context, execute, False, "interrupted_backup")


def doctor(
    context: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="help.option_fix")] = False,
    json_: Json = False,
) -> None:
    """Report the available features and how to install the missing ones."""

    async def execute() -> None:
        from shisho.bootstrap.library import run_doctor
        from shisho.interfaces.cli import render

        say = Words(settings_.load_readable(**context.obj)[0].reader)
        checks = [*await run_doctor(**context.obj)]
        if fix:
            from shisho.bootstrap.upkeep import tidy_library

            checks.append(await tidy_library(**context.obj))
        _print(checks, json_, lambda: render.print_checks(checks, say))
        if not all(check.ok or check.optional for check in checks):
            raise typer.Exit(1)

    run_to_end(execute(), context, "interrupted" if fix else "interrupted_look")


def settings(context: typer.Context, json_: Json = False) -> None:
    """List every setting with its value and the origin of the value."""
    from shisho.bootstrap.library import web_consent
    from shisho.interfaces.cli import render

    settings_held = settings_.load(**context.obj)
    words = Words(settings_held.reader)
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
    consent = web_consent(settings_held)
    state = {"state": consent.state(), "since": consent.read_since() or None}

    def print_settings() -> None:
        render.print_settings(rows, settings_held.home, words)
        typer.echo(words(f"consent_{consent.state()}", since=consent.read_since()[:10]).rstrip())

    _print({"home": str(settings_held.home), "settings": rows, "web_consent": state}, json_, print_settings)
