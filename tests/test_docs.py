"""Every setting, error and command is documented, and every command in the READMEs runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

from shisho.errors import by_code
from shisho.interfaces.cli import app
from shisho.settings import TABLE

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.ja.md")


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_every_setting_is_documented(row: object) -> None:
    assert f"| `{row.name}` | `SHISHO_{row.name.upper()}` | `{row.default}` | {row.help}" in text("docs/settings.md")  # type: ignore[attr-defined]


@pytest.mark.parametrize("code", sorted(by_code()))
def test_every_error_is_documented(code: str) -> None:
    assert f"| `{code}` |" in text("docs/errors.md")


@pytest.mark.parametrize("readme", READMES)
def test_every_command_is_in_the_readme(readme: str) -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    missing = [name for name in commands if f"shisho {name}" not in text(readme)]
    assert not missing


@pytest.mark.parametrize("readme", READMES)
def test_files_that_the_readme_names_exist(readme: str) -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", text(readme))
    assert linked
    assert not [name for name in linked if not (ROOT / name).exists()]


def test_adrs_are_short() -> None:
    for path in (ROOT / "docs" / "adr").glob("*.md"):
        assert path.read_text("utf-8").count("\n") <= 60, path.name
