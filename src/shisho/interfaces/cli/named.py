"""Build only the command that a command line names.

Building all takes longer than most commands run.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import typer
from typer.main import get_command_name

VALUED = ("--home", "--language")  # options before a command that take the next word


def keep_named(app: typer.Typer, words: Sequence[str]) -> typer.Typer:
    """Return the shell with only the command or group that these words name, if any."""
    name = _find_name(words)
    commands = [
        command
        for command in app.registered_commands
        if command.callback is not None
        and name == (command.name or get_command_name(command.callback.__name__))
    ]
    groups = [group for group in app.registered_groups if group.name == name]
    if not commands and not groups:
        return app
    kept = copy.copy(app)
    kept.registered_commands = commands
    kept.registered_groups = groups
    return kept


def _find_name(words: Sequence[str]) -> str:
    remaining = iter(words)
    for word in remaining:
        if word in VALUED:
            next(remaining, None)
        elif not word.startswith("-"):
            return word
    return ""
