"""`shisho models` and `eval`: language models, embedders, and measurements on your own sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shisho import settings as settings_
from shisho.domain.embedding import StoredModel
from shisho.domain.model import FoundModel, ModelUse
from shisho.errors import InvalidParams, ModelFailed
from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.shell import Json, Shell, Words, async_command
from shisho.records import dataclass
from shisho.settings import Settings, Value

if TYPE_CHECKING:
    from shisho.domain.inquiry import Answer
    from shisho.services.news import News

models = typer.Typer(cls=CommandGroup, name="models", help="help.models", no_args_is_help=True)
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


@models.callback(help="help.models")
def describe_models() -> None:
    """Language models of the librarian."""


@models.command("set", help="help.models_set")
def set_(
    shell: Shell,
    model: Annotated[str, typer.Argument(help="help.argument_model_name")],
    url: Annotated[str, typer.Option(help="help.option_model_url")] = "",
    key: Annotated[bool, typer.Option("--key", help="help.option_ask_key")] = False,
) -> None:
    """Write the language model into settings.toml; it is used from the next question."""
    from shisho.bootstrap.models import set_model
    from shisho.domain.model import ModelSetting

    say = shell.say
    secret = typer.prompt(say("model_key"), hide_input=True, err=True) if key else None
    settings = shell.load_settings()
    set_model(settings, ModelSetting(model, url, secret))
    typer.echo(say("model_set", text=model, file=settings.home / "settings.toml"))


@models.command("try", help="help.models_try")
@async_command("interrupted_ask")
async def try_(
    shell: Shell,
    question: Annotated[str, typer.Argument(help="help.argument_try_question")] = "",
    model: Annotated[str | None, typer.Option(help="help.option_eval_model")] = None,
    url: Annotated[str | None, typer.Option(help="help.option_try_url")] = None,
    folders: Annotated[list[Path], typer.Option("--in", help="help.option_in")] = [],  # noqa: B006
    json_: Json = False,
) -> None:
    """Call the model once and show seconds, tokens and JSON support, or answer a question."""
    from shisho.bootstrap.models import is_same_server

    stored = shell.load_settings()
    has_key = "model_key" in shell.obj
    if model is not None:
        shell.obj = {**shell.obj, **dict.fromkeys(_SETTINGS[1:], ""), "model": model}
    if url is not None:
        shell.obj = {**shell.obj, "model_url": url}
    if not has_key and not is_same_server(stored, shell.load_settings()):
        shell.obj = {**shell.obj, "model_key": ""}  # the stored key is for another server
    if all(shell.load_settings().read_text(name) in ("", "none") for name in _SETTINGS):
        raise InvalidParams("model.none_set")
    if not question:
        await _measure(shell)
        return
    from shisho.bootstrap.library import open_library
    from shisho.domain.answer_news import StepTaken
    from shisho.domain.loop_state import LoopState
    from shisho.domain.task import Sources
    from shisho.interfaces.cli import render

    say = shell.say
    uses: list[TimedUse] = []

    def notify(news: News) -> None:
        change = news.change if isinstance(news, StepTaken) else LoopState()
        for use in change.get("uses", ()):
            uses.append(TimedUse(use, round(change["spent"].seconds, 1)))
            if not json_:
                typer.echo(render.describe_use(use, say) + say("use_seconds", n=uses[-1].seconds), err=True)

    async with open_library(**shell.obj) as library:
        answer = await library.questions.ask(
            question, folders=folders, sources=Sources.DOCUMENTS, notify=notify
        )
    shell.show(ModelReport(answer, tuple(uses)), lambda: render.print_answer(answer))


async def _measure(shell: Shell) -> None:
    from shisho.bootstrap.models import describe_measurement, measure_model
    from shisho.domain.model import FAULT_REMEDIES, ModelFault

    try:
        measured = await measure_model(shell.load_settings())
    except ModelFailed as error:
        remedy = FAULT_REMEDIES[ModelFault(error.fault)]
        values = {"failure": error.message, "remedy": remedy, "fault": error.fault}
        raise ModelFailed("model.failure_remedy", usage=error.usage, **values) from None
    line = describe_measurement(measured)
    shell.show(measured, lambda: typer.echo(shell.say.render(line)))


MB = 1_000_000
Name = Annotated[str, typer.Argument(help="help.argument_model")]


@dataclass(frozen=True, slots=True)
class ModelList:
    """The configured language model, those of local servers, and the embedders."""

    model: str
    local: tuple[FoundModel, ...]
    embedders: tuple[StoredModel, ...]


@models.command("list", help="help.models_list")
@async_command("interrupted_look")
async def list_(shell: Shell, json_: Json = False) -> None:
    """List language models, configured or local, and embedding models.

    A star marks the one in use.
    """
    from shisho.bootstrap.embedder import open_model_files
    from shisho.bootstrap.models import find_models

    settings = shell.load_settings()
    embedders = tuple(open_model_files(settings).list_models())
    found = ModelList(settings.read_text("model"), tuple(await find_models()), embedders)
    shell.show(found, lambda: _print_models(found, settings.read_text("embedder"), shell.say))


def _print_models(found: ModelList, embedder: str, say: Words) -> None:
    typer.echo(say("language_model", text=found.model))
    for other in found.local:
        star = "*" if other.name == found.model else " "
        how = f"shisho models set {other.name}{f' --url {other.url}' if other.url else ''}"
        typer.echo(f"{star} {say('found_model', text=other.name, server=other.server, how=how)}")
    if not found.local:
        typer.echo(say("no_found_models"))
    typer.echo(say("embedding_models"))
    for stored in found.embedders:
        star = "*" if stored.name == embedder else " "
        size = f"{stored.size / MB:.1f}"
        typer.echo(f"{star} {say('model_line', text=stored.name, size=size, source=stored.source)}")
    if not found.embedders:
        typer.echo(say("no_models"))


@models.command(help="help.models_pull")
@async_command("interrupted_pull")
async def pull(shell: Shell, name: Name) -> None:
    """Download an embedding model, or resume its download. A complete one is unchanged."""
    from shisho.bootstrap.embedder import pull_model
    from shisho.interfaces.cli.render_adding import build_progress

    say = shell.say
    with build_progress(say) as bar:
        line = bar.add_task("", total=None, page=f"MB  {name}")

        def report(done: int, total: int) -> None:
            bar.update(line, completed=done / MB, total=total / MB)

        is_new = await pull_model(shell.load_settings(), name, report)
    typer.echo(say("pulled" if is_new else "pulled_before", text=name))


@models.command(help="help.models_export")
def export(
    shell: Shell,
    name: Name,
    file: Annotated[Path, typer.Argument(help="help.argument_new_file")],
) -> None:
    """Write an embedding model into one file, for a machine without network."""
    from shisho.bootstrap.embedder import open_model_files

    open_model_files(shell.load_settings()).export(name, file)
    typer.echo(shell.say("backed_up", text=file))


@models.command("import", help="help.models_import")
def import_(shell: Shell, file: Annotated[Path, typer.Argument(help="help.argument_model_file")]) -> None:
    """Import an embedding model from a file that another machine exported."""
    from shisho.bootstrap.embedder import open_model_files

    name = open_model_files(shell.load_settings()).import_(file)
    typer.echo(shell.say("pulled", text=name))


@models.command(help="help.models_remove")
def remove(shell: Shell, name: Name) -> None:
    """Remove an embedding model; its vectors are kept until another model has replaced them."""
    from shisho.bootstrap.embedder import remove_model

    remove_model(shell.load_settings(), name)
    typer.echo(shell.say("model_removed", text=name))


RULES = "none"
_NODES = ("model_plan", "model_evaluate", "model_answer")
_TEXTS = ("model", *_NODES, "model_url", "model_key", "preset")
_REALS = ("model_seconds", "max_seconds")
KINDS = ("answers", "support", "calibrate")


@async_command("interrupted_eval")
async def evaluate(
    shell: Shell,
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="[answers|support|calibrate] FOLDER",
            help="help.argument_set",
        ),
    ],
    answers: Annotated[int, typer.Option(help="help.option_eval_answers")] = 0,
    limit: Annotated[int | None, typer.Option(help="help.option_eval_limit")] = None,
    model: Annotated[str | None, typer.Option(help="help.option_eval_model")] = None,
    embedder: Annotated[str, typer.Option(help="help.option_eval_embedder")] = "none",
    json_: Json = False,
) -> None:
    """Measure retrieval, answers or the support check on your own set, by rules and a model."""
    kind, folder = _read_kind(places)
    if not kind:
        await _measure_retrieval(shell, folder, answers, limit, embedder)
        return
    if kind == "calibrate":
        await _calibrate(shell, folder, limit)
        return
    tables = {}
    for name, given in _list_configurations(shell, model).items():
        tables[name] = await _measure_kind(kind, folder, given, limit)
    from shisho.interfaces.cli import render

    shell.show(tables, lambda: render.print_measures(tables, shell.say))


def _read_kind(places: list[Path]) -> tuple[str, Path]:
    if len(places) == 1:
        return "", places[0]
    if len(places) == 2 and str(places[0]) in KINDS:
        return str(places[0]), places[1]
    raise InvalidParams("eval.no_folder")


async def _measure_retrieval(
    shell: Shell, folder: Path, answers: int, limit: int | None, embedder: str
) -> None:
    from shisho.bootstrap.embedder import choose_portable
    from shisho.evaluation.run import measure
    from shisho.interfaces.cli import render

    choice = choose_portable(shell.load_settings(embedder=embedder))
    figures = await measure(folder, answers=answers, limit=limit, embedder=choice)
    shell.show(figures, lambda: render.print_metrics(figures, shell.say))


async def _calibrate(shell: Shell, folder: Path, limit: int | None) -> None:
    """Calibrate the weight of words against vectors, and store it in the home."""
    from shisho.bootstrap.embedder import build_calibration_target
    from shisho.evaluation.calibrate import calibrate
    from shisho.interfaces.cli import render

    outcome = await calibrate(build_calibration_target(shell.load_settings()), folder, limit=limit)
    shell.show(outcome, lambda: render.print_calibration(outcome, shell.say))


def _list_configurations(shell: Shell, model: str | None) -> Mapping[str, dict[str, Value | None]]:
    """Return the settings of each measurement by name: rules and, if one is set, a model."""
    settings = shell.load_settings()
    given = _read_model_settings(settings)
    if model is not None:
        given |= {**dict.fromkeys(_NODES, ""), "model": model}
    rules = {**given, **dict.fromkeys(_NODES, ""), "model": RULES}
    models = sorted({str(given[name]) for name in ("model", *_NODES)} - {"", RULES})
    return {RULES: rules, **({", ".join(models): given} if models else {})}


def _read_model_settings(settings: Settings) -> dict[str, Value | None]:
    """Return the model settings for temporary libraries."""
    texts: dict[str, Value | None] = {name: settings.read_text(name) for name in _TEXTS}
    reals: dict[str, Value | None] = {name: settings.read_float(name) for name in _REALS}
    return texts | reals | {"model_context": settings.read_int("model_context")}


async def _measure_kind(
    kind: str, folder: Path, given: Mapping[str, Value | None], limit: int | None
) -> Mapping[str, Any]:
    if kind == "answers":
        from shisho.evaluation.answering import measure_answers

        return await measure_answers(folder, given, limit)
    from shisho.bootstrap.judging import build_judge
    from shisho.evaluation.support import measure_support

    return await measure_support(folder, build_judge(settings_.load(**given)), limit)
