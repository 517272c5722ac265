"""The shell as a person uses it, each command a process of its own: kills and Ctrl-C included."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from shisho.bootstrap.library import open_library
from tests.flows.conftest import SAMPLES, Shell
from tests.machine import PATIENCE, children_seconds

TRIES = 20  # to kill a run before it ends: its last steps take milliseconds

QUESTION = "決定係数が0に近いとき何を意味するか"
WORDS = """統計 回帰 検定 係数 標本 分散 母集団 推定 残差 相関 図書館 索引 検索 利用者 司書 分類 目録 貸出""".split()  # noqa: SIM905


def write_notes(folder: Path, files: int, paragraphs: int = 60) -> None:
    """Text files of our own, all different, long enough that taking them in takes a moment."""
    folder.mkdir(exist_ok=True)
    for number in range(files):
        rng = random.Random(number)
        lines = [
            "".join(
                f"{rng.choice(WORDS)}と{rng.choice(WORDS)}の{rng.randint(1, 9999)}番目の関係を述べる。"
                for _ in range(4)
            )
        ]
        lines += [
            "".join(f"{rng.choice(WORDS)}は{rng.choice(WORDS)}である。" for _ in range(8))
            for _ in range(paragraphs)
        ]
        (folder / f"{number:03}.txt").write_text("\n\n".join(lines), "utf-8")


def test_a_removal_is_undone_by_the_name_of_the_file(shell: Shell) -> None:
    name = "01-regression.pdf"
    shell("add", SAMPLES / name)
    assert "検索対象から外しました" in shell("remove", name) and shell("list", "--json") == []
    assert name in shell("restore", name)
    (document,) = shell("list", "--json")
    assert shell("restore", document["id"], "--json") == document
    assert "ありません" in shell("restore", "nothing.pdf", code=1)


@pytest.mark.slow
def test_a_folder_in_and_a_cited_answer_out(shell: Shell) -> None:
    assert "追加 4" in shell("add", SAMPLES, "--meta", "課=統計学")
    assert "変更なし 4" in shell("add", SAMPLES)
    printed = shell("ask", QUESTION)
    assert "回答あり · 言語モデルなし" in printed and "01-regression.pdf" in printed and "3ページ" in printed
    check_brief(shell)
    answer = shell("ask", QUESTION, "--json")
    assert {
        "id",
        "text",
        "blocks",
        "evidence",
        "condition",
        "goal_status",
        "level",
        "loop_stop",
        "missing",
        "model",
    } <= answer.keys()
    for row in answer["evidence"]:
        assert {"document", "document_id", "page", "start", "end", "snippet", "sha256"} <= row.keys()
        document, text = shell("show", row["document_id"], "--json")
        assert text[row["start"] : row["end"]] == row["snippet"]
        assert document["metadata"]["課"] == "統計学" and "司書大学" in document["metadata"]["author"]
    found = shell("search", "決定係数 定義", "--filter", "課=統計学", "--json")
    assert found and "決定係数" in found[0]["text"]
    assert shell("search", "決定係数 定義", "--filter", "課=物理", "--json") == []
    assert "終了条件: G1" in shell("show", answer["id"]) and "終了の理由: 終了条件を満たしました" in shell(
        "show", "last"
    )
    for form in ("md", "jsonl", "bibtex", "ris"):
        assert "決定係数" in shell("export", answer["id"], "--format", form)


def check_brief(shell: Shell) -> None:
    """The marked sentences alone, each with its number and its source."""
    answer = shell("show", "last", "--json")
    passages = [block for block in answer["blocks"] if block["kind"] == "passage"]
    marks = [mark["number"] for passage in passages for mark in passage["marks"]]
    snippets = {row["number"]: "".join(row["snippet"].split()) for row in answer["evidence"]}
    for brief in (shell("ask", QUESTION, "--brief"), shell("show", answer["id"], "--brief")):
        squeezed = "".join(brief.split())
        whole = max(passages, key=lambda passage: len(passage["text"]))
        assert "回答あり" in brief and "".join(whole["text"].split()) not in squeezed
        for number in marks:
            assert f"{snippets[number]}[{number}]" in squeezed and f"\n[{number}] 0" in brief


@pytest.mark.slow
def test_list_remove_backup_settings_doctor(shell: Shell, tmp_path: Path) -> None:
    assert "まだ文書がありません" in shell("list")
    shell("add", SAMPLES / "01-regression.pdf")
    (document,) = shell("list", "--json")
    assert document["page_count"] == 6
    assert "検索対象から外しました" in shell("remove", document["id"][:9])
    assert shell("list", "--json") == []
    assert "追加 1" in shell("add", SAMPLES / "01-regression.pdf")
    assert "完全に削除しました" in shell("remove", "01-regression.pdf", "--purge", "--yes")
    shell("backup", tmp_path / "copy.db")
    with closing(apsw.Connection(str(tmp_path / "copy.db"))) as copied:
        assert copied.execute("SELECT state FROM documents").fetchall() == [("purged",)]
    assert "CONFLICT" in shell("backup", tmp_path / "copy.db", code=1)
    rows = {row["name"]: row for row in shell("settings", "--json")["settings"]}
    assert rows["home"]["from"] == "call" or rows["home"]["from"] == "environment"
    assert all(row["ok"] or row["optional"] for row in shell("doctor", "--json"))


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        (("ask", " ", "--json"), 2, "INVALID_PARAMS"),
        (("ask", "--json"), 2, "INVALID_PARAMS"),
        (("ask", "何か", "--json"), 1, "EMPTY_CORPUS"),
        (("search", " ", "--json"), 2, "INVALID_PARAMS"),
        (("search", "何か", "--filter", "課", "--json"), 2, "INVALID_PARAMS"),
        (("show", "なし", "--json"), 1, "RESOURCE_NOT_FOUND"),
        (("ask", "--continue", "last", "--json"), 1, "RESOURCE_NOT_FOUND"),
        (("eval", "/nowhere", "--json"), 2, "INVALID_PARAMS"),
    ],
)
def test_errors_are_typed(shell: Shell, words: tuple[str, ...], exit_code: int, code: str) -> None:
    error = shell(*words, code=exit_code)
    assert error["ok"] is False and error["code"] == code and error["message"] and error["error_id"]


def test_help_is_quick(shell: Shell) -> None:
    shell.run("--help")
    before = children_seconds()
    assert "ask" in shell("--help")
    # half a second by the clock of a quiet machine is measured by make bench
    assert children_seconds() - before < 1.5


def rows_of(home: Path, query: str) -> list[tuple[Any, ...]]:
    """What another process sees; nothing while there is no database or no such table yet. Never through
    Python's own SQLite: beside ours in one process, its closing of the file lets go of the locks of both."""
    try:
        with closing(apsw.Connection(str(home / "shisho.db"), flags=apsw.SQLITE_OPEN_READONLY)) as held:
            return held.execute(query).fetchall()
    except (apsw.BusyError, apsw.CantOpenError, apsw.SQLError):
        return []


def until(process: subprocess.Popen[str], home: Path, query: str, least: int) -> None:
    """Wait until the query counts that many, or the process has ended."""
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        if (rows_of(home, query) or [(0,)])[0][0] >= least:
            return
        time.sleep(0.005)


async def test_killed_while_adding_every_document_is_whole_or_absent(shell: Shell, tmp_path: Path) -> None:
    write_notes(tmp_path / "lib", 40)
    for least in (1, 7, 20, 33):
        process = shell.start("add", tmp_path / "lib", "--json")
        until(process, shell.home, "SELECT count(*) FROM documents", least)
        shell.kill(process)
        process.communicate()
        stored = "(SELECT count(*) FROM passages WHERE document_id = documents.id)"
        letters = '(SELECT sum("end" - start) FROM blocks WHERE document_id = documents.id)'
        rows = rows_of(shell.home, f"SELECT passage_count, {stored}, {letters} FROM documents")
        assert least <= len(rows) < 40, "the kill came too late to show anything"
        assert all(told == held > 0 and length for told, held, length in rows)
    shell("add", tmp_path / "lib")
    async with open_library(home=shell.home) as library:
        assert len(await library.documents.list(limit=99)) == 40
        for number in (0, 20, 39):
            text = (tmp_path / "lib" / f"{number:03}.txt").read_text("utf-8")
            marked = re.findall(r"\d+番目", text)[0]
            assert any(
                Path(one.source).name == f"{number:03}.txt"
                for one in await library.documents.search([text[:40], marked])
            )


def killed_at(shell: Shell, question: str, least: int) -> bool:
    """Kill a run after so many of its steps. False where it had ended by then."""
    taken = "SELECT count(*) FROM steps WHERE run_id = (SELECT id FROM runs ORDER BY created_at DESC LIMIT 1)"
    known = len(rows_of(shell.home, "SELECT id FROM runs"))
    process = shell.start("ask", question, "--json")
    query = f"SELECT CASE WHEN (SELECT count(*) FROM runs) > {known} THEN ({taken}) ELSE 0 END"
    until(process, shell.home, query, least)
    shell.kill(process)
    process.communicate()
    return rows_of(shell.home, "SELECT state FROM runs ORDER BY created_at DESC LIMIT 1") == [("open",)]


@pytest.mark.slow
def test_killed_while_asking_and_continued_gives_the_same_answer(shell: Shell, tmp_path: Path) -> None:
    write_notes(tmp_path / "lib", 12)
    shell("add", tmp_path / "lib")
    question = "統計と回帰の関係について誰が何を述べたか、また検定と推定の違いは何か"
    whole = shell("ask", question, "--json")
    (steps,) = rows_of(shell.home, "SELECT count(*) FROM steps")[0]
    for least in (1, 3, steps - 2):
        assert any(killed_at(shell, question, least) for _ in range(TRIES)), "every run ended before the kill"
        again = shell("ask", "--continue", "last", "--json")
        assert (again["text"], again["loop_stop"], again["rounds"]) == (
            whole["text"],
            whole["loop_stop"],
            whole["rounds"],
        )
        assert [row["snippet"] for row in again["evidence"]] == [row["snippet"] for row in whole["evidence"]]


@pytest.mark.slow
def test_ctrl_c_prints_what_was_found_and_the_run_goes_on(shell: Shell, tmp_path: Path) -> None:
    write_notes(tmp_path / "lib", 60)
    process = shell.start("ask", "統計の12番目の関係とは何か", "--in", tmp_path / "lib")
    until(process, shell.home, "SELECT count(*) FROM documents", 2)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, (printed, said)
    assert "途中で停止しました" in printed and "--continue last" in said
    assert "途中で停止しました" in shell("show", "last")
    answer = shell("ask", "--continue", "last", "--json")
    assert answer["loop_stop"] != "STOPPED" and len(shell("list", "--limit", "999", "--json")) == 60


def test_misspelt_setting_of_the_environment_is_told_once_and_stops_nothing(shell: Shell) -> None:
    shell.environment["SHISHO_MAX_ROUND"] = "1"
    listed = shell.run("list", "--json")
    assert (listed.returncode, json.loads(listed.stdout)) == (0, [])
    assert listed.stderr.count("SHISHO_MAX_ROUND ") == 1 and "SHISHO_MAX_ROUNDS" in listed.stderr
    assert "という設定はない" in listed.stderr
    rows = [row for row in shell("doctor", "--json") if row["name"] == "environment"]
    assert [(row["ok"], row["optional"]) for row in rows] == [(False, True)]
    assert "SHISHO_MAX_ROUND " in rows[0]["detail"]
