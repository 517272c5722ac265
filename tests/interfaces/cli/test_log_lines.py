"""The log as people and programs read it."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shisho.interfaces.cli.log_lines import BARE, HumanFormatter, JsonLines, RedactedLines, TracelessFormatter
from shisho.messages import Message
from shisho.messages.catalogue import set_process_language, use_language
from tests.flows.conftest import Shell

ENGLISH = "A worker is waiting: The disk is full, so nothing was stored. Free some space and try again."
JAPANESE = "ワーカーは待っています: ディスクの空き容量が"


@pytest.fixture
def spoken_japanese() -> Iterator[None]:
    set_process_language("ja")
    yield
    set_process_language("en")


def record(*, broken: bool = False) -> logging.LogRecord:
    """A line of the log, as it is made where an error was met."""
    why = Message("storage.disk_full")
    line = Message("worker.waits", why=why)
    try:
        raise ValueError("traced")
    except ValueError:
        trace = sys.exc_info() if broken else None
    return logging.LogRecord("shisho", logging.WARNING, "", 0, line, (), trace)


@pytest.mark.usefixtures("spoken_japanese")
def test_people_read_it_in_the_language_of_the_process_and_programs_in_english() -> None:
    with use_language("en"):  # of whoever is served just now
        assert HumanFormatter(BARE).format(record()).startswith(JAPANESE)
        assert RedactedLines([]).format(record()).startswith(f"WARNING shisho: {JAPANESE}")
        assert json.loads(JsonLines([]).format(record()))["message"] == ENGLISH


def test_a_trace_stands_under_it_but_for_who_did_not_ask() -> None:
    assert TracelessFormatter(BARE).format(record(broken=True)) == ENGLISH
    for lines in (HumanFormatter(BARE), RedactedLines([])):
        assert lines.format(record(broken=True)).endswith("ValueError: traced")


@pytest.mark.parametrize(
    ("locale", "said"),
    [("C", "The index files can't be used"), ("ja_JP.UTF-8", "索引のファイルを使えないため")],
)
def test_a_warning_of_a_command_is_one_sentence_in_the_language_of_the_locale(
    locale: str, said: str, tmp_path: Path
) -> None:
    shell = Shell(tmp_path / "home")
    shell.environment["LC_ALL"] = locale
    del shell.environment["SHISHO_LANGUAGE"]
    (tmp_path / "a.txt").write_text("灯台とは、光で船を導く塔である。", "utf-8")
    shell("add", tmp_path / "a.txt")
    (shell.home / "lexical").touch()  # a file, where a folder would be made
    done = shell.run("search", "灯台")
    assert done.returncode == 0 and "塔である" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith(said)
    debugged = shell.run("--debug", "search", "灯台").stderr.splitlines()
    assert line in debugged and len(debugged) > 1
