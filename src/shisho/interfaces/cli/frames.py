"""Typer's help and usage errors in the reader's language."""

from __future__ import annotations

import gettext
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from types import MethodType
from typing import Any, NoReturn

import typer
import typer.core

from shisho.errors import InvalidParams, ShishoError
from shisho.interfaces.api.failures import describe_error, find_disk_error
from shisho.interfaces.cli.help_pages import print_help
from shisho.interfaces.cli.interrupts import exit_interrupted
from shisho.interfaces.cli.shell import Shell
from shisho.interfaces.cli.streams import OutputUnwritable, to_storage_error
from shisho.interfaces.cli.values import PlainValues, read_plainly
from shisho.messages import DEFAULT, Message, is_message_id
from shisho.messages.catalogue import find_language, render, translate

# Typer hides its click, and exports only this name of it
UsageError: Any = typer.BadParameter.__base__


# Typer's own words.
TYPER_WORDS = {
    "(deprecated) ": "frame.deprecated",
    "Aborted!": "frame.aborted_short",
    "Aborted.": "frame.aborted",
    "Arguments": "frame.arguments",
    "Commands": "frame.commands",
    "Error": "frame.error",
    "Install completion for the current shell.": "frame.install_completion",
    "Missing command.": "frame.missing_command",
    "Options": "frame.options",
    "Show completion for the current shell, to copy it or customize the installation.": "frame.show_completion",
    "Show this message and exit.": "frame.show_help",
    "Try [blue]'{command_path} {help_option}'[/] for help.": "frame.try_help",
    "Usage:": "frame.usage",
    "Usage: ": "frame.usage_prefix",
    "[default: {}]": "frame.default_empty",
    "[env var: {}]": "frame.env_var_empty",
    "[required]": "frame.required_brackets",
    "default: {default}": "frame.default",
    "env var: {var}": "frame.env_var",
    "required": "frame.required",
}


class _FrameWords(gettext.NullTranslations):
    """Translations for Typer, which uses `gettext` for some of its texts."""

    def gettext(self, message: str) -> str:
        return _translate_text(message)


def _translate_text(text: str) -> str:
    """Translate Typer's texts and message ids to the reader's language; other text is unchanged."""
    id_ = TYPER_WORDS.get(text, text)
    return translate(id_) if is_message_id(id_) else text


def translate_frames() -> None:
    """Translate Typer's own texts.

    Call before a command line is parsed: some are read only once.
    """
    frames = _FrameWords()
    gettext.translation = lambda *_, **__: frames  # type: ignore[assignment]


class _TranslatedUsageError(UsageError):  # type: ignore[misc]
    """A usage error already in the reader's language."""


class CommandGroup(typer.core.TyperGroup):
    """A group of commands whose help and usage errors are in the reader's language."""

    context_class = Shell

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is None:
            return None
        _translate(command)
        if not isinstance(command, CommandGroup):
            command.context_class = Shell
            read_plainly(command)
            command.format_help = MethodType(_format_help, command)  # type: ignore[method-assign]
            command.invoke = MethodType(_wrap_invoke(type(command).invoke), command)  # type: ignore[method-assign]
        return command

    def make_context(self, *given: Any, **extra: Any) -> Any:
        _translate(self)
        read_plainly(self)
        with _translate_errors():
            return super().make_context(*given, **extra)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        for command in self.commands.values():
            _translate(command)
        _format_help(self, ctx, formatter)

    def resolve_command(self, ctx: Any, args: Any) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except UsageError as error:
            if find_language() == DEFAULT and not _has_json_option():
                raise
            raise _TranslatedUsageError(
                render(_describe_unknown_command(args[0], list(self.commands))), ctx
            ) from error

    def invoke(self, ctx: Any) -> Any:
        with _translate_errors(), fail_typed(_is_json_wanted(ctx)):
            return super().invoke(ctx)


class InterruptibleCommands(CommandGroup):
    """A group of commands that handles Ctrl-C outside the event loop.

    At a prompt, or during imports.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run the command; if interrupted, print what was kept."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, typer.Abort):
            exit_interrupted(ctx)


def _wrap_invoke(invoke: Callable[..., Any]) -> Callable[..., Any]:
    """Reduce errors that the command did not handle, of settings or files, to one sentence."""

    def invoke_typed(command: Any, ctx: Any) -> Any:
        with fail_typed(_is_json_wanted(ctx)):
            return invoke(command, ctx)

    return invoke_typed


def _is_json_wanted(ctx: Any) -> bool:
    return bool(ctx.params.get("json_")) or _has_json_option()


def _has_json_option() -> bool:
    """Return whether the command line asks for JSON.

    A value may be rejected before a command is known.
    """
    return "--json" in takewhile(lambda word: word != "--", sys.argv[1:])


def _translate(command: Any) -> None:
    for holder in (command, *command.params):
        for name in ("help", "short_help"):
            text = getattr(holder, name, None)
            if text:
                setattr(holder, name, _translate_text(text))


def _format_help(command: Any, ctx: Any, _formatter: Any) -> None:
    option = command.get_help_option(ctx)
    if option is not None:
        option.help = _translate_text(option.help or "")
    print_help(command, ctx)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        if _has_json_option() and type(error).__name__ != "NoArgsIsHelpError":
            spoken = error.message if isinstance(error, _TranslatedUsageError) else _describe_error(error)
            fail(InvalidParams(spoken), json_=True)
        keep_words_whole()
        if (
            find_language() == DEFAULT
            or isinstance(error, _TranslatedUsageError)
            or type(error).__name__ == "NoArgsIsHelpError"
        ):
            raise
        raise _TranslatedUsageError(render(_describe_error(error)), error.ctx) from error
    except InvalidParams as error:  # for a value that is read before a command is known
        fail(error, _has_json_option())


def _describe_error(error: Any) -> Message:
    """Translate a usage error of Typer by its class and fields."""
    kind = type(error).__name__
    if kind == "MissingParameter" and error.param is not None:
        return Message("frame.missing_value", name=error.param.get_error_hint())
    if isinstance(error, typer.BadParameter):
        name = error.param.get_error_hint() if error.param is not None else ""
        wanted = _describe_expected(error.__cause__, getattr(error.param, "plain_values", None))
        return Message("frame.bad_value", name=name, cause=wanted)
    if kind == "NoSuchOption":
        return _describe_unknown_option(error.option_name, error.possibilities or ())
    if kind == "BadOptionUsage":
        return Message("frame.bad_use", name=error.option_name)
    return Message("frame.bad_arguments")


def _describe_unknown_option(name: str, possible: Sequence[str]) -> Message:
    if not possible:
        return Message("frame.unknown_option", name=name)
    return Message("frame.unknown_option_near", name=name, near=", ".join(possible))


def _describe_unknown_command(name: str, known_names: Sequence[str]) -> Message:
    near = get_close_matches(name, known_names)
    if not near:
        return Message("frame.unknown_command", name=name)
    return Message("frame.unknown_command_near", name=name, near=", ".join(near))


def _describe_expected(cause: Any, values: PlainValues | None) -> Message:
    """Describe the expected value from the code of our error, or of pydantic's."""
    if isinstance(cause, InvalidParams):
        return cause.message
    if values is not None and values.choices:
        return Message("mistake.one_of", expected=", ".join(values.choices))
    if not hasattr(cause, "errors"):
        return Message("frame.see_help")
    from shisho.interfaces.api.arguments import describe_mistake

    return describe_mistake(cause.errors()[0]) or Message("frame.see_help")


FRAME_FROM = 60  # columns
FRAME = 4  # columns of the frame itself
UNBROKEN = re.compile(r"[!-~]+")  # an id, an option or an address; Japanese text may break anywhere


def keep_words_whole() -> None:
    """Print usage errors this way from now on.

    Called at the first error, because `rich` is slow to import.
    """
    from typer import rich_utils

    if rich_utils.rich_format_error is not _print_usage_error:
        _framed.append(rich_utils.rich_format_error)
        rich_utils.rich_format_error = _print_usage_error  # type: ignore[assignment]


_framed: list[Any] = []


def _print_usage_error(error: Any) -> None:
    from typer import rich_utils

    console = rich_utils._get_rich_console(stderr=True)
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError" or can_frame(message, console.width):
        _framed[0](error)
        return
    lines = [f"{rich_utils.ERRORS_PANEL_TITLE}: {message}"]
    context = getattr(error, "ctx", None)
    if context is not None:
        lines.insert(0, context.get_usage())
        if context.command.get_help_option(context) is not None:
            lines.insert(1, _format_help_hint(context))
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _format_help_hint(context: Any) -> str:
    from rich.text import Text
    from typer import rich_utils

    option = context.help_option_names[0]
    return Text.from_markup(rich_utils.RICH_HELP).plain.format(
        command_path=context.command_path, help_option=option
    )


def can_frame(message: str, columns: int) -> bool:
    """Return whether the frame breaks no word of the message."""
    widest = max(map(len, UNBROKEN.findall(message)), default=0)
    return columns >= FRAME_FROM and widest <= columns - FRAME


@contextmanager
def fail_typed(json_: bool) -> Iterator[None]:
    """Exit as `fail` does for expected errors while entered; other exceptions propagate."""
    try:
        yield
    except ShishoError as error:
        fail(error, json_)
    except OutputUnwritable as error:
        fail(to_storage_error(error), json_=False)
    except OSError as error:
        cause = find_disk_error(error) or _find_path_error(error)
        if cause is None:
            raise
        fail(cause, json_)


def _find_path_error(error: OSError) -> ShishoError | None:
    """Return the error for the file that the OSError names; None if it names none."""
    if not error.filename:
        return None
    from shisho.bootstrap.personal import build_path_error

    return build_path_error(error, Path(os.fsdecode(error.filename)))


def fail(error: ShishoError, json_: bool) -> NoReturn:
    """Exit with 2 for invalid arguments, otherwise 1."""
    if json_:
        typer.echo(json.dumps(describe_error(error), ensure_ascii=False))
    else:
        from shisho.language.display import make_legible

        # the message may contain a file name, or another program's output
        typer.echo(make_legible(f"{error.code}: {render(error.message)}"), err=True)
    raise typer.Exit(2 if isinstance(error, InvalidParams) else 1)
