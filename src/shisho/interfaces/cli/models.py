"""`shisho models try|set`: the language model of the librarian, its cost, and which one is used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shisho import settings as settings_
from shisho.domain.model import ModelUse
from shisho.errors import InvalidParams, ModelFailed
from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.interrupts import run_to_end
from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.domain.inquiry import Answer
    from shisho.services import Library
    from shisho.services.news import News

app = typer.Typer(cls=CommandGroup, name="models", help="help.models", no_args_is_help=True)
_SETTINGS = ("model", "model_plan", "model_evaluate", "model_answer")


@dataclass(frozen=True, slots=True)
class TimedUse:
    """A use of a model, and the seconds of its node."""

    use: ModelUse
    seconds: float


@dataclass(frozen=True, slots=True)
class ModelReport:
    """The answer to a question, and each use of a model for it."""

    answer: Answer
    uses: tuple[TimedUse, ...]


@app.callback(help="help.models")
def models() -> None:
    """Language models of the librarian."""


@app.command("set", help="help.models_set")
def set_(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="help.argument_model_name")],
    url: Annotated[str, typer.Option(help="help.option_model_url")] = "",
    key: Annotated[bool, typer.Option("--key", help="help.option_ask_key")] = False,
) -> None:
    """Write the language model into settings.toml; it is used from the next question."""
    from shisho.bootstrap.models import set_model
    from shisho.domain.model import ModelSetting

    say = load_words(context)
    secret = typer.prompt(say("model_key"), hide_input=True, err=True) if key else None
    settings = settings_.load(**context.obj)
    set_model(settings, ModelSetting(model, url, secret))
    typer.echo(say("model_set", text=model, file=settings.home / "settings.toml"))


@app.command("try", help="help.models_try")
def try_(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="help.argument_try_question")] = "",
    model: Annotated[str | None, typer.Option(help="help.option_eval_model")] = None,
    url: Annotated[str | None, typer.Option(help="help.option_try_url")] = None,
    folders: Annotated[list[Path], typer.Option("--in", help="help.option_in")] = [],  # noqa: B006
    json_: Json = False,
) -> None:
    """Call the model once and show seconds, tokens and JSON support, or answer a question."""
    from shisho.bootstrap.models import is_same_server

    stored = settings_.load(**context.obj)
    has_key = "model_key" in context.obj
    if model is not None:
        context.obj = {**context.obj, **dict.fromkeys(_SETTINGS[1:], ""), "model": model}
    if url is not None:
        context.obj = {**context.obj, "model_url": url}
    if not has_key and not is_same_server(stored, settings_.load(**context.obj)):
        context.obj = {**context.obj, "model_key": ""}  # the stored key is for another server
    if all(settings_.load(**context.obj).read_text(name) in ("", "none") for name in _SETTINGS):
        raise InvalidParams("model.none_set")
    if not question:
        _measure(context, json_)
        return

    async def execute(library: Library) -> None:
        from shisho.domain.answer_news import StepTaken
        from shisho.domain.loop_state import LoopState
        from shisho.domain.task import Sources
        from shisho.interfaces.cli import render

        say = load_words(context)
        uses: list[TimedUse] = []

        def notify(news: News) -> None:
            change = news.change if isinstance(news, StepTaken) else LoopState()
            for use in change.get("uses", ()):
                uses.append(TimedUse(use, round(change["spent"].seconds, 1)))
                if not json_:
                    typer.echo(
                        render.describe_use(use, say) + say("use_seconds", n=uses[-1].seconds), err=True
                    )

        answer = await library.questions.ask(
            question, folders=folders, sources=Sources.DOCUMENTS, notify=notify
        )
        show(ModelReport(answer, tuple(uses)), json_, lambda: render.print_answer(answer))

    run(context, execute, json_, "interrupted_ask")


def _measure(context: typer.Context, json_: bool) -> None:
    from shisho.bootstrap.models import describe_measurement, measure_model
    from shisho.domain.model import FAULT_REMEDIES, ModelFault

    async def execute() -> None:
        try:
            measured = await measure_model(settings_.load(**context.obj))
        except ModelFailed as error:
            remedy = FAULT_REMEDIES[ModelFault(error.fault)]
            values = {"failure": error.message, "remedy": remedy, "fault": error.fault}
            raise ModelFailed("model.failure_remedy", usage=error.usage, **values) from None
        line = describe_measurement(measured)
        show(measured, json_, lambda: typer.echo(load_words(context).render(line)))

    run_to_end(execute(), context, "interrupted_ask")
