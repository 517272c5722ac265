"""`shisho sync` and `shisho watch`: keep the library in sync with folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.errors import InvalidParams, ShishoError
from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.services import Library

Corpus = Annotated[str, typer.Option("--corpus", "-c", help="help.option_corpus")]
NOTHING_FOLLOWED = "folder.none_followed"


def sync(
    context: typer.Context,
    folders: Annotated[list[Path], typer.Argument(help="help.argument_sync_folders")] = [],  # noqa: B006
    corpus: Corpus = "default",
    emptied: Annotated[bool, typer.Option("--emptied", help="help.option_allow_empty")] = False,
    json_: Json = False,
) -> None:
    """Sync the library with folders: new, changed, moved and deleted files.

    Unchanged files are not reread.
    """

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli.embedding import embed_shown
        from shisho.interfaces.cli.file_names import list_names_below
        from shisho.interfaces.cli.render_adding import AddingDisplay
        from shisho.interfaces.cli.render_folders import print_trouble

        targets = [(str(folder), corpus) for folder in folders]
        if not folders:
            targets = [(folder.path, folder.corpus) for folder in await library.folders.list()]
        if not targets:
            raise InvalidParams(NOTHING_FOLLOWED)
        is_even = True
        for path, name in targets:
            display = AddingDisplay(
                load_words(context), list_names_below([Path(path)]), json_, changes_only=True
            )
            coming = library.folders.sync(path, name, is_emptied=emptied, notify=display.notify)
            try:
                is_even = not await display.show(coming) and is_even
            except ShishoError as error:
                if folders and isinstance(error, InvalidParams):
                    raise
                print_trouble(path, error, json_)
                is_even = False
        await embed_shown(library, load_words(context))
        if not is_even:
            raise typer.Exit(1)

    run(context, execute, json_, "interrupted_sync")


def watch(
    context: typer.Context,
    folders: Annotated[list[Path], typer.Argument(help="help.argument_watch_folders")] = [],  # noqa: B006
    corpus: Corpus = "default",
    list_: Annotated[bool, typer.Option("--list", help="help.option_watch_list")] = False,
    forget: Annotated[
        list[Path],
        typer.Option("--forget", help="help.option_unwatch"),
    ] = [],  # noqa: B006
    json_: Json = False,
) -> None:
    """Add folders and watch them until interrupted.

    `shisho serve` and `shisho worker` watch them too.
    """

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli import render_folders

        for folder in forget:
            await library.folders.unwatch(folder)
        if forget or list_:
            watched = await library.folders.list()
            show(watched, json_, lambda: render_folders.print_watched(watched, load_words(context)))
            return
        await library.check_ready()
        for folder in folders:
            await library.folders.watch(folder, corpus)
        watched = await library.folders.list()
        if not watched:
            raise InvalidParams(NOTHING_FOLLOWED)
        follower = library.folders.find_follower()
        if follower is not None:
            typer.echo(load_words(context)("followed", n=len(watched), pid=follower or "?"), err=True)
            return
        typer.echo(load_words(context)("watching", n=len(watched)), err=True)
        await library.folders.follow(render_folders.FollowingDisplay(load_words(context), json_).notify)

    run(context, execute, json_, "interrupted_watch")
