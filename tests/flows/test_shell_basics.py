"""What every command line has: versions, short help, completion in each shell, exit codes; names and fields
said wrong."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

import pytest

import shisho
from shisho.bootstrap.library import open_library
from shisho.domain.task import Bytes
from shisho.errors import InvalidParams
from shisho.services import Library
from tests.flows.conftest import SAMPLES, SHISHO, Shell
from tests.shared import missing

UNKNOWN = "\udc94L.txt"  # 猫 in Shift_JIS, as Python has bytes that are no UTF-8
COMPLETION = {
    "bash": """eval "$(_SHISHO_COMPLETE=source_bash shisho)"
COMP_WORDS=(shisho se); COMP_CWORD=1; _shisho_completion shisho; printf '%s\\n' "${COMPREPLY[@]}" """,
    "zsh": """compdef() { :; }; _arguments() { print -- "$@"; }; eval "$(_SHISHO_COMPLETE=source_zsh shisho)"
words=(shisho se); CURRENT=2; _shisho_completion""",
    "fish": """_SHISHO_COMPLETE=source_fish shisho | source; complete -C 'shisho se'""",
}


def test_the_version_is_told(shell: Shell) -> None:
    assert shell("--version").strip() == f"shisho {shisho.__version__}"


@pytest.mark.parametrize("words", [(), ("add",), ("queue",), ("queue", "add"), ("engines", "parse")])
def test_a_short_word_for_help(shell: Shell, words: tuple[str, ...]) -> None:
    assert shell(*words, "-h") == shell(*words, "--help") and "使い方: shisho" in shell(*words, "-h")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPLETION)
def test_commands_are_completed(shell: Shell, tmp_path: Path, name: str) -> None:
    program = shutil.which(name)
    if program is None:
        missing(f"{name} is not installed")
    command = tmp_path / "bin" / "shisho"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {SHISHO[0]} -c "{SHISHO[2]}" "$@"\n')
    command.chmod(0o755)
    environment = {
        **shell.environment,
        "PATH": f"{command.parent}:{shell.environment['PATH']}",
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [program, "-c", COMPLETION[name]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (
        all(word in done.stdout for word in ("search", "settings", "serve")) and "export" not in done.stdout
    )


@pytest.mark.slow
def test_a_search_gives_as_many_as_asked_for(shell: Shell) -> None:
    shell("add", SAMPLES)
    usual = shell("search", "統計", "--json")
    assert len(usual) > 2
    assert shell("search", "統計", "--limit", "2", "--json") == usual[:2]
    assert len(shell("search", "統計", "--limit", "40", "--json")) > len(usual)
    assert shell.run("search", "統計", "--limit", "0").returncode == 2


def test_some_failed_files_end_with_one(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "good.txt").write_text("赤い本は棚の上にある。", "utf-8")
    shell("add", tmp_path / "lib")
    (tmp_path / "lib" / "empty.txt").write_text("", "utf-8")
    shell("add", tmp_path / "lib", code=1)
    shell("add", tmp_path / "nowhere", code=2)
    assert shell.run("add").returncode == 2 and shell.run("nothing-of-ours").returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize("words", [("search", "残差"), ("list",), ("ask", "残差とは何か")])
def test_an_unknown_field_names_those_there_are(shell: Shell, words: tuple[str, ...]) -> None:
    shell("add", SAMPLES, "--meta", "課=統計学")
    shell(*words, "--filter", "課=物理", "--json")
    error = shell(*words, "--filter", "科=統計学", "--json", code=2)
    assert error["code"] == "INVALID_PARAMS" and "科" in error["message"] and "課" in error["message"]
    assert {"課", "title", "page"} <= set(error["details"]["known"])


def test_a_name_that_fits_several_lists_them_with_ids(shell: Shell, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "slides.txt").write_text(f"{folder}の本は棚の上にある。", "utf-8")
    shell("add", tmp_path / "a", tmp_path / "b")
    held = shell("list", "--json")
    for command in ("remove", "show"):
        error = shell(command, "slides.txt", "--json", code=1)
        assert error["code"] == "RESOURCE_NOT_FOUND"
        assert all(row["id"] in error["message"] and row["source"] in error["message"] for row in held)
    assert len(shell("list", "--json")) == 2
    shell("remove", held[0]["id"])
    shell("remove", "slides.txt")
    assert shell("list", "--json") == []


@pytest.mark.slow
def test_continue_last_goes_on_with_what_is_unfinished_or_says_there_is_none(shell: Shell) -> None:
    shell("add", SAMPLES)
    stopped = shell("ask", "徳川家康はいつ江戸幕府を開いたか", "--json")
    error = shell("ask", "--continue", "last", "--json", code=1)
    assert error["code"] == "RESOURCE_NOT_FOUND" and "途中の質問はありません" in error["message"]
    again = shell("ask", "--continue", stopped["task_id"], "--json")
    assert again["text"] == stopped["text"], "a finished one gives its answer again where it is named"


def test_a_document_is_shown_page_by_page(shell: Shell) -> None:
    shell("add", SAMPLES / "01-regression.pdf")
    printed = shell("show", "01-regression.pdf").splitlines()
    marks = [line for line in printed if line.startswith("── ")]
    assert marks == [f"── {number}ページ ──" for number in range(1, 7)]
    on_third = printed[printed.index(marks[2]) : printed.index(marks[3])]
    assert any("決定係数が0に近いとき" in line for line in on_third)


@pytest.mark.slow
def test_a_quotation_is_printed_once(shell: Shell) -> None:
    shell("add", SAMPLES)
    for command in (("ask", "決定係数が0に近いとき何を意味するか"), ("show", "last")):
        printed = shell(*command)
        assert printed.count("決定係数が0に近いとき、それは回帰式が") == 1
        assert "予測値が平均値を" in printed, "the line that the page breaks is whole"
        assert "[1] 01-regression.pdf 3ページ" in printed


@pytest.mark.slow
def test_a_long_list_says_how_it_goes_on(shell: Shell) -> None:
    shell("add", SAMPLES)
    held = shell("list", "--json")
    assert "--after" not in shell("list", "--limit", str(len(held)))
    assert f"shisho list --after {held[1]['id']}" in shell("list", "--limit", "2")
    assert shell("list", "--after", held[1]["id"], "--json") == held[2:]


def test_a_window_is_announced_for_what_waits_alone(shell: Shell) -> None:
    done = shell.run("auth", "open", "nosuch")
    assert done.returncode == 1 and done.stderr.startswith("RESOURCE_NOT_FOUND") and "窓" not in done.stderr


ADDRESS = "https://archive.example/2020/https://www.example.org//a.html"


@pytest.mark.parametrize(
    "words", [("add", ADDRESS), ("sync", ADDRESS), ("search", "x", "--in", ADDRESS), ("add", ".", ADDRESS)]
)
def test_an_address_in_place_of_a_file_is_shown_as_it_was_typed(shell: Shell, words: tuple[str, ...]) -> None:
    said = shell(*words, code=2)
    assert (
        said.startswith(f"INVALID_PARAMS: {ADDRESS} ") and "shisho queue add" in said and "queue_urls" in said
    )


async def test_a_program_is_told_so_too(library: Library) -> None:
    for path in ("http://www.example.org/a", Path("http://www.example.org/a")):
        with pytest.raises(InvalidParams, match=r"http://www\.example\.org/a is a web address"):
            async for _ in library.documents.add(path):
                pass


def test_a_folder_of_such_a_name_is_a_folder(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "http:" / "www.example.org"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("燈台とは、光で船を導く塔である。", "utf-8")
    done = shell.run("add", "http://www.example.org", cwd=tmp_path)
    assert done.returncode == 0 and "a.txt" in done.stdout


def test_a_document_is_removed_and_restored_on_one_line(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "猫\n署名: 本物の鍵.txt"
    file.write_text("猫は眠る。", "utf-8")
    shell("add", file)
    (document,) = shell("list", "--json")
    for words in (("remove",), ("restore",), ("remove", "--purge", "--yes")):
        printed = shell.run(words[0], document["id"], *words[1:]).stdout
        assert len(printed.splitlines()) == 1 and "猫 署名: 本物の鍵.txt" in printed
        removed = [row["id"] for row in shell("list", "--removed", "--json")]
        assert removed == ([document["id"]] if words == ("remove",) else [])


def test_a_backup_tells_which_files_it_leaves_out(shell: Shell, tmp_path: Path) -> None:
    """What was handed in and waits for its job is not in the database either."""
    shell("list")
    assert shell.run("backup", tmp_path / "empty.db").stderr == ""

    async def hand_in() -> None:
        async with open_library(home=shell.home, embedder="none") as library:
            await library.tasks.queue_documents(files=[Bytes("猫.txt", "猫は眠る。".encode())])

    asyncio.run(hand_in())
    done = shell.run("backup", tmp_path / "one.db")
    assert done.returncode == 0 and "アップロードされたファイル1個は含まれません" in done.stderr
    assert str(shell.home) in done.stderr and "staging" in done.stderr


@pytest.mark.slow
def test_doctor_tells_of_a_store_of_files_that_does_not_answer(shell: Shell) -> None:
    """It ended at that check, with none of the others."""
    shell("list")
    nowhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_REGION": "x"}
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    shell.environment |= {"SHISHO_BLOBS": "s3://bucket/prefix", **nowhere, **keys}
    checks = {check["name"]: check for check in shell("doctor", "--json", code=1)}
    assert checks["database"]["ok"] and "model" in checks
    assert not checks["originals"]["ok"] and "s3://bucket/prefix" in checks["originals"]["detail"]


@pytest.mark.parametrize(
    "words",
    [
        ("remove", UNKNOWN),
        ("restore", UNKNOWN),
        ("show", UNKNOWN),
        ("search", "猫", UNKNOWN),
        ("ask", UNKNOWN),
        ("list", "--corpus", UNKNOWN),
        ("audit", "--user", UNKNOWN),
        ("queue", "status", UNKNOWN),
        ("conversation", UNKNOWN),
    ],
)
def test_a_word_in_another_encoding_is_refused_in_a_sentence(shell: Shell, words: tuple[str, ...]) -> None:
    """A name from an old archive, completed by the shell, ended in a traceback."""
    done = shell.run(*words, "--json")
    assert (done.returncode, json.loads(done.stdout)["code"]) == (2, "INVALID_PARAMS"), done.stderr
    assert "文字コード" in json.loads(done.stdout)["message"]


def test_what_is_not_there_yet_is_called_by_what_it_is(shell: Shell) -> None:
    """`last` was no document, and a task was to be shared with nobody's group."""
    assert shell("show", code=1) == "RESOURCE_NOT_FOUND: まだ回答がありません。\n"
    assert "文書 first" in shell("show", "first", code=1)
    assert shell("share", "last", code=2).startswith("INVALID_PARAMS: 共有先のグループを")
