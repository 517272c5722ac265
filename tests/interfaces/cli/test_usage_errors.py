"""Usage errors break no word of what was typed, however narrow the screen is, and are JSON where that is
asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shisho.interfaces.cli.frames import can_frame
from tests.flows.conftest import Shell

OPTION = "--https://www.example.org/a/page/with/a/long/name/in/a/folder.html"


@pytest.mark.parametrize("locale", ["C", "ja_JP.UTF-8"])
@pytest.mark.parametrize(
    ("columns", "is_framed"), [(40, False), (len(OPTION) + 3, False), (len(OPTION) + 4, True)]
)
def test_a_frame_stands_where_it_breaks_no_word(
    columns: int, is_framed: bool, locale: str, tmp_path: Path
) -> None:
    said = usage_error(tmp_path, columns, locale, "ask", "?", OPTION)
    assert OPTION in said and "shisho ask -h" in said
    assert ("╭" in said) == is_framed


def usage_error(home: Path, columns: int, locale: str, *words: str) -> str:
    shell = Shell(home)
    shell.environment |= {"COLUMNS": str(columns), "LC_ALL": locale}
    del shell.environment["SHISHO_LANGUAGE"]
    done = shell.run(*words)
    assert done.returncode == 2
    return done.stderr


def test_japanese_may_be_broken_anywhere() -> None:
    assert can_frame("引数を読み取れません。余分なものがないか確かめてください。" * 9, 60)
    assert not can_frame("引数", 59)
    assert can_frame(f"値 {'x' * 56} が使えません", 60) and not can_frame(f"値 {'x' * 57} が使えません", 60)


def test_a_word_that_cannot_be_chosen_is_answered_with_those_that_can(tmp_path: Path) -> None:
    said = usage_error(tmp_path, 80, "ja_JP.UTF-8", "ask", "?", "--sources", "foo")
    assert "auto, documents, web, both" in said


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("ask", "--json", "--deep", "?"), "--deep"),
        (("asc", "--json"), "ask"),
        (("search", "--json"), "query"),
        (("ask", "?", "--json", "--sources", "foo"), "auto, documents, web, both"),
    ],
)
def test_a_usage_error_is_json_where_json_is_asked_for(
    words: tuple[str, ...], named: str, language: str, tmp_path: Path
) -> None:
    shell = Shell(tmp_path)
    shell.environment["SHISHO_LANGUAGE"] = language
    done = shell.run(*words)
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (2, "")
    assert (told["ok"], told["code"]) == (False, "INVALID_PARAMS")
    assert named in told["message"]
    assert ("。" in told["message"]) == (language == "ja")
