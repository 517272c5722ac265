"""Commands over questions and their answers: ask, report, show, export, replay."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from shisho.errors import InvalidParams
from shisho.interfaces.api.filters import parse_filters
from shisho.interfaces.cli.interrupts import (
    INTERRUPTED,
    SECONDS_BETWEEN_LOOKS,
    confirm,
    stop_on_interrupt,
)
from shisho.interfaces.cli.shell import (
    Brief,
    Corpora,
    Filters,
    Folders,
    Json,
    Shell,
    Words,
    async_command,
    library_command,
)

if TYPE_CHECKING:
    from shisho.domain.answer_log import ReplayReport
    from shisho.domain.inquiry import Answer
    from shisho.domain.task import AnswerHandle, AskOptions

Anywhere = Annotated[bool, typer.Option("--anywhere", help="help.option_widen")]

CONTINUED = "help.option_continue"


Goals = Annotated[
    list[str],
    typer.Option("--goal", help="help.option_goal"),
]
EndCondition = Annotated[str, typer.Option("--condition", help="help.option_condition")]
QuestionComplexity = Annotated[
    Literal["single", "several", "comparison"] | None,
    typer.Option("--complexity", help="help.option_complexity"),
]
Kind = Annotated[
    Literal["fact", "explain", "list", "compare", "report", "summary", "collection"] | None,
    typer.Option("--kind", help="help.option_kind"),
]
Exclude = Annotated[list[str], typer.Option("--exclude", help="help.option_exclude")]
Plan = Annotated[Path | None, typer.Option("--plan", help="help.option_plan")]
WebUse = Annotated[
    Literal["auto", "documents", "web", "both"],
    typer.Option(
        "--sources",
        help="help.option_sources",
    ),
]
NO_QUESTION = "ask.no_question"
PLAN_FIELDS = ("goals", "condition", "complexity", "kind", "exclude_ids")


@async_command("interrupted_ask")
async def ask(
    shell: Shell,
    question: Annotated[str | None, typer.Argument(help="help.argument_question")] = None,
    folders: Folders = [],  # noqa: B006
    corpora: Corpora = [],  # noqa: B006
    filters: Filters = [],  # noqa: B006
    goals: Goals = [],  # noqa: B006
    condition: EndCondition = "",
    complexity: QuestionComplexity = None,
    kind: Kind = None,
    exclude: Exclude = [],  # noqa: B006
    plan: Plan = None,
    sources: WebUse = "auto",
    continue_: Annotated[str | None, typer.Option("--continue", help=CONTINUED)] = None,
    anywhere: Anywhere = False,
    max_rounds: Annotated[int | None, typer.Option(help="help.option_rounds")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="help.option_seconds")] = None,
    brief: Brief = False,
    json_: Json = False,
) -> None:
    """Answer a question with verifiable quotations."""
    if question is None and continue_ is None:
        raise InvalidParams(NO_QUESTION)
    from shisho.bootstrap.library import open_library
    from shisho.domain.inquiry import LoopStop
    from shisho.domain.task import Sources
    from shisho.interfaces.cli import consent, progress, render

    options = zip(PLAN_FIELDS, (list(map(read_goal, goals)), condition, complexity, kind, exclude))  # noqa: B905
    required = read_plan(plan) | {name: value for name, value in options if value}
    async with open_library(**shell.obj) as library:
        stop = stop_on_interrupt(shell.say)

        async def get_answer() -> Answer:
            with progress.show_progress(shell.say, quiet=json_) as notify:
                if question is None:
                    return await library.questions.resume(continue_ or "last", notify, stop)
                return await library.questions.ask(
                    question,
                    **required,
                    folders=folders,
                    corpora=corpora,
                    filters=parse_filters(filters),
                    budget={"max_rounds": max_rounds, "max_seconds": max_seconds},
                    sources=Sources(sources),
                    conversation=continue_,
                    anywhere=anywhere,
                    notify=notify,
                    stop=stop,
                )

        source = Sources.DOCUMENTS if filters and sources == "auto" else Sources(sources)
        needs = ((question, continue_), source, get_answer, required.get("goals", ()))
        answer = await consent.ask_with_consent(library, shell.say, *needs)
        shell.show(answer, lambda: render.print_answer(answer, is_brief=brief))
        if answer.loop_stop is LoopStop.STOPPED and stop():
            raise typer.Exit(INTERRUPTED)


@library_command("interrupted_look")
async def evidence(
    shell: Shell,
    id_: Annotated[str, typer.Argument(metavar="ID", help="help.argument_answer_or_session")] = "last",
    json_: Json = False,
) -> None:
    """Show the evidence accepted so far for an answer or a session, with its goals."""
    from shisho.interfaces.cli import render

    accepted = await shell.library.questions.list_evidence(id_)
    shell.show(accepted, lambda: render.print_evidence(accepted, shell.say))


def read_goal(text: str) -> dict[str, str]:
    """Read `ID=QUESTION`, or a question alone. An id contains no space."""
    id_, equals, question = text.partition("=")
    has_id = bool(equals) and not any(map(str.isspace, id_.strip()))
    return {"id": id_.strip(), "question": question} if has_id else {"question": text}


def read_plan(path: Path | None) -> dict[str, Any]:
    """Read the requirements in a JSON file: an object, or a list of goals.

    Raises: InvalidParams.
    """
    if path is None:
        return {}
    try:
        read = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InvalidParams(
            "ask.plan_unreadable",
            path=str(path),
            error=str(error),
        ) from error
    plan = {"goals": read} if isinstance(read, list) else read
    unknown = [name for name in plan if name not in PLAN_FIELDS] if isinstance(plan, dict) else ["–"]
    if unknown:
        raise InvalidParams(
            "ask.plan_unknown_field",
            fields=", ".join(PLAN_FIELDS),
            unknown=", ".join(unknown),
        )
    return {name: value for name, value in plan.items() if value is not None}


@library_command("interrupted_ask")
async def report(
    shell: Shell,
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
    from shisho.domain.inquiry import LoopStop
    from shisho.domain.requirements import RequestKind, Requirements
    from shisho.domain.task import AskOptions, Sources
    from shisho.interfaces.cli import render
    from shisho.services.adding import resolve_path

    say = shell.say
    places = tuple(resolve_path(folder) for folder in folders)
    for folder in places:
        await shell.library.folders.check(folder)
    estimate = shell.library.questions.estimate_report(sections=sections, words=words)
    facts = {name: getattr(estimate, name) for name in ("sections", "model_calls", "max_model_calls")}
    typer.echo(say("report_budget", tokens=f"{estimate.tokens:,}", **facts), err=True)
    if not (yes or _ask_to_start(say)):
        return
    for folder in places:
        async for _ in shell.library.folders.mirror(folder):
            pass
    required = Requirements(kind=RequestKind.REPORT, sections=sections, words=words)
    options = AskOptions(
        corpora=(*corpora, *places),
        filters=parse_filters(filters),
        sources=Sources.DOCUMENTS,
        requirements=required,
    )
    handle = await _write_report(shell, request, options)
    if handle.answer is None:
        typer.echo(say("report_not_begun"), err=True)
        raise typer.Exit(INTERRUPTED)
    answer = handle.answer
    shell.show(answer, lambda: render.print_answer(answer))
    if answer.loop_stop is LoopStop.STOPPED:
        raise typer.Exit(INTERRUPTED)


def _ask_to_start(say: Words) -> bool:
    if not sys.stdin.isatty():
        raise InvalidParams("report.no_terminal")
    return confirm(say("report_start"))


async def _write_report(shell: Shell, request: str, options: AskOptions) -> AnswerHandle:
    """Queue the report, work on it here, and show its progress until it is written or stopped."""
    stop = stop_on_interrupt(shell.say)
    queued = await shell.library.questions.queue(request, options=options, wait=0)
    async with shell.library.working():
        following = asyncio.create_task(_follow_report(shell, queued.answer_id))
        while not following.done():
            await asyncio.wait([following], timeout=SECONDS_BETWEEN_LOOKS)
            if stop():
                following.cancel()
                return await shell.library.questions.stop(queued.answer_id)
        return await following


async def _follow_report(shell: Shell, answer_id: str) -> AnswerHandle:
    from rich.console import Console
    from rich.text import Text

    from shisho.domain.answer_news import AnswerStep
    from shisho.language.normalise import strip_unseen

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    handle: AnswerHandle | None = None
    async for news in shell.library.questions.follow(answer_id):
        if not isinstance(news, AnswerStep):
            handle = news
        elif news.section and not news.replayed:
            console.print(shell.say("report_progress", n=news.section, of=news.sections))
        elif news.sentence and console.is_terminal:
            console.print(Text(strip_unseen(news.sentence), style="dim"), soft_wrap=True)
    assert handle is not None  # the last event has it
    return handle


@library_command("interrupted_look")
async def show(
    shell: Shell,
    id_: Annotated[str, typer.Argument(metavar="ID", help="help.argument_show")] = "last",
    brief: Brief = False,
    json_: Json = False,
) -> None:
    """Show an answer with its condition, goals and evidence; a piece of evidence; or a document."""
    from shisho.interfaces.cli import render

    thing = await shell.library.show(id_)
    pages = await shell.library.viewer.list_page_starts(thing[0].id) if isinstance(thing, tuple) else {}
    shell.show(thing, lambda: render.print_item(thing, shell.say, pages, is_brief=brief))


@library_command("interrupted_look")
async def export(
    shell: Shell,
    answer: Annotated[str, typer.Argument(help="help.argument_answer")] = "last",
    format_: Annotated[
        str,
        typer.Option("--format", help="help.option_format"),
    ] = "md",
    out: Annotated[Path | None, typer.Option(help="help.option_out")] = None,
    local_paths: Annotated[bool, typer.Option("--local-paths", help="help.option_full_paths")] = False,
) -> None:
    """Export an answer with its evidence."""
    if format_ == "pdf" and out is None and sys.stdout.isatty():
        raise InvalidParams("export.pdf_to_terminal")
    data = await shell.library.exports.render_file(answer, format_, local_paths=local_paths)
    if out is None:
        typer.echo(data, nl=False)
    else:
        from shisho.bootstrap.personal import write_file

        await asyncio.to_thread(write_file, out, data)


@library_command()
async def conversation(
    shell: Shell,
    id_: Annotated[str, typer.Argument(metavar="ID", help="help.argument_conversation")] = "last",
    remove: Annotated[bool, typer.Option("--remove", help="help.option_forget")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="help.option_yes_forget")] = False,
    json_: Json = False,
) -> None:
    """Show the questions of a conversation, each with its interpretation; or erase it."""
    from shisho.interfaces.cli import render

    say = shell.say
    turns = await shell.library.conversations.list_turns(id_)
    if not remove:
        shell.show(turns, lambda: render.print_turns(turns, say))
        return
    count = len(turns)
    if not yes and not sys.stdin.isatty():
        raise InvalidParams(say("forget_unasked"))
    if not yes and not confirm(say("forget_sure", n=count)):
        raise typer.Exit(1)
    removed = await shell.library.conversations.remove(id_)
    tasks = ", ".join(removed.kept_tasks)
    shell.show(removed, lambda: typer.echo(say("forgotten", n=count)))
    if tasks and not json_:
        typer.echo(say("forget_kept", tasks=tasks), err=True)


_SHOWN_CHARS = 2_000  # of each side of a difference


@library_command("interrupted_look")
async def replay(
    shell: Shell,
    answer: Annotated[str, typer.Argument(help="help.argument_answer")] = "last",
    json_: Json = False,
) -> None:
    """Replay an answer over its recorded passages and replies, and report any difference."""
    report = await shell.library.questions.replay(answer)

    shell.show(report, lambda: _print_replay(report, shell.say))
    if not report.is_same:
        raise typer.Exit(1)


def _print_replay(report: ReplayReport, say: Words) -> None:
    from shisho.language.display import make_legible

    if report.is_same:
        typer.echo(say("replay_same", n=len(report.now.evidence)))
        return
    typer.echo(say("replay_differs", fields=", ".join(part.field for part in report.differences)))
    for difference in report.differences:
        for mark, side in (("-", difference.before), ("+", difference.now)):
            typer.echo(make_legible(f"{mark} {difference.field}: {side[:_SHOWN_CHARS]}"))
