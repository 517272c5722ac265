"""`shisho worker` processes on one home, killed in the middle of documents and questions."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import JobState, TaskState
from shisho.domain.task import AskOptions, Progress, Sources
from shisho.services import Library
from tests.flows.conftest import Shell
from tests.flows.smallweb import answered, ended
from tests.flows.test_shell import rows_of, until, write_notes
from tests.interfaces.serving import empty_box
from tests.machine import PATIENCE

DOCUMENTS = AskOptions(sources=Sources.DOCUMENTS)

QUESTIONS = [
    "統計と回帰の関係について誰が何を述べたか、また検定と推定の違いは何か",
    "図書館と司書の関係とは何か",
    "母集団と標本の違いは何か",
    "索引と検索の関係とは何か",
]
DONE = "SELECT count(*) FROM jobs WHERE state = 'completed'"


def workers(shell: Shell, number: int = 2) -> list[subprocess.Popen[str]]:
    return [shell.start("worker", "-n", "2") for _ in range(number)]


def buried(*processes: subprocess.Popen[str]) -> None:
    for each in processes:
        Shell.kill(each)
        each.communicate()


async def replaced(
    shell: Shell, running: list[subprocess.Popen[str]], query: str, *moments: int
) -> list[subprocess.Popen[str]]:
    """At each moment one worker is killed and another started. Two moments at most: a job that has died three
    times is given up."""
    for least in moments:
        until(running[0], shell.home, query, least)
        buried(running[0])
        running = [*running[1:], shell.start("worker", "-n", "2")]
    return running


async def test_documents_are_taken_in_once_whoever_dies(shell: Shell, tmp_path: Path) -> None:
    write_notes(tmp_path / "lib", 40)
    async with open_library(home=shell.home) as library:
        added = await library.tasks.queue_documents(paths=[tmp_path / "lib"], remote=False)
        running = await replaced(shell, workers(shell), DONE, 3, 20)
        assert len(rows_of(shell.home, "SELECT id FROM jobs WHERE state = 'completed'")) < 40, (
            "killed too late to show anything"
        )
        try:
            held, results = await ended(library, added.task_id)
        finally:
            buried(*running)
        assert (held.status, held.progress.documents, held.errors) == (
            TaskState.COMPLETED,
            Progress(40, 40),
            (),
        )
        assert Counter(Path(one.url).name for one in results) == Counter(
            f"{number:03}.txt" for number in range(40)
        )
        documents = await library.documents.list(limit=99)
        assert sorted(one.id for one in documents) == sorted(one.document_id or "" for one in results)
        passages = "SELECT count(*) FROM passages WHERE document_id = d.id"
        whole = f"SELECT count(*) FROM documents d WHERE passage_count <> ({passages})"
        assert rows_of(shell.home, whole) == [(0,)]
        attempts = [job.attempt for job in (await library.tasks.list_jobs(added.task_id)).jobs]
        assert max(attempts) > 1, "no job was under way when its worker was killed"


@pytest.mark.slow
async def test_answers_come_out_the_same_whoever_dies(shell: Shell, tmp_path: Path) -> None:
    write_notes(tmp_path / "lib", 12)
    async with open_library(home=shell.home) as library:
        async for _ in library.documents.add(tmp_path / "lib"):
            pass
        direct = [await library.questions.ask(each) for each in QUESTIONS]
        steps = len(rows_of(shell.home, "SELECT * FROM steps"))
        asked = [await library.questions.queue(each, options=DOCUMENTS, wait=0) for each in QUESTIONS]
        taken = f"SELECT count(*) - {steps} FROM steps"
        running = await replaced(shell, workers(shell, 1), taken, 1, 9)
        try:
            answers = [await answered(library, one) for one in asked]
        finally:
            buried(*running)
        for whole, one in zip(direct, answers, strict=True):
            assert (one.text, one.rounds, one.loop_stop) == (whole.text, whole.rounds, whole.loop_stop)
            assert [each.snippet for each in one.evidence] == [each.snippet for each in whole.evidence]
        jobs = [(await library.tasks.list_jobs(one.task_id)).jobs[0] for one in asked]
        assert {job.state for job in jobs} == {JobState.COMPLETED}
        assert max(job.attempt for job in jobs) > 1, "no job was under way when its worker was killed"
        await once_each(library, shell)


async def once_each(library: Library, shell: Shell) -> None:
    """No run has taken a step twice, and no question has two answers."""
    assert rows_of(shell.home, "SELECT run_id FROM answers GROUP BY id HAVING count(*) > 1") == []
    ids = [job_id for (job_id,) in rows_of(shell.home, "SELECT id FROM jobs WHERE kind = 'answer'")]
    assert sorted(ids) == sorted(
        name for (name,) in rows_of(shell.home, "SELECT id FROM answers WHERE length(id) = 32")
    )


def test_a_worker_drains_the_queue_and_ends(shell: Shell, tmp_path: Path) -> None:
    shell.environment |= {"SHISHO_WEB": "on", "SHISHO_BOX": str(empty_box())}
    queued = shell("queue", "add", "決定係数 定義", "", "決定係数 定義", "--json")
    shell.environment["SHISHO_WEB"] = "off"
    assert (queued["queued"], len(queued["skipped"])) == (1, 2)
    assert "決定係数 定義" in shell("queue", "status") and "タスク" in shell(
        "queue", "status", queued["task_id"][:30]
    )
    shell("worker", "-n", "2", "--drain")
    lines = shell.run("queue", "watch", "--json").stdout.splitlines()
    assert len(lines) == 1 and '"ENGINE_UNAVAILABLE"' in lines[0]
    (task,) = shell("jobs", "--json")["tasks"]
    assert task["status"] == "failed"
    (job,) = shell("jobs", "last", "--json")["jobs"]
    assert job["errors"][-1]["code"] == "ENGINE_UNAVAILABLE"
    assert "1件" in shell("queue", "resume") and shell("queue", "stop", "--json")["cancelled"]["queued"] == 1
    assert shell("auth", "list", "--json") == []
    assert shell("auth", "done", "none", "--json", code=1)["code"] == "RESOURCE_NOT_FOUND"
    assert shell("queue", "status", "なし", "--json", code=1)["code"] == "TASK_NOT_FOUND"


def test_a_worker_asked_to_end_gives_its_jobs_back(shell: Shell, tmp_path: Path) -> None:
    import signal

    process = shell.start("worker", "-n", "3")
    until(process, shell.home, "SELECT count(*) FROM sqlite_master WHERE name = 'jobs'", 1)
    assert process.stderr is not None and "3件" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert not [*(shell.home / "workers").glob("*.lock")]
