"""Every setting, error and command is documented, and every command in the READMEs runs."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import typer.main
import yaml

from shisho.errors import map_by_code
from shisho.interfaces.cli.app import app
from shisho.messages import read_catalogue
from shisho.settings import TABLE
from tests.tables import each_row

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.ja.md")


@cache
def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_every_setting_is_documented() -> None:
    rows = [f"| `{row.name}` | `SHISHO_{row.name.upper()}` | `{row.default}` | {row.help}" for row in TABLE]
    assert [row for row in rows if row not in text("docs/settings.md")] == []


def test_every_error_is_documented() -> None:
    assert [code for code in map_by_code() if f"| `{code}` |" not in text("docs/errors.md")] == []


@each_row("readme", READMES)
def test_every_command_is_in_the_readme(readme: str) -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    missing = [name for name in commands if f"shisho {name}" not in text(readme)]
    assert not missing


@each_row("readme", READMES)
def test_files_that_the_readme_names_exist(readme: str) -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", text(readme))
    assert linked
    assert not [name for name in linked if not (ROOT / name).exists()]


def test_adrs_are_short() -> None:
    for path in (ROOT / "docs" / "adr").glob("*.md"):
        assert path.read_text("utf-8").count("\n") <= 60, path.name


HOWTOS = sorted(path for path in (ROOT / "docs" / "howto").glob("*.md") if not path.name.endswith(".ja.md"))


@each_row("path", HOWTOS)
def test_every_howto_has_its_japanese_pair_with_the_same_code(path: Path) -> None:
    pair = path.with_suffix(".ja.md")
    english = path.read_text("utf-8")
    japanese = pair.read_text("utf-8")
    assert code_blocks(japanese) == code_blocks(english)
    for mark in (r"^#+ ", r"^\|", r"^- ", r"^\d+\. "):  # headings, rows of tables, items of lists
        assert len(re.findall(mark, japanese, re.M)) == len(re.findall(mark, english, re.M)), mark


@each_row("path", HOWTOS)
def test_japanese_howtos_lead_to_japanese_ones(path: Path) -> None:
    folder = path.parent
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", path.with_suffix(".ja.md").read_text("utf-8"))
    assert [link for link in links if not (folder / link).exists()] == []
    assert [
        link
        for link in links
        if (folder / link).with_suffix(".ja.md").exists() and not link.endswith(".ja.md")
    ] == []
    assert f"docs/howto/{path.name})" not in text("README.ja.md")


def code_blocks(markdown: str) -> list[str]:
    """Return the code blocks without comments, which are in the language of the page."""
    blocks = re.findall(r"^```.*?^```$", markdown, re.M | re.S)
    return [re.sub(r"(?<!\S)# .*$", "", block, flags=re.M) for block in blocks]


JAPANESE = [ROOT / "README.ja.md", *sorted((ROOT / "docs").rglob("*.ja.md"))]


@cache
def read_discouraged_words() -> dict[str, str]:
    """Return the regular expressions of docs/prh.yml, each with the word to write instead."""
    rules = yaml.safe_load(text("docs/prh.yml"))["rules"]
    pairs = [(rule, pattern) for rule in rules for pattern in rule.get("patterns") or [rule["pattern"]]]
    return {
        pattern[1:-1] if pattern.startswith("/") else re.escape(pattern): rule["expected"]
        for rule, pattern in pairs
    }


def find_discouraged(markdown: str) -> list[tuple[str, str]]:
    """Return the discouraged words outside of code, each with the word to write instead."""
    prose = re.sub(r"^```.*?^```$|`[^`\n]+`", "", markdown, flags=re.M | re.S)
    return [
        (match[0], expected)
        for pattern, expected in read_discouraged_words().items()
        for match in re.finditer(pattern, prose)
    ]


@each_row("path", JAPANESE)
def test_japanese_pages_use_the_words_of_the_glossary(path: Path) -> None:
    assert find_discouraged(path.read_text("utf-8")) == []


def test_japanese_messages_use_the_words_of_the_glossary() -> None:
    found = {id_: find_discouraged(text) for id_, text in read_catalogue("ja").items()}
    assert {id_: words for id_, words in found.items() if words} == {}


def test_a_discouraged_word_is_found_outside_of_code() -> None:
    assert find_discouraged("フォルダーの`待ち行列`とブラウザ") == [("ブラウザ", "ブラウザー")]
