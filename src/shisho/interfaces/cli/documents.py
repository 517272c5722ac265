"""Commands over documents and watched folders."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from shisho.errors import InvalidParams, ShishoError
from shisho.interfaces.api.filters import parse_filters, parse_metadata
from shisho.interfaces.cli.interrupts import confirm
from shisho.interfaces.cli.shell import Corpora, Filters, Folders, Json, Shell, library_command
from shisho.messages.catalogue import render

if TYPE_CHECKING:
    from shisho.domain.corpus import Document


@library_command("interrupted_add")
async def add(
    shell: Shell,
    paths: Annotated[list[Path], typer.Argument(help="help.argument_paths")] = [],  # noqa: B006
    meta: Annotated[list[str], typer.Option("--meta", "-m", help="help.option_meta")] = [],  # noqa: B006
    references: Annotated[list[Path], typer.Option(help="help.option_references")] = [],  # noqa: B006
    corpus: Annotated[str, typer.Option("--corpus", "-c", help="help.option_corpus")] = "default",
    password: Annotated[str | None, typer.Option(help="help.option_password")] = None,
    ocr: Annotated[Literal["auto", "off"] | None, typer.Option(help="help.option_ocr")] = None,
    json_: Json = False,
) -> None:
    """Add files and folders. Unchanged files are skipped."""
    from shisho.interfaces.cli.layout import list_names_below
    from shisho.interfaces.cli.render_adding import AddingDisplay, embed_shown

    display = AddingDisplay(shell.say, list_names_below(paths or references), json_)
    receipts = shell.library.documents.add(
        *paths,
        corpus=corpus,
        metadata=parse_metadata(meta),
        references=references,
        password=password,
        ocr=None if ocr is None else ocr == "auto",
        notify=display.notify,
    )
    failures = await display.show(receipts)
    await embed_shown(shell.library, shell.say)
    if failures:
        raise typer.Exit(1)


@library_command("interrupted_search")
async def search(
    shell: Shell,
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
    from shisho.interfaces.cli import render
    from shisho.interfaces.cli.layout import list_names_below
    from shisho.interfaces.cli.render_adding import AddingDisplay
    from shisho.services import resolve_path

    for folder in folders:
        display = AddingDisplay(shell.say, list_names_below([folder]), json_, quiet=True)
        await display.show(shell.library.folders.mirror(folder, display.notify))
    inside = [*corpora, *(resolve_path(folder) for folder in folders)]
    hits = await shell.library.documents.search(
        query, corpora=inside, filters=parse_filters(filters), limit=limit
    )
    shell.show(hits, lambda: render.print_hits(hits, shell.say))


@library_command("interrupted_look")
async def list_documents(
    shell: Shell,
    filters: Filters = [],  # noqa: B006
    corpora: Corpora = [],  # noqa: B006
    after: Annotated[str, typer.Option(help="help.option_after_document")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 100,
    removed: Annotated[bool, typer.Option("--removed", help="help.option_removed")] = False,
    json_: Json = False,
) -> None:
    """List documents."""
    from shisho.interfaces.cli import render

    found_documents = await shell.library.documents.list(
        corpora=corpora,
        filters=parse_filters(filters),
        after=after,
        limit=limit + 1,
        removed=removed,
    )
    documents = found_documents[:limit]
    more = len(found_documents) > limit
    is_narrowed = bool(filters or corpora or after or removed)
    shell.show(documents, lambda: render.print_documents(documents, more, is_narrowed, shell.say))


@library_command()
async def remove(
    shell: Shell,
    document: Annotated[str, typer.Argument(help="help.argument_document")],
    purge: Annotated[bool, typer.Option("--purge", help="help.option_purge")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="help.option_yes_purge")] = False,
    json_: Json = False,
) -> None:
    """Remove a document from search; `shisho restore` restores it."""
    from shisho.language.display import display_name

    words = shell.say
    held_document = await shell.library.documents.find_removable(document, purge=purge)
    name = display_name(held_document.source)
    before = held_document.warnings
    if purge and not yes and not sys.stdin.isatty():
        raise InvalidParams(words("purge_unasked", text=name))
    if purge and not yes and not confirm(words("purge_sure", text=name)):
        raise typer.Exit(1)
    held_document = await shell.library.documents.remove(held_document.id, purge=purge)
    shell.show(held_document, lambda: typer.echo(words("purged" if purge else "removed", text=name)))
    if not json_:
        for warning in held_document.warnings[len(before) :]:
            typer.echo(render(warning), err=True)


@library_command()
async def restore(
    shell: Shell,
    document: Annotated[str, typer.Argument(help="help.argument_document")],
    json_: Json = False,
) -> None:
    """Restore a removed document that was not purged."""
    from shisho.language.display import display_name

    restored = await shell.library.documents.restore(document)
    name = display_name(restored.source)
    shell.show(restored, lambda: typer.echo(shell.say("restored", text=name)))


Corpus = Annotated[str, typer.Option("--corpus", "-c", help="help.option_corpus")]
NO_WATCHED_FOLDERS = "folder.none_followed"


@library_command("interrupted_sync")
async def sync(
    shell: Shell,
    folders: Annotated[list[Path], typer.Argument(help="help.argument_sync_folders")] = [],  # noqa: B006
    corpus: Corpus = "default",
    emptied: Annotated[bool, typer.Option("--emptied", help="help.option_allow_empty")] = False,
    json_: Json = False,
) -> None:
    """Sync the library with folders: new, changed, moved and deleted files.

    Unchanged files are not reread.
    """
    from shisho.interfaces.cli.layout import list_names_below
    from shisho.interfaces.cli.render_adding import AddingDisplay, embed_shown, print_sync_error

    targets = [(str(folder), corpus) for folder in folders]
    if not folders:
        targets = [(folder.path, folder.corpus) for folder in await shell.library.folders.list()]
    if not targets:
        raise InvalidParams(NO_WATCHED_FOLDERS)
    is_even = True
    for path, name in targets:
        display = AddingDisplay(shell.say, list_names_below([Path(path)]), json_, changes_only=True)
        coming = shell.library.folders.sync(path, name, is_emptied=emptied, notify=display.notify)
        try:
            is_even = not await display.show(coming) and is_even
        except ShishoError as error:
            if folders and isinstance(error, InvalidParams):
                raise
            print_sync_error(path, error, json_)
            is_even = False
    await embed_shown(shell.library, shell.say)
    if not is_even:
        raise typer.Exit(1)


@library_command("interrupted_watch")
async def watch(
    shell: Shell,
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
    from shisho.interfaces.cli import render_adding

    for folder in forget:
        await shell.library.folders.unwatch(folder)
    if forget or list_:
        watched = await shell.library.folders.list()
        shell.show(watched, lambda: render_adding.print_watched(watched, shell.say))
        return
    await shell.library.check_ready()
    for folder in folders:
        await shell.library.folders.watch(folder, corpus)
    watched = await shell.library.folders.list()
    if not watched:
        raise InvalidParams(NO_WATCHED_FOLDERS)
    follower = shell.library.folders.find_follower()
    if follower is not None:
        typer.echo(shell.say("followed", n=len(watched), pid=follower or "?"), err=True)
        return
    typer.echo(shell.say("watching", n=len(watched)), err=True)
    await shell.library.folders.follow(render_adding.FollowingDisplay(shell.say, json_).notify)


@library_command()
async def references(
    shell: Shell,
    documents: Annotated[list[str], typer.Argument(help="help.argument_doi_documents")] = [],  # noqa: B006
    look_up: Annotated[bool, typer.Option("--look-up", help="help.option_look_up")] = False,
    json_: Json = False,
) -> None:
    """List documents with a DOI but no author or year, and optionally query Crossref."""
    from shisho.interfaces.cli.render_adding import AddingDisplay

    incomplete = await shell.library.references.list_incomplete(*documents)
    if not (look_up and incomplete):
        shell.show(incomplete, lambda: _print_incomplete(shell, incomplete))
        return
    _ask_consent(shell, incomplete)
    display = AddingDisplay(shell.say, json_=json_)
    if await display.show(shell.library.references.complete(incomplete)):
        raise typer.Exit(1)


def _print_incomplete(shell: Shell, incomplete: Sequence[Document]) -> None:
    for document in incomplete:
        typer.echo(f"{document.metadata['doi']}  {document.title}")
    typer.echo(shell.say("incomplete" if incomplete else "incomplete_none"))


def _ask_consent(shell: Shell, incomplete: Sequence[Document]) -> None:
    """Ask the person at the terminal if consent is undecided.

    Without a terminal the library refuses.
    """
    from shisho.domain.task import WebConsent

    is_settled = shell.library.web.get_consent() is not WebConsent.NOT_ASKED
    if is_settled or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    say = shell.say
    dois = "\n".join(f"  {document.metadata['doi']}" for document in incomplete)
    typer.echo(say("consent_dois", queries=dois), err=True)
    is_agreed = confirm(say("consent_sure"))
    if is_agreed:
        shell.library.web.set_consent(WebConsent.GIVEN)
    typer.echo(say("consent_kept" if is_agreed else "consent_not_kept"), err=True)
