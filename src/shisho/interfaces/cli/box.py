"""`shisho box`: a small local web for experiments."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from shisho import settings
from shisho.errors import ExtraMissing
from shisho.messages import Message
from shisho.messages.catalogue import render, translate_word
from shisho.messages.system import explain_error

if TYPE_CHECKING:
    from shisho_box.server import Box

Port = Annotated[int, typer.Option(min=0, max=65_535, help="help.option_box_port")]


def box(
    context: typer.Context,
    folder: Annotated[Path | None, typer.Option(help="help.option_box_folder")] = None,
    port: Port = 0,
    https_port: Port = 0,
    seed: Annotated[int, typer.Option(help="help.option_box_seed")] = 0,
    topics: Annotated[int, typer.Option(min=0, max=42, help="help.option_box_topics")] = 16,
    pages: Annotated[int, typer.Option(min=4, max=500, help="help.option_box_pages")] = 20,
    decay: Annotated[
        Literal["steep", "linear", "long_tail", "cliff"],
        typer.Option(help="help.option_box_slope"),
    ] = "steep",
) -> None:
    """Serve a small local web, engines and pages, until interrupted."""
    try:
        from shisho_box.ranking import Decay
        from shisho_box.server import Box
    except ModuleNotFoundError:
        raise ExtraMissing("box.extra_missing", extra="box") from None
    home = folder or settings.load(**context.obj).home / "box"
    made_box = Box(
        seed=seed,
        topics=topics,
        pages=pages,
        decay=Decay(decay),
        folder=home.resolve(),
        http_port=port,
        https_port=https_port,
    )
    try:
        asyncio.run(_run(made_box))
    except OSError as error:
        if error.filename:
            raise  # file errors are reported by the common handler
        typer.echo(
            render(
                Message(
                    "box.cannot_listen",
                    error=explain_error(error),
                )
            ),
            err=True,
        )
        raise typer.Exit(1) from error


async def _run(box: Box) -> None:
    event = asyncio.Event()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signal_number, event.set)
    async with box:
        typer.echo(_describe_box(box))
        await event.wait()


def _describe_box(box: Box) -> str:
    # One of each kind of topic, generated or written.
    questions = {question.topic: question.text for question in reversed(box.questions)}
    queries = [*questions.values()][::3][:8]
    return translate_word(
        "box_told",
        pages=len(box.web.world.pages),
        hosts=len(box.hosts),
        folder=box.folder,
        http=box.ports.http,
        https=box.ports.https,
        log=box.log_file,
        queries="\n".join(f"  {query}" for query in queries),
    )
