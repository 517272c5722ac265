"""`shisho engines`: the state of engines; and parse a saved result page like a worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.runner import Json, load_words, run, show
from shisho.messages.catalogue import render, translate_word

if TYPE_CHECKING:
    from shisho.services import Library

app = typer.Typer(cls=CommandGroup, name="engines", help="help.engines")


@app.callback(invoke_without_command=True, help="help.engines_list")
def engines(context: typer.Context, json_: Json = False) -> None:
    """List the engines with their availability, success rate and remaining daily quota."""
    if context.invoked_subcommand is not None:
        return

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli import render_queue

        rows = await library.web.list_engines()
        show(rows, json_, lambda: render_queue.print_engines(rows, load_words(context)))

    run(context, execute, json_, "interrupted_look")


@app.command(help="help.engines_parse")
def parse(
    context: typer.Context,
    engine: Annotated[str, typer.Argument(help="help.argument_engine")],
    file: Annotated[Path, typer.Argument(help="help.argument_page_file")],
    as_json: Annotated[bool, typer.Option("--json", help="help.option_json_object")] = False,
    url: Annotated[str, typer.Option(help="help.option_page_url")] = "",
    status: Annotated[int, typer.Option(help="help.option_http_status")] = 200,
) -> None:
    """Print the hits, the challenge and the next-page state of a saved page.

    Exits with 1 if it is unreadable.
    """
    answer = parse_file(engine, file, url, status, **(context.obj or {}))
    if as_json:
        typer.echo(json.dumps(answer, ensure_ascii=False))
    else:
        _print(answer)
    raise typer.Exit(0 if answer.get("ok", True) else 1)


def parse_file(engine: str, file: Path, url: str = "", status: int = 200, **given: Any) -> dict[str, Any]:
    """Parse a page as `parse --json` prints it, or return `{ok: false, code, message, details}`.

    Further keywords are settings.
    """
    import asyncio

    from shisho.bootstrap.files import read_file
    from shisho.bootstrap.library import read_result_page
    from shisho.domain.web import Response
    from shisho.errors import ShishoError

    try:
        serp = asyncio.run(read_result_page(engine, Response(read_file(file), url, status), **given))
    except ShishoError as error:
        return {
            "ok": False,
            "code": error.code,
            "message": render(error.message),
            "details": dict(error.details),
        }
    return {
        "engine": serp.engine or None,
        "hits": [
            {"rank": h.rank, "url": h.url, "title": h.title, "snippet": h.snippet, "date": h.date}
            for h in serp.hits
        ],
        "challenge": serp.challenge.kind.value if serp.challenge else None,
        "next": dict(serp.next) if serp.next is not None else None,
        "no_results": serp.no_results,
        "warnings": list(serp.warnings),
    }


def _print(answer: dict[str, Any]) -> None:
    if "code" in answer:
        typer.echo(f"{answer['code']}: {answer['message']}", err=True)
        return
    challenge = translate_word(f"proof_{answer['challenge'] or 'none'}")
    typer.echo(translate_word("parsed", engine=answer["engine"], n=len(answer["hits"]), challenge=challenge))
    for hit in answer["hits"]:
        typer.echo(f"{hit['rank']:3} {hit['title']}\n    {hit['url']}")
