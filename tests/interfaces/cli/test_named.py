"""A command line builds the command that it names and no other."""

from __future__ import annotations

import pytest
import typer
from typer.main import get_command

from shisho.interfaces.cli.app import app
from shisho.interfaces.cli.startup import keep_named


def names_of(shell: typer.Typer) -> set[str]:
    return set(get_command(shell).commands)  # type: ignore[attr-defined]


def test_every_command_and_every_group_is_built_alone_and_as_before() -> None:
    whole = get_command(app).commands  # type: ignore[attr-defined]
    assert len(whole) > 30
    for name, command in whole.items():
        (alone,) = get_command(keep_named(app, [name, "--help"])).commands.values()  # type: ignore[attr-defined]
        assert (alone.name, alone.help) == (name, command.help)
        assert set(getattr(alone, "commands", ())) == set(getattr(command, "commands", ()))
        assert [param.name for param in alone.params] == [param.name for param in command.params]


@pytest.mark.parametrize(
    "words", [["--home", "list", "add", "a.txt"], ["--debug", "--language", "en", "add"], ["--home=x", "add"]]
)
def test_options_may_stand_before(words: list[str]) -> None:
    assert names_of(keep_named(app, words)) == {"add"}


@pytest.mark.parametrize("words", [[], ["--help"], ["lst"], ["--home"], ["--home", "add"]])
def test_without_a_name_there_are_all(words: list[str]) -> None:
    assert names_of(keep_named(app, words)) == names_of(app)
