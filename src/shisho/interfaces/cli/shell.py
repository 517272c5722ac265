"""The context of a command: its texts, its settings, its library and its output."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shisho import settings
from shisho.interfaces.cli.interrupts import run_to_end
from shisho.messages.catalogue import render, render_all, translate, translate_word

if TYPE_CHECKING:
    from shisho.domain.intervention import PendingIntervention
    from shisho.services import Library
    from shisho.settings import Settings

Json = Annotated[bool, typer.Option("--json", help="help.option_json")]
Brief = Annotated[bool, typer.Option("--brief", help="help.option_marked_only")]
Filters = Annotated[list[str], typer.Option("--filter", "-f", help="help.option_filter")]
Corpora = Annotated[list[str], typer.Option("--corpus", "-c", help="help.option_only_corpus")]
Folders = Annotated[list[Path], typer.Option("--in", help="help.option_in")]
_Formatter: Any = typer.Context.formatter_class


class Words:
    """The shell's texts in one language, by key: `words("pages", n=3)`."""

    def __init__(self, language: str) -> None:
        self._language = language

    def __call__(self, name: str, **values: object) -> str:
        return translate_word(name, self._language, **values)

    def render(self, text: str) -> str:
        """Return a message in this language."""
        return render(text, self._language)


class _UsageFormatter(_Formatter):  # type: ignore[misc]
    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, translate("frame.usage_prefix") if prefix is None else prefix)


class Shell(typer.Context):
    """The context of a running command. `library` is open in commands made by `library_command`."""

    formatter_class = _UsageFormatter
    library: Library

    def load_settings(self, **given: Any) -> Settings:
        """Load the settings with the options of the command line and these values."""
        return settings.load(**{**(self.obj or {}), **given})

    @cached_property
    def say(self) -> Words:
        """The texts of the configured language."""
        return Words(self.load_settings().reader)

    @property
    def json(self) -> bool:
        """True if the command prints JSON."""
        return bool(self.params.get("json_"))

    def show(self, thing: Any, otherwise: Callable[[], None]) -> None:
        """Print the object as JSON, or call `otherwise`."""
        if self.json:
            print_json(thing, indent=2)
        else:
            otherwise()


def print_json(thing: Any, indent: int | None = None) -> None:
    """Print an object as JSON, with its messages in the reader's language."""
    from shisho.domain.codec import to_plain

    typer.echo(json.dumps(to_plain(render_all(thing)), ensure_ascii=False, indent=indent))


def async_command(kept: str) -> Callable[[Callable[..., Coroutine[Any, Any, None]]], Callable[..., None]]:
    """Make a command of a coroutine. Ctrl-C cancels it and prints the message `kept`."""

    def decorate(work: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
        @wraps(work)
        def run_command(**arguments: Any) -> None:
            run_to_end(work(**arguments), arguments["shell"], kept)

        return run_command

    return decorate


def library_command(
    kept: str = "interrupted",
) -> Callable[[Callable[..., Coroutine[Any, Any, None]]], Callable[..., None]]:
    """Make a command of a coroutine over the library of its home, which is open while it runs."""

    def decorate(work: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
        @wraps(work)
        async def open_and_run(shell: Shell, **arguments: Any) -> None:
            from shisho.bootstrap.library import open_library

            async with open_library(**shell.obj) as shell.library:
                await work(shell=shell, **arguments)

        return async_command(kept)(open_and_run)

    return decorate


class Terminal:
    """`ports.Notifier`: a line on stderr, because stdout may carry a protocol."""

    def __init__(self, words: Words) -> None:
        self._words = words

    async def notify(self, waiting: PendingIntervention) -> None:
        typer.echo(self._words("person_needed", text=describe_waiting_engine(waiting)), err=True)


def describe_waiting_engine(intervention: PendingIntervention) -> str:
    """Return the waiting engine with its domain; only the domain if there is no engine."""
    return f"{intervention.engine} ({intervention.domain})" if intervention.engine else intervention.domain
