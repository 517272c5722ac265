"""Help groups the commands by purpose, one line each, and fits any terminal in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from rich.cells import cell_len

from shisho.interfaces.cli.app import app
from shisho.interfaces.cli.help_pages import GROUPS, find_first_sentence
from shisho.interfaces.cli.layout import wrap
from shisho.messages import read_catalogue
from tests.flows.conftest import Shell

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def test_each_command_is_in_one_group() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_each_command_has_one_line_at_80_columns(language: str, tmp_path: Path) -> None:
    lines = help_page(tmp_path, 80, language)
    for name, command in COMMANDS.items():
        sentence = find_first_sentence(read_catalogue(language)[command.help])
        assert [line for line in lines if line.split() and line.split()[0] == name and sentence in line]
    for heading in GROUPS:
        assert read_catalogue(language)[heading] in lines


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("words", [(), ("queue",), ("queue", "add"), ("ask",)])
def test_no_line_is_wider_than_the_terminal(
    words: tuple[str, ...], columns: int, language: str, tmp_path: Path
) -> None:
    lines = help_page(tmp_path, columns, language, *words)
    assert [line for line in lines if cell_len(line) > columns and " --" not in line] == []
    assert not any(line.strip().startswith(("、", "。", "」", ")")) for line in lines)


def help_page(home: Path, columns: int, language: str, *words: str) -> list[str]:
    shell = Shell(home)
    shell.environment |= {"COLUMNS": str(columns), "SHISHO_LANGUAGE": language}
    return shell(*words, "--help").splitlines()


def test_japanese_breaks_between_characters_and_names_do_not() -> None:
    assert [*wrap("`shisho restore` で、元に戻せます。", 16)] == [
        "`shisho restore`",
        "で、元に戻せま",
        "す。",
    ]
    assert [*wrap("one two three", 7, "  ")] == ["one two", "  three"]


@pytest.mark.parametrize(
    ("text", "first"),
    [("Add a.b files. Twice.", "Add a.b files."), ("追加します。二度。", "追加します。"), ("One", "One")],
)
def test_a_list_shows_the_find_first_sentence(text: str, first: str) -> None:
    assert find_first_sentence(text) == first
