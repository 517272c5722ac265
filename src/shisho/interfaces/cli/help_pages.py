"""Help pages in the reader's language at any width: a list of commands by purpose, one line each.

Typer's frames break Japanese and long option names in narrow terminals, and importing them is slow.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import typer
from rich.cells import cell_len

from shisho.interfaces.cli.layout import wrap
from shisho.messages.catalogue import translate

GROUPS = {
    "help.group_documents": (
        "add",
        "list",
        "search",
        "remove",
        "restore",
        "sync",
        "watch",
        "references",
    ),
    "help.group_questions": (
        "ask",
        "report",
        "show",
        "evidence",
        "conversation",
        "export",
        "verify",
        "key",
        "replay",
    ),
    "help.group_web": ("web", "engines", "queue", "jobs", "worker", "auth", "box"),
    "help.group_models": ("models", "eval"),
    "help.group_team": ("users", "groups", "grants", "quotas", "share", "audit"),
    "help.group_upkeep": ("ui", "serve", "mcp", "settings", "doctor", "backup", "copy", "migrate"),
}
MAX_CELLS = 100  # longer lines are hard to read
MAX_NAME_CELLS = 28  # a longer name has its text below it
INDENT = "  "
_LISTED = re.compile(r"<list\[(\w+)\]>")  # the type of a repeated option


def print_help(command: Any, ctx: Any) -> None:
    """Print a command's usage, text, commands, arguments and options."""
    width = min(shutil.get_terminal_size().columns, MAX_CELLS)
    typer.echo("\n".join(_render_page(command, ctx, width)))


def _render_page(command: Any, ctx: Any, width: int) -> Iterator[str]:
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    yield from wrap(translate("frame.usage_prefix") + usage, width, INDENT)
    if command.help:
        yield ""
        yield from wrap(command.help, width)
    for sections in (_list_commands(command, ctx), _list_parameters(command, ctx)):
        column = _measure_column(row for rows in sections.values() for row in rows)
        for heading, rows in sections.items():
            if rows:
                yield ""
                yield (
                    typer.style(translate(heading), bold=True) if sys.stdout.isatty() else translate(heading)
                )
                yield from _render_rows(rows, column, width)


def _list_commands(command: Any, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    texts = {
        name: find_first_sentence(below.help or "")
        for name, below in getattr(command, "commands", {}).items()
    }
    groups = GROUPS if ctx.parent is None else {}
    sections = {
        heading: [(name, texts.pop(name)) for name in names if name in texts]
        for heading, names in groups.items()
    }
    return {**sections, "frame.commands": list(texts.items())}


def _list_parameters(command: Any, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    sections: dict[str, list[tuple[str, str]]] = {"frame.arguments": [], "frame.options": []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            name, text = record
            heading = "frame.arguments" if parameter.param_type_name == "argument" else "frame.options"
            sections[heading].append((_LISTED.sub(_format_type, name), text))
    return sections


def _format_type(listed: re.Match[str]) -> str:
    return f"<{listed[1].lower()}>"


def find_first_sentence(text: str) -> str:
    """Return the first sentence of a help text, which stands in a list of commands."""
    return re.split(r"(?<=[.。])(?:\s|(?<=。))", text, maxsplit=1)[0]


def _render_rows(rows: Sequence[tuple[str, str]], column: int, width: int) -> Iterator[str]:
    margin = " " * (column + 2 * len(INDENT))
    is_stacked = 2 * len(margin) > width  # texts in less than half of the width are hard to read
    if is_stacked:
        margin = INDENT * 3
    for name, text in rows:
        lines = list(wrap(margin + text, width, margin)) if text else [margin]
        if is_stacked or cell_len(name) > column:
            yield INDENT + name
        else:
            lines[0] = INDENT + name + " " * (column - cell_len(name)) + INDENT + lines[0][len(margin) :]
        yield from (line.rstrip() for line in lines if line.strip())


def _measure_column(rows: Iterable[tuple[str, str]]) -> int:
    return max(
        (cells for cells in (cell_len(name) for name, _ in rows) if cells <= MAX_NAME_CELLS), default=0
    )
