"""`shisho ask` and `shisho evidence`: a question with its requirements, and the evidence found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from shisho.errors import InvalidParams
from shisho.interfaces.api.filters import parse_filters
from shisho.interfaces.cli.interrupts import INTERRUPTED, stop_on_interrupt
from shisho.interfaces.cli.runner import Brief, Json
from shisho.interfaces.cli.runner import load_words as _words
from shisho.interfaces.cli.runner import run as _run
from shisho.interfaces.cli.runner import show as _print

if TYPE_CHECKING:
    from shisho.domain.inquiry import Answer
    from shisho.services import Library

Filters = Annotated[list[str], typer.Option("--filter", "-f", help="help.option_filter")]
Corpora = Annotated[list[str], typer.Option("--corpus", "-c", help="help.option_only_corpus")]
Folders = Annotated[list[Path], typer.Option("--in", help="help.option_in")]
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


def ask(
    context: typer.Context,
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
    options = zip(PLAN_FIELDS, (list(map(read_goal, goals)), condition, complexity, kind, exclude))  # noqa: B905
    required = read_plan(plan) | {name: value for name, value in options if value}

    async def execute(library: Library) -> None:
        from shisho.domain.inquiry import LoopStop
        from shisho.domain.task import Sources
        from shisho.interfaces.cli import consent, progress, render

        stop = stop_on_interrupt(words := _words(context))
        name = "last" if continue_ is None else continue_

        async def get_answer() -> Answer:
            with progress.show_progress(words, quiet=json_) as notify:
                if question is None:
                    return await library.questions.resume(name, notify, stop)
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
        answer = await consent.ask_with_consent(library, words, *needs)
        _print(answer, json_, lambda: render.print_answer(answer, is_brief=brief))
        if answer.loop_stop is LoopStop.STOPPED and stop():
            raise typer.Exit(INTERRUPTED)

    _run(context, execute, json_, "interrupted_ask")


def evidence(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="help.argument_answer_or_session")] = "last",
    json_: Json = False,
) -> None:
    """Show the evidence accepted so far for an answer or a session, with its goals."""

    async def execute(library: Library) -> None:
        from shisho.interfaces.cli import render

        accepted = await library.questions.list_evidence(id_)
        _print(accepted, json_, lambda: render.print_evidence(accepted, _words(context)))

    _run(context, execute, json_, "interrupted_look")


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
