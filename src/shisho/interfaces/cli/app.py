"""The shell: `shisho add`, `ask`, `search`, … Each command is a few lines over the library."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import shisho
from shisho import settings as settings_
from shisho.errors import InvalidParams
from shisho.interfaces.api.filters import parse_filters, parse_metadata
from shisho.interfaces.cli import asking as cli_asking
from shisho.interfaces.cli import auth as cli_auth
from shisho.interfaces.cli import box as box_cli
from shisho.interfaces.cli import conversations as cli_conversations
from shisho.interfaces.cli import embedder_models, evaluating, places, upkeep
from shisho.interfaces.cli import engines as engines_cli
from shisho.interfaces.cli import folders as cli_folders
from shisho.interfaces.cli import models as models_cli
from shisho.interfaces.cli import proof as cli_proof
from shisho.interfaces.cli import queue as cli_queue
from shisho.interfaces.cli import quotas as cli_quotas
from shisho.interfaces.cli import references as cli_references
from shisho.interfaces.cli import replay as cli_replay
from shisho.interfaces.cli import reporting as cli_reporting
from shisho.interfaces.cli import serve as cli_serve
from shisho.interfaces.cli import sharing as cli_sharing
from shisho.interfaces.cli import team as cli_team
from shisho.interfaces.cli import web as cli_web
from shisho.interfaces.cli.asking import Corpora, Filters, Folders
from shisho.interfaces.cli.frames import translate_frames
from shisho.interfaces.cli.interrupts import InterruptibleCommands, confirm
from shisho.interfaces.cli.log_lines import start_command_log
from shisho.interfaces.cli.named import keep_named
from shisho.interfaces.cli.runner import Brief, Json
from shisho.interfaces.cli.runner import load_words as _words
from shisho.interfaces.cli.runner import run as _run
from shisho.interfaces.cli.runner import show as _print
from shisho.interfaces.cli.streams import open_streams
from shisho.messages.catalogue import render, speak

if TYPE_CHECKING:
    from shisho.services import Library

app = typer.Typer(
    cls=InterruptibleCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="help.app",
)

app.add_typer(engines_cli.app, name="engines")
app.add_typer(cli_queue.queue, name="queue")
app.add_typer(cli_auth.app, name="auth")
app.add_typer(models_cli.app, name="models")
app.add_typer(cli_team.users, name="users")
app.add_typer(cli_team.groups, name="groups")
app.add_typer(cli_team.grants, name="grants")
app.add_typer(cli_quotas.quotas, name="quotas")
app.command(help="help.share")(cli_sharing.share)
app.command(help="help.audit")(cli_team.audit)


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
    speak(settings_.parse_language([f"{name}={value}" for name, value in option_values.items() if value]))
    start_command_log(debug=debug)
    for stray in settings_.find_stray_names():
        typer.echo(render(stray), err=True)


@app.command(help="help.add")
def add(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="help.argument_paths")] = [],  # noqa: B006
    meta: Annotated[list[str], typer.Option("--meta", "-m", help="help.option_meta")] = [],  # noqa: B006
    references: Annotated[list[Path], typer.Option(help="help.option_references")] = [],  # noqa: B006
    corpus: Annotated[str, typer.Option("--corpus", "-c", help="help.option_corpus")] = "default",
    password: Annotated[str | None, typer.Option(help="help.option_password")] = None,
    ocr: Annotated[Literal["auto", "off"] | None, typer.Option(help="help.option_ocr")] = None,
    json_: Json = False,
) -> None:
    """Add files and folders. Unchanged files are skipped."""

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli.embedding import embed_shown
        from shisho.interfaces.cli.file_names import list_names_below
        from shisho.interfaces.cli.render_adding import AddingDisplay

        display = AddingDisplay(_words(context), list_names_below(paths or references), json_)
        receipts = library.documents.add(
            *paths,
            corpus=corpus,
            metadata=parse_metadata(meta),
            references=references,
            password=password,
            ocr=None if ocr is None else ocr == "auto",
            notify=display.notify,
        )
        failures = await display.show(receipts)
        await embed_shown(library, _words(context))
        if failures:
            raise typer.Exit(1)

    _run(context, execute, json_, "interrupted_add")


app.command(help="help.ask")(cli_asking.ask)
app.command(help="help.report")(cli_reporting.report)
app.command(help="help.evidence")(cli_asking.evidence)


@app.command(help="help.search")
def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(help="help.argument_words")],
    filters: Filters = [],  # noqa: B006
    corpora: Corpora = [],  # noqa: B006
    folders: Folders = [],  # noqa: B006
    limit: Annotated[
        int | None,
        typer.Option(min=1, max=1_000, help="help.option_passages"),
    ] = None,
    json_: Json = False,
) -> None:
    """Find passages."""

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli import render
        from shisho.interfaces.cli.file_names import list_names_below
        from shisho.interfaces.cli.render_adding import AddingDisplay
        from shisho.services import resolve_path

        for folder in folders:
            display = AddingDisplay(_words(context), list_names_below([folder]), json_, quiet=True)
            await display.show(library.folders.mirror(folder, display.notify))
        inside = [*corpora, *(resolve_path(folder) for folder in folders)]
        hits = await library.documents.search(
            query, corpora=inside, filters=parse_filters(filters), limit=limit
        )
        _print(hits, json_, lambda: render.print_hits(hits, _words(context)))

    _run(context, execute, json_, "interrupted_search")


@app.command("list", help="help.list")
def list_(
    context: typer.Context,
    filters: Filters = [],  # noqa: B006
    corpora: Corpora = [],  # noqa: B006
    after: Annotated[str, typer.Option(help="help.option_after_document")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 100,
    removed: Annotated[bool, typer.Option("--removed", help="help.option_removed")] = False,
    json_: Json = False,
) -> None:
    """List documents."""

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli import render

        found_documents = await library.documents.list(
            corpora=corpora,
            filters=parse_filters(filters),
            after=after,
            limit=limit + 1,
            removed=removed,
        )
        documents = found_documents[:limit]
        more = len(found_documents) > limit
        is_narrowed = bool(filters or corpora or after or removed)
        _print(
            documents, json_, lambda: render.print_documents(documents, more, is_narrowed, _words(context))
        )

    _run(context, execute, json_, "interrupted_look")


@app.command(help="help.remove")
def remove(
    context: typer.Context,
    document: Annotated[str, typer.Argument(help="help.argument_document")],
    purge: Annotated[bool, typer.Option("--purge", help="help.option_purge")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="help.option_yes_purge")] = False,
    json_: Json = False,
) -> None:
    """Remove a document from search; `shisho restore` restores it."""

    async def execute(library: Library) -> None:
        from shisho.language.display import display_name

        words = _words(context)
        held_document = await library.documents.find_removable(document, purge=purge)
        name = display_name(held_document.source)
        before = held_document.warnings
        if purge and not yes and not sys.stdin.isatty():
            raise InvalidParams(words("purge_unasked", text=name))
        if purge and not yes and not confirm(words("purge_sure", text=name)):
            raise typer.Exit(1)
        held_document = await library.documents.remove(held_document.id, purge=purge)
        _print(
            held_document,
            json_,
            lambda: typer.echo(words("purged" if purge else "removed", text=name)),
        )
        if not json_:
            for warning in held_document.warnings[len(before) :]:
                typer.echo(render(warning), err=True)

    _run(context, execute, json_)


@app.command(help="help.show")
def show(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="help.argument_show")] = "last",
    brief: Brief = False,
    json_: Json = False,
) -> None:
    """Show an answer with its condition, goals and evidence; a piece of evidence; or a document."""

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli import render

        thing = await library.show(id_)
        pages = await library.viewer.list_page_starts(thing[0].id) if isinstance(thing, tuple) else {}
        _print(thing, json_, lambda: render.print_item(thing, _words(context), pages, is_brief=brief))

    _run(context, execute, json_, "interrupted_look")


@app.command(help="help.export")
def export(
    context: typer.Context,
    answer: Annotated[str, typer.Argument(help="help.argument_answer")] = "last",
    format_: Annotated[
        str,
        typer.Option("--format", help="help.option_format"),
    ] = "md",
    out: Annotated[Path | None, typer.Option(help="help.option_out")] = None,
    local_paths: Annotated[bool, typer.Option("--local-paths", help="help.option_full_paths")] = False,
) -> None:
    """Export an answer with its evidence."""

    async def execute(library: Library) -> None:
        if format_ == "pdf" and out is None and sys.stdout.isatty():
            raise InvalidParams("export.pdf_to_terminal")
        data = await library.exports.render_file(answer, format_, local_paths=local_paths)
        if out is None:
            typer.echo(data, nl=False)
        else:
            from shisho.bootstrap.files import write_file

            await asyncio.to_thread(write_file, out, data)

    _run(context, execute, False, "interrupted_look")


app.command(help="help.conversation")(cli_conversations.conversation)
app.command(help="help.references")(cli_references.references)
app.command(help="help.replay")(cli_replay.replay)
app.command(help="help.sync")(cli_folders.sync)
app.command(help="help.watch")(cli_folders.watch)
app.command(help="help.restore")(upkeep.restore)
app.command(help="help.verify")(cli_proof.verify)
app.command(help="help.key")(cli_proof.key)
app.command(help="help.backup")(upkeep.backup)
app.command(help="help.migrate")(places.migrate)
app.command(help="help.copy")(places.copy)
app.command(help="help.doctor")(upkeep.doctor)
app.command("settings", help="help.settings")(upkeep.settings)
app.command("eval", help="help.eval")(evaluating.eval_)
models_cli.app.command("list", help="help.models_list")(embedder_models.list_)
models_cli.app.command(help="help.models_pull")(embedder_models.pull)
models_cli.app.command(help="help.models_export")(embedder_models.export)
models_cli.app.command("import", help="help.models_import")(embedder_models.import_)
models_cli.app.command(help="help.models_remove")(embedder_models.remove)
app.command(help="help.jobs")(cli_queue.jobs)
app.command(help="help.worker")(cli_queue.worker)
app.command(help="help.web")(cli_web.web)
app.command(help="help.mcp")(cli_serve.mcp)
app.command(help="help.serve")(cli_serve.serve)
app.command(help="help.ui")(cli_serve.ui)
app.command(help="help.box")(box_cli.box)


def main() -> None:
    """Entry point of the `shisho` command."""
    open_streams()
    speak(settings_.parse_language(sys.argv[1:]))
    translate_frames()
    keep_named(app, sys.argv[1:])(prog_name="shisho")
