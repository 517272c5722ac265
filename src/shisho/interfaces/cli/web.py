"""Web searches in the shell: consent, the engines, and challenges that need a person."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.interrupts import INTERRUPTED, end_request
from shisho.interfaces.cli.shell import Json, Shell, Words, library_command
from shisho.messages.catalogue import render, translate_word

if TYPE_CHECKING:
    from shisho.domain.task import WebConsent


@library_command()
async def web(
    shell: Shell,
    say: Annotated[
        Literal["on", "off", "ask"] | None,
        typer.Argument(help="help.argument_consent"),
    ] = None,
    json_: Json = False,
) -> None:
    """Set whether words of your questions may be sent to search engines.

    Without an argument, show it.
    """
    from shisho.domain.task import WebConsent

    said = {"on": WebConsent.GIVEN, "off": WebConsent.OFF, "ask": WebConsent.NOT_ASKED}
    if say is not None:
        shell.library.web.set_consent(said[say])
    state = shell.library.web.get_consent()
    since = shell.library.web.get_consent_time()
    state_row = {"state": state, "since": since or None}
    wanted = said[say] if say else state
    shell.show(state_row, lambda: typer.echo(_describe_consent(shell.say, state, since, wanted)))


def _describe_consent(words: Words, state: WebConsent, since: str, said_consent: WebConsent) -> str:
    lines = [words(f"consent_{state}", since=since[:10]).rstrip(), words("consent_how")]
    if state is not said_consent:
        lines.insert(0, words("consent_overruled"))
    return "\n".join(lines)


engines = typer.Typer(cls=CommandGroup, name="engines", help="help.engines")


@engines.callback(invoke_without_command=True, help="help.engines_list")
def list_engines(shell: Shell, json_: Json = False) -> None:
    """List the engines with their availability, success rate and remaining daily quota."""
    if shell.invoked_subcommand is None:
        _print_engines(shell=shell)


@library_command("interrupted_look")
async def _print_engines(shell: Shell) -> None:
    from shisho.interfaces.cli import render_queue

    rows = await shell.library.web.list_engines()
    shell.show(rows, lambda: render_queue.print_engines(rows, shell.say))


@engines.command(help="help.engines_parse")
def parse(
    shell: Shell,
    engine: Annotated[str, typer.Argument(help="help.argument_engine")],
    file: Annotated[Path, typer.Argument(help="help.argument_page_file")],
    json_: Annotated[bool, typer.Option("--json", help="help.option_json_object")] = False,
    url: Annotated[str, typer.Option(help="help.option_page_url")] = "",
    status: Annotated[int, typer.Option(help="help.option_http_status")] = 200,
) -> None:
    """Print the hits, the challenge and the next-page state of a saved page.

    Exits with 1 if it is unreadable.
    """
    answer = parse_file(engine, file, url, status, **(shell.obj or {}))
    if json_:
        typer.echo(json.dumps(answer, ensure_ascii=False))
    else:
        _print_page(answer)
    raise typer.Exit(0 if answer.get("ok", True) else 1)


def parse_file(engine: str, file: Path, url: str = "", status: int = 200, **given: Any) -> dict[str, Any]:
    """Parse a page as `parse --json` prints it, or return `{ok: false, code, message, details}`.

    Further keywords are settings.
    """
    from shisho.bootstrap.library import read_result_page
    from shisho.bootstrap.personal import read_file
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


def _print_page(answer: dict[str, Any]) -> None:
    if "code" in answer:
        typer.echo(f"{answer['code']}: {answer['message']}", err=True)
        return
    challenge = translate_word(f"proof_{answer['challenge'] or 'none'}")
    typer.echo(translate_word("parsed", engine=answer["engine"], n=len(answer["hits"]), challenge=challenge))
    for hit in answer["hits"]:
        typer.echo(f"{hit['rank']:3} {hit['title']}\n    {hit['url']}")


auth = typer.Typer(cls=CommandGroup, help="help.auth", no_args_is_help=True)

Item = Annotated[str, typer.Argument(metavar="[ID|DOMAIN]", help="help.argument_wait")]
TaskOption = Annotated[str | None, typer.Option(help="help.option_wait_task")]


@auth.command("list", help="help.auth_list")
@library_command("interrupted_look")
async def list_(shell: Shell, json_: Json = False) -> None:
    """List the challenges that wait for a person."""
    from shisho.interfaces.cli import render_queue

    interventions = await shell.library.web.get_auth_queue()
    shell.show(interventions, lambda: render_queue.print_waiting(interventions, shell.say))


@auth.command("open", help="help.auth_open")
@library_command()
async def open_(shell: Shell, item: Item = "last", json_: Json = False) -> None:
    """Open a challenge in a browser window and wait.

    Once solved, its domain's waiting jobs resume.
    """
    from shisho.domain.intervention import find_intervention

    if find_intervention(await shell.library.web.get_auth_queue(), item) is not None:
        typer.echo(shell.say("opening"), err=True)
    opening = asyncio.create_task(shell.library.web.open_auth(item))
    task = asyncio.create_task(end_request(with_terminal=True).wait())
    await asyncio.wait([opening, task], return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    if opening.cancel():  # it keeps waiting for another person
        await asyncio.wait([opening])
        typer.echo(shell.say("still_waits"), err=True)
        raise typer.Exit(INTERRUPTED)
    opened = opening.result()
    text = shell.say("requeued" if opened.through else "still_waits", n=len(opened.requeued))
    shell.show(opened, lambda: typer.echo(text))


@auth.command(help="help.auth_done")
@library_command()
async def done(shell: Shell, item: Item = "last", task: TaskOption = None, json_: Json = False) -> None:
    """Mark a challenge as solved: all waiting jobs of its domain or engine resume."""
    await _resolve(shell, item, task, skip=False)


@auth.command(help="help.auth_skip")
@library_command()
async def skip(shell: Shell, item: Item = "last", task: TaskOption = None, json_: Json = False) -> None:
    """Skip a challenge: its searches finish with their results so far."""
    await _resolve(shell, item, task, skip=True)


async def _resolve(shell: Shell, item: str, task: str | None, *, skip: bool) -> None:
    from shisho.domain.intervention import AuthAction, AuthTarget

    target, name = (AuthTarget.ITEM, item) if task is None else (AuthTarget.TASK, task)
    if task is None and any(row.domain == item for row in await shell.library.web.get_auth_queue()):
        target = AuthTarget.DOMAIN
    action = AuthAction.SKIP if skip else AuthAction.COMPLETE
    freed = await shell.library.web.resolve_auth(target, name, action)
    text = shell.say("ended_with" if skip else "requeued", n=freed.resolved)
    shell.show(freed, lambda: typer.echo(text))
