"""The one command that a command line names: building all of them takes longer than most commands work."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import typer
from typer.main import get_command_name

VALUED = ("--home", "--language")  # options before a command, which take the next word


def keep_named(app: typer.Typer, words: Sequence[str]) -> typer.Typer:
    """The shell with the command or group alone that these words name; all of it where they name none."""
    name = _first_name(words)
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


def _first_name(words: Sequence[str]) -> str:
    remaining = iter(words)
    for word in remaining:
        if word in VALUED:
            next(remaining, None)
        elif not word.startswith("-"):
            return word
    return ""
