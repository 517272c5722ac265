"""Conversion of a caller's text into the choices and lists that the services accept."""

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
    """Return the choice that a text names; a choice stays as is. Raises InvalidParams with the valid ones."""
    if isinstance(given, kind):
        return given
    choices = {_get_choice_text(choice): choice for choice in kind}
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
    """Return several choices; a single one counts as a list."""
    several = given if isinstance(given, Iterable) and not isinstance(given, str | Enum) else [given]
    return tuple(coerce(kind, choice, argument) for choice in several)


def coerce_strings(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return a tuple; a single text counts as a list, never as its characters."""
    return (given,) if isinstance(given, str) else tuple(given)


def coerce_paths(given: Path | str | Sequence[Path | str]) -> tuple[Path | str, ...]:
    """Return a tuple of paths. Raises InvalidParams for a blank."""
    paths = (given,) if isinstance(given, str | Path) else tuple(given)
    for path in paths:
        check_path(path)
    return paths


def check_path(path: Path | str) -> None:
    """Raise InvalidParams for a blank: the current folder must be named explicitly."""
    if not str(path).strip():
        raise InvalidParams("path.blank_argument")


def check_no_address(path: Path | str) -> None:
    """Raise InvalidParams for the address of a page in place of a file or folder."""
    address = ADDRESS.match(str(path))
    if address is not None and not Path(path).exists():
        url = f"{address[1]}://{address[2]}"  # a path has lost a slash
        raise InvalidParams(
            "path.is_url",
            url=url,
        )


def coerce_search(options: SearchOptions) -> SearchOptions:
    """Return the options with all choices converted. Raises InvalidParams."""
    return replace(
        options,
        engines=coerce_strings(options.engines),
        categories=coerce_strings(options.categories),
        time_range=coerce(TimeRange, options.time_range, "time_range"),
        stop_strategy=coerce(StopStrategy, options.stop_strategy, "stop_strategy"),
        priority=coerce(Priority, options.priority, "priority"),
    )


def _get_choice_text(choice: Enum) -> str:
    """Return the text of a choice: its value, or the name of one with a numeric value."""
    return choice.value.lower() if isinstance(choice.value, str) else choice.name.lower()
