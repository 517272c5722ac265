"""`shisho replay`: replay an answer from the record of its run, and show the differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.domain.answer_log import ReplayReport
    from shisho.services import Library

_SHOWN_CHARS = 2_000  # of each side of a difference


def replay(
    context: typer.Context,
    answer: Annotated[str, typer.Argument(help="help.argument_answer")] = "last",
    json_: Json = False,
) -> None:
    """Replay an answer over its recorded passages and replies, and report any difference."""

    async def execute(library: Library) -> None:
        report = await library.questions.replay(answer)

        def print_report() -> None:
            _print(report, context)

        show(report, json_, print_report)
        if not report.is_same:
            raise typer.Exit(1)

    run(context, execute, json_, "interrupted_look")


def _print(report: ReplayReport, context: typer.Context) -> None:
    from shisho.language.display import make_legible

    say = load_words(context)
    if report.is_same:
        typer.echo(say("replay_same", n=len(report.now.evidence)))
        return
    typer.echo(say("replay_differs", fields=", ".join(part.field for part in report.differences)))
    for difference in report.differences:
        for mark, side in (("-", difference.before), ("+", difference.now)):
            typer.echo(make_legible(f"{mark} {difference.field}: {side[:_SHOWN_CHARS]}"))
