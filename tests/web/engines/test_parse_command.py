"""`shisho engines parse`: what it prints, for a page, a challenge and a failure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shisho.interfaces.cli.web import engines as app
from tests.web.engines.pages import saved

PAGE = "<html><title>x - Bing</title><ol id=b_results><li class=b_algo><h2><a href='{url}'>題</a></h2><p>抜粋</p></li></ol>"


def run(*arguments: str) -> tuple[int, dict[str, object]]:
    result = CliRunner().invoke(app, ["parse", *arguments, "--json"])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, json.loads(result.stdout)


@pytest.mark.parametrize("engine", ["bing", "auto"])
def test_a_page_as_json(engine: str, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGE.format(url="https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9leGFtcGxlLmNvbS9h"), "utf-8")
    code, printed = run(engine, str(file))
    assert code == 0
    assert printed["engine"] == "bing" and printed["challenge"] is None and printed["next"] is None
    assert printed["hits"] == [
        {"rank": 1, "url": "https://example.com/a", "title": "題", "snippet": "", "date": None}
    ]


def test_a_challenge_and_a_failure_as_json(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<title>Just a moment...</title>", "utf-8")
    assert run("ecosia", str(file))[1]["challenge"] == "js_challenge"
    assert run("auto", str(file))[1] | {"hits": []} == run("auto", str(file))[1]
    file.write_text("<title>Weather - Bing</title><p>sunny</p>", "utf-8")
    code, printed = run("bing", str(file))
    assert code == 1 and printed["ok"] is False and printed["code"] == "PARSER_FAILED" and printed["message"]


def test_a_page_for_people(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGE.format(url="https://example.com/a"), "utf-8")
    result = CliRunner().invoke(app, ["parse", "bing", str(file)])
    assert result.exit_code == 0 and "https://example.com/a" in result.stdout and "題" in result.stdout


def test_a_captured_page() -> None:
    from tests.shared import shared

    page = next(page for page in saved() if page.engine == "mojeek")
    code, printed = run("auto", str(shared("serp", page.file)))
    assert (
        code == 0
        and printed["engine"] == "mojeek"
        and isinstance(printed["hits"], list)
        and len(printed["hits"]) == 10
    )
