"""`shisho references`: complete the bibliographic metadata of documents with Crossref."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.interfaces.cli.interrupts import confirm
from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.domain.corpus import Document
    from shisho.services import Library


def references(
    context: typer.Context,
    documents: Annotated[list[str], typer.Argument(help="help.argument_doi_documents")] = [],  # noqa: B006
    look_up: Annotated[bool, typer.Option("--look-up", help="help.option_look_up")] = False,
    json_: Json = False,
) -> None:
    """List documents with a DOI but no author or year, and optionally query Crossref."""

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli.render_adding import AddingDisplay

        incomplete = await library.references.list_incomplete(*documents)
        if not (look_up and incomplete):
            show(incomplete, json_, lambda: _print(context, incomplete))
            return
        _ask_consent(context, library, incomplete)
        display = AddingDisplay(load_words(context), json_=json_)
        if await display.show(library.references.complete(incomplete)):
            raise typer.Exit(1)

    run(context, execute, json_)


def _print(context: typer.Context, incomplete: Sequence[Document]) -> None:
    for document in incomplete:
        typer.echo(f"{document.metadata['doi']}  {document.title}")
    typer.echo(load_words(context)("incomplete" if incomplete else "incomplete_none"))


def _ask_consent(context: typer.Context, library: Library, incomplete: Sequence[Document]) -> None:
    """Ask the person at the terminal if consent is undecided.

    Without a terminal the library refuses.
    """
    from shisho.domain.task import WebConsent

    is_settled = library.web.get_consent() is not WebConsent.NOT_ASKED
    if is_settled or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    say = load_words(context)
    dois = "\n".join(f"  {document.metadata['doi']}" for document in incomplete)
    typer.echo(say("consent_dois", queries=dois), err=True)
    is_agreed = confirm(say("consent_sure"))
    if is_agreed:
        library.web.set_consent(WebConsent.GIVEN)
    typer.echo(say("consent_kept" if is_agreed else "consent_not_kept"), err=True)
