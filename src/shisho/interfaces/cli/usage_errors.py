"""Print usage errors in Typer's frame if no word has to be broken, else without a frame."""

from __future__ import annotations

import re
from typing import Any

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
            lines.insert(1, _tell_help(context))
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _tell_help(context: Any) -> str:
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
