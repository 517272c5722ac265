"""How a command of the shell runs: over a desk, its errors typed, its words in the user's language."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from shisho import settings
from shisho.errors import InvalidParams, ShishoError
from shisho.interfaces.failures import told
from shisho.interfaces.words import Words
from shisho.messages.catalogue import render, rendered

if TYPE_CHECKING:
    from shisho.desk import Desk

Json = Annotated[bool, typer.Option("--json", help="print JSON")]


def run(context: typer.Context, work: Callable[[Desk], Coroutine[Any, Any, None]], json_: bool) -> None:
    """Do the work over the desk of the home that the command names."""

    async def opened() -> None:
        from shisho.bootstrap import open_desk

        async with open_desk(**context.obj) as desk:
            await work(desk)

    try:
        asyncio.run(opened())
    except ShishoError as error:
        fail(error, json_)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def fail(error: ShishoError, json_: bool) -> NoReturn:
    """End with 2 for wrong arguments, 1 otherwise."""
    if json_:
        typer.echo(json.dumps(told(error), ensure_ascii=False))
    else:
        typer.echo(f"{error.code}: {render(error.message)}", err=True)
    raise typer.Exit(2 if isinstance(error, InvalidParams) else 1)


def words(context: typer.Context) -> Words:
    """In the language that is set."""
    return Words(settings.load(**context.obj).reader)


def show(thing: Any, json_: bool, otherwise: Callable[[], None]) -> None:
    """The thing as JSON, or as `otherwise` prints it."""
    if not json_:
        otherwise()
        return
    from shisho.domain.codec import plain

    typer.echo(json.dumps(plain(rendered(thing)), ensure_ascii=False, indent=2))


def asked_to_end(*, with_terminal: bool = False) -> asyncio.Event:
    """Set when the process is asked to end, so that it can leave things in order. `with_terminal`: also when its terminal is
    closed, which whoever is started with nohup must outlive."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", *(["SIGHUP"] if with_terminal else [])):
        try:
            loop.add_signal_handler(getattr(signal, name), ended.set)
        except (AttributeError, NotImplementedError):  # Windows: the process ends as usual; its jobs are taken back when missed
            break
    return ended
