"""The shell: `shisho add`, `ask`, `search`, … Each command is a few lines over the library."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import shisho
from shisho import settings as settings_
from shisho.interfaces.cli import answers, box, documents, models, proof, queue, serve, team, upkeep, web
from shisho.interfaces.cli.frames import InterruptibleCommands, translate_frames
from shisho.interfaces.cli.log_lines import start_command_log
from shisho.interfaces.cli.startup import keep_named
from shisho.interfaces.cli.streams import open_streams
from shisho.messages.catalogue import render, set_process_language

app = typer.Typer(
    cls=InterruptibleCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="help.app",
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"shisho {shisho.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    home: Annotated[Path | None, typer.Option(help="help.option_home")] = None,
    language: Annotated[str | None, typer.Option(help="help.option_language")] = None,
    debug: Annotated[bool, typer.Option(help="help.option_debug")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="help.option_version")
    ] = False,
) -> None:
    context.obj = {"home": home, "language": language}
    option_values = {"--home": home, "--language": language}
    set_process_language(
        settings_.parse_language([f"{name}={value}" for name, value in option_values.items() if value])
    )
    start_command_log(debug=debug)
    for stray in settings_.find_unknown_settings():
        typer.echo(render(stray), err=True)


app.add_typer(web.engines, name="engines")
app.add_typer(web.auth, name="auth")
app.add_typer(queue.queue, name="queue")
app.add_typer(models.models, name="models")
app.add_typer(team.users, name="users")
app.add_typer(team.groups, name="groups")
app.add_typer(team.grants, name="grants")
app.add_typer(team.quotas, name="quotas")
app.command("list", help="help.list")(documents.list_documents)
app.command("settings", help="help.settings")(upkeep.print_settings)
app.command("eval", help="help.eval")(models.evaluate)
for _command in (
    *(documents.add, documents.search, documents.remove, documents.restore),
    *(documents.references, documents.sync, documents.watch),
    *(answers.ask, answers.report, answers.evidence, answers.show, answers.export),
    *(answers.conversation, answers.replay, proof.verify, proof.key),
    *(queue.jobs, queue.worker, web.web, team.share, team.audit),
    *(upkeep.backup, upkeep.migrate, upkeep.copy, upkeep.doctor),
    *(serve.mcp, serve.serve, serve.ui, box.box),
):
    app.command(help=f"help.{_command.__name__}")(_command)


def main() -> None:
    """Entry point of the `shisho` command."""
    open_streams()
    set_process_language(settings_.parse_language(sys.argv[1:]))
    translate_frames()
    keep_named(app, sys.argv[1:])(prog_name="shisho")
