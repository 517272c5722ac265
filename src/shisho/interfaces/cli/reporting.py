"""`shisho report`: a long text in sections from the documents, with a budget estimate."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.errors import InvalidParams
from shisho.interfaces.api.filters import parse_filters
from shisho.interfaces.cli.asking import Corpora, Filters
from shisho.interfaces.cli.interrupts import (
    INTERRUPTED,
    SECONDS_BETWEEN_LOOKS,
    Heard,
    confirm,
    stop_on_interrupt,
)
from shisho.interfaces.cli.messages import Words
from shisho.interfaces.cli.runner import Json
from shisho.interfaces.cli.runner import load_words as _words
from shisho.interfaces.cli.runner import run as _run
from shisho.interfaces.cli.runner import show as _print

if TYPE_CHECKING:
    from shisho.domain.task import AnswerHandle, AskOptions
    from shisho.services import Library


def report(
    context: typer.Context,
    request: Annotated[str, typer.Argument(help="help.argument_report")],
    words: Annotated[int, typer.Option(help="help.option_report_words")] = 0,
    sections: Annotated[int, typer.Option(help="help.option_report_sections")] = 0,
    folders: Annotated[list[Path], typer.Option("--folder", help="help.option_report_folder")] = [],  # noqa: B006
    corpora: Corpora = [],  # noqa: B006
    filters: Filters = [],  # noqa: B006
    yes: Annotated[bool, typer.Option("--yes", help="help.option_report_yes")] = False,
    json_: Json = False,
) -> None:
    """Write a report from your documents, section by section, each sentence with its source."""

    async def execute(library: Library) -> None:
        from shisho.domain.inquiry import LoopStop
        from shisho.domain.requirements import RequestKind, Requirements
        from shisho.domain.task import AskOptions, Sources
        from shisho.interfaces.cli import render
        from shisho.services.adding import resolve_path

        say = _words(context)
        places = tuple(resolve_path(folder) for folder in folders)
        for folder in places:
            await library.folders.check(folder)
        estimate = library.questions.estimate_report(sections=sections, words=words)
        facts = {name: getattr(estimate, name) for name in ("sections", "model_calls", "max_model_calls")}
        typer.echo(say("report_budget", tokens=f"{estimate.tokens:,}", **facts), err=True)
        if not (yes or _ask_to_start(say)):
            return
        for folder in places:
            async for _ in library.folders.mirror(folder):
                pass
        required = Requirements(kind=RequestKind.REPORT, sections=sections, words=words)
        options = AskOptions(
            corpora=(*corpora, *places),
            filters=parse_filters(filters),
            sources=Sources.DOCUMENTS,
            requirements=required,
        )
        handle = await _write(library, request, options, say, stop_on_interrupt(say))
        if handle.answer is None:
            typer.echo(say("report_not_begun"), err=True)
            raise typer.Exit(INTERRUPTED)
        answer = handle.answer
        _print(answer, json_, lambda: render.print_answer(answer))
        if answer.loop_stop is LoopStop.STOPPED:
            raise typer.Exit(INTERRUPTED)

    _run(context, execute, json_, "interrupted_ask")


def _ask_to_start(say: Words) -> bool:
    if not sys.stdin.isatty():
        raise InvalidParams("report.no_terminal")
    return confirm(say("report_start"))


async def _write(
    library: Library, request: str, options: AskOptions, say: Words, stop: Heard
) -> AnswerHandle:
    """Queue the report, work on it here, and show its progress until it is written or stopped."""
    queued = await library.questions.queue(request, options=options, wait=0)
    async with library.working():
        following = asyncio.create_task(_follow(library, queued.answer_id, say))
        while not following.done():
            await asyncio.wait([following], timeout=SECONDS_BETWEEN_LOOKS)
            if stop():
                following.cancel()
                return await library.questions.stop(queued.answer_id)
        return await following


async def _follow(library: Library, answer_id: str, say: Words) -> AnswerHandle:
    from rich.console import Console
    from rich.text import Text

    from shisho.domain.answer_news import AnswerStep
    from shisho.language.unseen import strip_unseen

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    handle: AnswerHandle | None = None
    async for news in library.questions.follow(answer_id):
        if not isinstance(news, AnswerStep):
            handle = news
        elif news.section and not news.replayed:
            console.print(say("report_progress", n=news.section, of=news.sections))
        elif news.sentence and console.is_terminal:
            console.print(Text(strip_unseen(news.sentence), style="dim"), soft_wrap=True)
    assert handle is not None  # the last event has it
    return handle
