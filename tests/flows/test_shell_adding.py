"""`shisho add` as a person sees it: names that tell files apart, what was left out, how far it is, what
failed."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import threading
from pathlib import Path

import pytest

from shisho.system.files import survey
from tests.corpus.readers.making import slow
from tests.flows.conftest import SAMPLES, SHISHO, Shell
from tests.machine import PATIENCE


def folder_of_a_project(folder: Path) -> Path:
    """Two lectures of one name, a broken file, an empty one, and what programs leave in folders."""
    for name in ("week1", "week2", "node_modules/x", ".git/objects", "lib/__pycache__", "my-env"):
        (folder / name).mkdir(parents=True)
    for name in (
        "node_modules/x/README.md",
        ".git/objects/a.txt",
        "lib/__pycache__/b.txt",
        "my-env/pyvenv.cfg",
        "my-env/c.txt",
    ):
        (folder / name).write_text("文書ではない。", "utf-8")
    (folder / "~$week.docx").write_text("", "utf-8")
    for week in ("week1", "week2"):
        (folder / week / "slides.txt").write_text(f"{week}の本は棚の上にある。", "utf-8")
    (folder / "week1" / "empty.txt").write_text("", "utf-8")
    (folder / "week2" / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    return folder


def on_a_terminal(shell: Shell, *words: str | Path, columns: int = 80) -> tuple[int, str]:
    """What a terminal of that width is sent, and the exit code."""
    ours, its = pty.openpty()
    environment = {**shell.environment, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [*SHISHO, *map(str, words)], env=environment, stdin=its, stdout=its, stderr=its
    )
    os.close(its)
    sent: list[bytes] = []

    def listen() -> None:
        try:
            while piece := os.read(ours, 65_536):
                sent.append(piece)
        except OSError:  # the other end is closed
            return

    listening = threading.Thread(target=listen)
    listening.start()
    code = process.wait(PATIENCE)
    listening.join(PATIENCE)
    os.close(ours)
    return code, b"".join(sent).decode("utf-8", "replace")


def test_what_programs_leave_behind_is_left_out_and_counted(tmp_path: Path) -> None:
    folder = folder_of_a_project(tmp_path / "project")
    found = survey([folder])
    assert [str(file.relative_to(folder)) for file in found.files] == [
        "week1/empty.txt",
        "week1/slides.txt",
        "week2/broken.pdf",
        "week2/slides.txt",
    ]
    assert found.left_out == {"node_modules": 1, ".git": 1, "__pycache__": 1, "my-env": 1, "~$": 1}
    assert [file.name for file in survey([folder / ".git"]).files] == ["a.txt"], "what is named is meant"


def test_names_tell_files_apart_and_failures_are_told_again(shell: Shell, tmp_path: Path) -> None:
    folder = folder_of_a_project(tmp_path / "project")
    done = shell.run("add", folder)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert "追加  week1/slides.txt  1か所" in lines and "追加  week2/slides.txt  1か所" in lines
    total = next(place for place, line in enumerate(lines) if line.startswith("追加 2 "))
    end = "\n".join(lines[total + 1 :])
    assert "week1/empty.txt" in end and "week2/broken.pdf" in end and end.count("DOCUMENT_UNREADABLE") == 2
    assert "slides" not in end
    assert all(name in done.stderr for name in ("node_modules", ".git", "__pycache__", "my-env"))
    assert "\x1b" not in done.stdout + done.stderr and " / 4" not in done.stdout + done.stderr, (
        "no bar on a pipe"
    )


def test_a_question_to_a_folder_tells_a_pipe_what_cannot_be_searched(shell: Shell, tmp_path: Path) -> None:
    folder = folder_of_a_project(tmp_path / "project")
    done = shell.run("ask", "本はどこにありますか", "--in", folder)
    assert "棚の上" in done.stdout
    assert "broken.pdf" in done.stderr and "DOCUMENT_UNREADABLE" in done.stderr
    assert "node_modules" in done.stderr
    assert "slides" not in done.stderr, "what can be searched is no news"


def test_several_folders_are_told_as_they_were_typed(shell: Shell, tmp_path: Path) -> None:
    folder_of_a_project(tmp_path / "project")
    done = shell.run("add", "project/week1", "project/week2/slides.txt", cwd=tmp_path)
    assert "追加  project/week1/slides.txt" in done.stdout and "追加  project/week2/slides.txt" in done.stdout


@pytest.mark.slow
def test_a_terminal_sees_how_far_it_is(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number:02}.txt").write_text(f"{number}冊目の本は棚の上にある。" * 400, "utf-8")
    code, sent = on_a_terminal(shell, "add", folder, columns=40)
    assert code == 0
    counted = [int(found) for found in re.findall(r"(\d+) / 60件", sent)]
    assert counted and counted == sorted(counted) and len(set(counted)) > 1
    assert "追加 60" in sent


@pytest.mark.slow
def test_a_terminal_sees_how_far_a_long_pdf_is(shell: Shell, tmp_path: Path) -> None:
    """The pages are told where there is no room for the name."""
    path = tmp_path / "統計的推測のための長い講義ノート第三版.pdf"
    data, pages = slow(3)
    path.write_bytes(data)
    code, sent = on_a_terminal(shell, "add", path, columns=40)
    assert code == 0
    told = [int(found) for found in re.findall(rf"(\d+) / {pages}ページ  統", sent)]
    assert told and told == sorted(told) and told[0] < pages
    assert "追加 1" in sent


@pytest.mark.slow
def test_a_pipe_is_told_of_a_long_pdf_in_a_few_lines(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "本.pdf"
    data, pages = slow(3)
    path.write_bytes(data)
    done = shell.run("add", path)
    told = [line for line in done.stderr.splitlines() if re.fullmatch(rf"本\.pdf: \d+ / {pages}ページ", line)]
    assert 1 <= len(told) <= 11 and len(set(told)) == len(told)
    assert f"/ {pages}ページ" not in done.stdout


def test_a_single_failure_is_told_once(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("", "utf-8")
    assert shell("add", tmp_path / "empty.txt", code=1).count("DOCUMENT_UNREADABLE") == 1
    assert "追加 4" in shell("add", SAMPLES)


def test_of_files_with_the_same_content_one_is_added_and_all_are_removed(
    shell: Shell, tmp_path: Path
) -> None:
    folder = tmp_path / "twins"
    folder.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (folder / name).write_text("ハリネズミの好物はミミズである。", "utf-8")
    added = shell("add", folder)
    assert [line.split()[0] for line in added.splitlines()[:3]] == ["追加", "変更なし", "変更なし"]
    assert "追加 1" in added and "変更なし 2" in added
    done = shell.run("remove", folder / "b.txt")
    assert done.returncode == 0 and shell("list", "--json") == []
    named = [name for name in ("a.txt", "b.txt", "c.txt") if f"{name} も同じ内容" in done.stderr]
    assert len(named) == 2 and "外しました" in done.stdout
