"""Turn what a caller wrote as text into the choices and lists that the desk's verbs take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TypeVar

from shisho.domain.job import Priority
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.domain.web import TimeRange
from shisho.errors import InvalidParams

ADDRESS = re.compile(r"(https?):/{1,2}(?=[^/])(.+)", re.IGNORECASE | re.DOTALL)
Choice = TypeVar("Choice", bound=Enum)


def coerce(kind: type[Choice], given: Choice | str, argument: str) -> Choice:
    """The choice that the text stands for; a choice as it is. Raises InvalidParams, which names those there
    are."""
    if isinstance(given, kind):
        return given
    choices = {_text_of(choice): choice for choice in kind}
    text = given.strip().lower() if isinstance(given, str) else ""
    if text not in choices:
        raise InvalidParams(
            "common.not_a_choice",
            argument=argument,
            choices=", ".join(choices),
            given=str(given),
            known=[*choices],
        )
    return choices[text]


def coerce_all(
    kind: type[Choice], given: Choice | str | Iterable[Choice | str], argument: str
) -> tuple[Choice, ...]:
    """The same of several; one stands for a list of it."""
    several = given if isinstance(given, Iterable) and not isinstance(given, str | Enum) else [given]
    return tuple(coerce(kind, choice, argument) for choice in several)


def coerce_strings(given: str | Sequence[str]) -> tuple[str, ...]:
    """A text stands for a list of it: its characters are never meant."""
    return (given,) if isinstance(given, str) else tuple(given)


def coerce_paths(given: Path | str | Sequence[Path | str]) -> tuple[Path | str, ...]:
    """The same of paths. Raises InvalidParams for a blank."""
    paths = (given,) if isinstance(given, str | Path) else tuple(given)
    for path in paths:
        check_path(path)
    return paths


def check_path(path: Path | str) -> None:
    """Raises InvalidParams for a blank: the folder that one is in has to be named."""
    if not str(path).strip():
        raise InvalidParams("path.blank_argument")


def check_no_address(path: Path | str) -> None:
    """Raises InvalidParams for the address of a page, where a file or folder is wanted."""
    address = ADDRESS.match(str(path))
    if address is not None and not Path(path).exists():
        url = f"{address[1]}://{address[2]}"  # a path has lost a slash
        raise InvalidParams(
            "path.is_url",
            url=url,
        )


def coerce_search(options: SearchOptions) -> SearchOptions:
    """Raises InvalidParams."""
    return replace(
        options,
        engines=coerce_strings(options.engines),
        categories=coerce_strings(options.categories),
        time_range=coerce(TimeRange, options.time_range, "time_range"),
        stop_strategy=coerce(StopStrategy, options.stop_strategy, "stop_strategy"),
        priority=coerce(Priority, options.priority, "priority"),
    )


def _text_of(choice: Enum) -> str:
    """The text that a caller writes for it: its value, or the name of one that is a number."""
    return choice.value.lower() if isinstance(choice.value, str) else choice.name.lower()
