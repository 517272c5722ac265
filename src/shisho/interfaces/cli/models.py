"""`shisho models try`: one question through the configured model, and what each use of it cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shisho import settings as settings_
from shisho.domain.model import ModelUse
from shisho.errors import InvalidParams
from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.runner import Json, run, show, words

if TYPE_CHECKING:
    from shisho.desk import Desk
    from shisho.desk.news import News
    from shisho.domain.inquiry import Answer

app = typer.Typer(
    cls=CommandGroup, name="models", help="Language models of the librarian.", no_args_is_help=True
)
_SETTINGS = ("model", "model_plan", "model_evaluate", "model_answer")


@dataclass(frozen=True, slots=True)
class TimedUse:
    """A use of a model, and the seconds of its node."""

    use: ModelUse
    seconds: float


@dataclass(frozen=True, slots=True)
class ModelReport:
    """A question's answer, and each use of a model for it."""

    answer: Answer
    uses: tuple[TimedUse, ...]


@app.callback()
def models() -> None:
    """Language models of the librarian."""


@app.command("try")
def try_(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="the question")],
    model: Annotated[
        str | None, typer.Option(help="a model in place of the configured one, as provider/name")
    ] = None,
    folders: Annotated[
        list[Path], typer.Option("--in", help="take this folder in as a corpus and search only it")
    ] = [],  # noqa: B006
    json_: Json = False,
) -> None:
    """Put one question to the library's documents through the model, and show calls, tokens and seconds."""
    if model is not None:
        context.obj = {**context.obj, **dict.fromkeys(_SETTINGS[1:], ""), "model": model}
    if all(settings_.load(**context.obj).text(name) in ("", "none") for name in _SETTINGS):
        raise InvalidParams("No model is set. Name one with --model, or in the setting model.")

    async def work(desk: Desk) -> None:
        from shisho.domain.answer_news import StepTaken
        from shisho.domain.loop_state import LoopState
        from shisho.domain.task import Sources
        from shisho.interfaces.cli import render

        say = words(context)
        uses: list[TimedUse] = []

        def notify(news: News) -> None:
            change = news.change if isinstance(news, StepTaken) else LoopState()
            for use in change.get("uses", ()):
                uses.append(TimedUse(use, round(change["spent"].seconds, 1)))
                if not json_:
                    typer.echo(render.use_line(use, say) + say("use_seconds", n=uses[-1].seconds), err=True)

        answer = await desk.ask(question, folders=folders, sources=Sources.DOCUMENTS, notify=notify)
        show(ModelReport(answer, tuple(uses)), json_, lambda: render.answer(answer))

    run(context, work, json_, "interrupted_ask")
