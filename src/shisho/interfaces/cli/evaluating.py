"""`shisho eval`: measure retrieval, answers and the support check on your own sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shisho import settings as settings_
from shisho.errors import InvalidParams
from shisho.interfaces.cli.interrupts import run_to_end
from shisho.interfaces.cli.runner import Json, load_words, show
from shisho.settings import Settings, Value

RULES = "none"
_NODES = ("model_plan", "model_evaluate", "model_answer")
_TEXTS = ("model", *_NODES, "model_url", "model_key", "preset")
_REALS = ("model_seconds", "max_seconds")
KINDS = ("answers", "support", "calibrate")


def eval_(
    context: typer.Context,
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

    async def execute() -> None:
        kind, folder = _read_kind(places)
        if not kind:
            await _measure_retrieval(context, folder, answers, limit, embedder, json_)
            return
        if kind == "calibrate":
            await _calibrate(context, folder, limit, json_)
            return
        tables = {}
        for name, given in _list_configurations(context, model).items():
            tables[name] = await _measure_kind(kind, folder, given, limit)
        from shisho.interfaces.cli import render

        show(tables, json_, lambda: render.print_measures(tables, load_words(context)))

    run_to_end(execute(), context, "interrupted_eval")


def _read_kind(places: list[Path]) -> tuple[str, Path]:
    if len(places) == 1:
        return "", places[0]
    if len(places) == 2 and str(places[0]) in KINDS:
        return str(places[0]), places[1]
    raise InvalidParams("eval.no_folder")


async def _measure_retrieval(
    context: typer.Context, folder: Path, answers: int, limit: int | None, embedder: str, json_: bool
) -> None:
    from shisho.bootstrap.embedder import portable_choice
    from shisho.evaluation.run import measure
    from shisho.interfaces.cli import render

    choice = portable_choice(settings_.load(**{**context.obj, "embedder": embedder}))
    figures = await measure(folder, answers=answers, limit=limit, embedder=choice)
    show(figures, json_, lambda: render.print_metrics(figures, load_words(context)))


async def _calibrate(context: typer.Context, folder: Path, limit: int | None, json_: bool) -> None:
    """Calibrate the weight of words against vectors, and store it in the home."""
    from shisho.bootstrap.embedder import calibration_target
    from shisho.evaluation.calibrate import calibrate
    from shisho.interfaces.cli import render

    outcome = await calibrate(calibration_target(settings_.load(**context.obj)), folder, limit=limit)
    show(outcome, json_, lambda: render.print_calibration(outcome, load_words(context)))


def _list_configurations(context: typer.Context, model: str | None) -> Mapping[str, dict[str, Value | None]]:
    """Return the settings of each measurement by name: rules and, if one is set, a model."""
    settings = settings_.load(**context.obj)
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
