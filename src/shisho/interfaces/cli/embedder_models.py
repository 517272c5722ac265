"""`shisho models list|pull|export|import|remove`: the files of embedders on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from shisho import settings as settings_
from shisho.domain.embedding import StoredModel
from shisho.domain.model import FoundModel
from shisho.interfaces.cli.interrupts import run_to_end
from shisho.interfaces.cli.messages import Words
from shisho.interfaces.cli.runner import Json, load_words, show

MB = 1_000_000
Name = Annotated[str, typer.Argument(help="help.argument_model")]


@dataclass(frozen=True, slots=True)
class ModelList:
    """The configured language model, those of local servers, and the embedders."""

    model: str
    local: tuple[FoundModel, ...]
    embedders: tuple[StoredModel, ...]


def list_(context: typer.Context, json_: Json = False) -> None:
    """List language models, configured or local, and embedding models.

    A star marks the one in use.
    """
    from shisho.bootstrap.embedder import model_files
    from shisho.bootstrap.models import find_models

    settings = settings_.load(**context.obj)
    model = settings.read_text("model")
    embedders = tuple(model_files(settings).list_models())
    say = load_words(context)

    async def execute() -> None:
        local = tuple(await find_models())
        show(ModelList(model, local, embedders), json_, lambda: print_models(local))

    def print_models(local: Sequence[FoundModel]) -> None:
        typer.echo(say("language_model", text=model))
        for other in local:
            star = "*" if other.name == model else " "
            how = f"shisho models set {other.name}{f' --url {other.url}' if other.url else ''}"
            typer.echo(f"{star} {say('found_model', text=other.name, server=other.server, how=how)}")
        if not local:
            typer.echo(say("no_found_models"))
        typer.echo(say("embedding_models"))
        for stored in embedders:
            typer.echo(_describe_model(stored, settings.read_text("embedder"), say))
        if not embedders:
            typer.echo(say("no_models"))

    run_to_end(execute(), context, "interrupted_look")


def pull(context: typer.Context, name: Name) -> None:
    """Download an embedding model, or resume its download. A complete one is unchanged."""
    from shisho.bootstrap.embedder import pull_model
    from shisho.interfaces.cli.render_adding import build_progress

    say = load_words(context)

    async def execute() -> None:
        with build_progress(say) as bar:
            line = bar.add_task("", total=None, page=f"MB  {name}")

            def report(done: int, total: int) -> None:
                bar.update(line, completed=done / MB, total=total / MB)

            is_new = await pull_model(settings_.load(**context.obj), name, report)
        typer.echo(say("pulled" if is_new else "pulled_before", text=name))

    run_to_end(execute(), context, "interrupted_pull")


def export(
    context: typer.Context,
    name: Name,
    file: Annotated[Path, typer.Argument(help="help.argument_new_file")],
) -> None:
    """Write an embedding model into one file, for a machine without network."""
    from shisho.bootstrap.embedder import model_files

    model_files(settings_.load(**context.obj)).export(name, file)
    typer.echo(load_words(context)("backed_up", text=file))


def import_(
    context: typer.Context, file: Annotated[Path, typer.Argument(help="help.argument_model_file")]
) -> None:
    """Import an embedding model from a file that another machine exported."""
    from shisho.bootstrap.embedder import model_files

    name = model_files(settings_.load(**context.obj)).import_(file)
    typer.echo(load_words(context)("pulled", text=name))


def remove(context: typer.Context, name: Name) -> None:
    """Remove an embedding model; its vectors are kept until another model has replaced them."""
    from shisho.bootstrap.embedder import remove_model

    remove_model(settings_.load(**context.obj), name)
    typer.echo(load_words(context)("model_removed", text=name))


def _describe_model(model: StoredModel, chosen: str, say: Words) -> str:
    star = "*" if model.name == chosen else " "
    return f"{star} {say('model_line', text=model.name, size=f'{model.size / MB:.1f}', source=model.source)}"
