"""Convert command-line words that need no validation.

Typer reads every value with pydantic, and importing that takes a quarter of the time of `shisho list`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer

from shisho.errors import InvalidParams
from shisho.messages.catalogue import render

MISREAD = object()


class PlainValues:
    """A parameter's reader with Typer's interface.

    Invalid values go to Typer's own reader, which reports them.
    """

    def __init__(self, annotation: Any, default: Any, typers: Callable[[], Any]) -> None:
        self._annotation = annotation
        self._default = default
        self._typers = typers

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the allowed words; empty if any word is allowed."""
        kinds = (self._annotation, *get_args(self._annotation))
        return next((get_args(kind) for kind in kinds if get_origin(kind) is Literal), ())

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert the value to the type of its parameter.

        Raises: InvalidParams; BadParameter, also for a blank path: the current folder must be named.
        """
        if Path in (self._annotation, *get_args(self._annotation)) and _has_blank(value):
            blank = InvalidParams("path.blank")
            raise typer.BadParameter(render(blank.message), ctx, param) from blank
        read = self._read(value, repeated=param.multiple or param.nargs == -1)
        return self._typers().coerce(value, param=param, ctx=ctx) if read is MISREAD else read

    def _read(self, value: Any, *, repeated: bool) -> Any:
        if repeated:
            return self._read_all(value)
        if value is None:
            return None
        if value is self._default and type(value) is self._annotation:
            return value
        return _read_plain(value, self._annotation)

    def _read_all(self, value: Any) -> Any:
        if value is None:
            return ()
        inner = get_args(self._annotation)
        if (
            not isinstance(value, Sequence)
            or isinstance(value, str)
            or get_origin(self._annotation) is not list
        ):
            return MISREAD
        read = [_read_plain(part, inner[0]) for part in value]
        return MISREAD if MISREAD in read else read


def _has_blank(value: Any) -> bool:
    words = [value] if isinstance(value, str) else value or ()
    return any(isinstance(word, str) and not word.strip() for word in words)


def read_plainly(command: Any) -> None:
    """Read values that need no validation without Typer's reader, in this command."""
    for parameter in command.params:
        _read_parameter_plainly(parameter)
    give_help = command.get_help_option

    def give_help_read_plainly(context: Any) -> Any:
        option = give_help(context)
        if option is not None:
            _read_parameter_plainly(option)
        return option

    command.get_help_option = give_help_read_plainly


def _read_parameter_plainly(parameter: Any) -> None:
    """Replace the parameter's reader; a Typer that does not use pydantic is unchanged."""
    typers = getattr(parameter, "get_runtime_param", None)
    if typers is None or hasattr(parameter, "plain_values"):
        return
    values = PlainValues(parameter.type_descriptor.annotation, parameter.default, typers)
    parameter.plain_values = values
    parameter.get_runtime_param = lambda: values


def _read_plain(value: Any, annotation: Any) -> Any:
    if type(value) not in (str, bool):
        return MISREAD
    if annotation is type(value):
        _expect_text(value)
        return value
    if get_origin(annotation) is Literal and value in get_args(annotation):
        return value
    if annotation is Path:
        _expect_no_address(value)
        # Typer rejects all paths if one is unreadable; the command reports that one and continues.
        return Path(value)
    return MISREAD


def _expect_text(value: str | bool) -> None:
    """Reject bytes that are not in the shell's encoding, such as a name from an old archive.

    No text is stored in such bytes, and no database can search for them. Raises: InvalidParams.
    """
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InvalidParams("argument.unknown_encoding", word=value) from error


def _expect_no_address(value: str) -> None:
    """Reject a web address: as a path it would lose one of its slashes. Raises: InvalidParams."""
    if value[:4].lower() == "http":
        from shisho.services.coercion import check_no_address

        check_no_address(value)
