"""After a purge nothing of a document is left in any file of the home: text, name, title, or what was said of
it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.domain.evidence import REMOVED
from shisho.domain.job import ENDED, JobId, TaskId
from shisho.domain.task import Bytes, DocumentsQueued
from shisho.errors import KeyConflict, NotFound
from shisho.services import Library
from shisho.services.documents import STILL_READ
from tests.flows.boxed import boxed
from tests.flows.conftest import Shell
from tests.machine import PATIENCE
from tests.queues import output_of

NAME = "極秘ゼブラ計画書"
TITLE = "縞馬移転の全容"
SECTION = "夜間搬入の手順"
SAID = "ムラサキ区分"
SENTENCE = "縞馬は月のない夜にだけ第七書庫へ来る"
QUESTION = "第七書庫へ来るのは何か"
TEXT = f"# {TITLE}\n\n## {SECTION}\n\n{SENTENCE}。搬入口は西側の扉である。\n"
TELLING = (NAME, TITLE, SECTION, SAID, SENTENCE, "縞馬", "搬入口")
WRITER = """
import asyncio, sys
from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source

async def write():
    async with open_library(home=sys.argv[1]) as library:
        print("ready", flush=True)
        number = 0
        while True:
            number += 1
            text = f"別の本文、第{number}号。".encode()
            await library.documents.add_source(Source(f"other {number}.txt", text, "text/plain"))

asyncio.run(write())
"""
SEARCH = """
import json, sys
from pathlib import Path
from tests.queues import output_of

for path in Path(sys.argv[1]).rglob("*"):
    try:
        data = path.read_bytes() if path.is_file() else b""
    except FileNotFoundError:  # the index puts new files in the place of old ones
        continue
    for word in sys.argv[2:]:
        escaped = json.dumps(word)[1:-1]
        forms = {word, escaped, word if word.isascii() else escaped.upper().replace("\\\\U", "\\\\u")}
        if any(form.encode() in data for form in forms) or word.encode("utf-16-le") in data:
            print(json.dumps([path.name, word]))
"""


def left(home: Path, words: Iterable[str] = TELLING) -> set[tuple[str, str]]:
    """Which words stand in which files, as UTF-8 or escaped as JSON does. In a process of its own: whoever
    closes a file of the database that it has opened by itself lets go of SQLite's locks on it."""
    command = [sys.executable, "-c", SEARCH, str(home), *words]
    found = subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8").stdout
    return {(name, word) for name, word in map(json.loads, found.splitlines())}


async def taken_in(library: Library, path: Path) -> str:
    """By a job, as an assistant does, with all that is kept of one."""
    queued = await library.tasks.queue_documents(paths=[path], metadata={"分類": SAID}, remote=False)
    status = await library.tasks.get_status(queued.task_id, wait=0)
    while any(job.state not in ENDED for job in (await library.tasks.list_jobs(queued.task_id)).jobs):
        status = await library.tasks.get_status(queued.task_id, wait=20, since_revision=status.revision)
    (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
    return str(output_of(job)["document_id"])


@asynccontextmanager
async def steadily_loaded(library: Library, home: Path) -> AsyncIterator[None]:
    """Another process writes without a pause, and this one reads and writes."""
    writer = await asyncio.create_subprocess_exec(sys.executable, "-c", WRITER, str(home), stdout=PIPE)

    async def busy(number: int) -> None:
        for turn in range(10**9):
            source = Source(f"{number} {turn}.txt", f"手元の本文、{number}の{turn}。".encode(), "text/plain")
            await library.documents.add_source(source)
            await library.documents.list(limit=5)

    tasks = [asyncio.create_task(busy(number)) for number in range(1)]
    try:
        assert writer.stdout is not None and await writer.stdout.readline() == b"ready\n"
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        writer.kill()
        await writer.communicate()


def written(folder: Path, text: str = TEXT) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{NAME}.md").write_text(text, "utf-8")
    return folder / f"{NAME}.md"


async def leave_no_name_with_keys(library: Library, folder: Path) -> None:
    """Requests of each form hand one document in, each under a key; after its purge the keys name nothing of
    it, and work as before."""
    path = written(folder / ("深い書庫" * 15))
    other = folder / "other.txt"
    other.write_text("別の本文である。", "utf-8")
    requests: dict[str, dict[str, Any]] = {
        "path": {"paths": [path]},
        "two": {"paths": [path, other]},
        "known": {"files": [Bytes(path.name, path.read_bytes())]},
        "other": {"paths": [other]},
    }
    replies: dict[str, DocumentsQueued] = {}
    for key, request in requests.items():
        replies[key] = await library.tasks.queue_documents(**request, remote=False, idempotency_key=key)
        for job_id in replies[key].job_ids:
            await ended(library, replies[key].task_id, job_id)
    await library.tasks.create(f"{path}とは何か", idempotency_key="question")
    (document,) = [document for document in await library.documents.list() if NAME in document.source]
    await library.documents.remove(document.id, purge=True)
    for key, request in requests.items():
        with pytest.raises(KeyConflict) as conflict:
            await library.tasks.create("別の問い", idempotency_key=key)
        assert NAME not in conflict.value.message and "深い" not in conflict.value.message
        assert (REMOVED in conflict.value.message) == (key != "other")
        again = await library.tasks.queue_documents(**request, remote=False, idempotency_key=key)
        assert (again.task_id, again.job_ids) == (replies[key].task_id, replies[key].job_ids)
    with pytest.raises(KeyConflict) as conflict:
        await library.tasks.create("別の問い", idempotency_key="question")
    assert "深い" not in conflict.value.message


async def ended(library: Library, task_id: TaskId, job_id: JobId) -> None:
    async with asyncio.timeout(PATIENCE):
        while {job.id: job.state for job in (await library.tasks.list_jobs(task_id)).jobs}[
            job_id
        ] not in ENDED:
            await library.tasks.get_status(task_id, wait=1)


async def test_keys_of_requests_name_it_no_more(tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "home", embedder="none") as library, library.working():
        await leave_no_name_with_keys(library, tmp_path)
    assert left(tmp_path / "home", [NAME]) == set()


@pytest.mark.apart  # two processes write without a pause: beside others it takes minutes
async def test_a_purge_under_steady_load_leaves_no_byte(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_library(home=home) as library, library.working():
        document_id = await taken_in(library, written(tmp_path / "folder"))
        answer = await library.questions.ask(QUESTION)
        assert any(evidence.document_id == document_id for evidence in answer.evidence)
        assert {word for _, word in left(home)} == set(TELLING)
        async with steadily_loaded(library, home):
            held = await library.documents.remove(document_id, purge=True)
            assert held.source.endswith(f"{NAME}.md")
            if held.warnings:  # beside busy processes a reader may hold the log for longer than it waits
                assert held.warnings == (STILL_READ,)
                async with asyncio.timeout(PATIENCE):
                    while left(home):  # noqa: ASYNC110  (another process's log notifies nobody)
                        await asyncio.sleep(1)
            # While the load goes on: nothing is waiting for an idle moment or for the end of a process.
            assert left(home) == set()
        assert (await library.questions.get(answer.id)).question == QUESTION
        assert (await library.documents.search(["手元の本文"]))[0].text.startswith("手元")


async def test_older_versions_of_the_file_are_erased_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_library(home=home) as library:
        path = written(tmp_path / "folder")
        _ = [receipt async for receipt in library.documents.add(path)]
        written(tmp_path / "folder", "# 新しい版\n\n差し替えた本文である。\n")
        _ = [receipt async for receipt in library.documents.add(path)]
        await library.documents.remove(str(path), purge=True)
    assert left(home, (*TELLING, "差し替えた本文")) == set()


async def test_what_was_only_removed_is_purged_by_its_name(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_library(home=home) as library:
        path = written(tmp_path / "folder")
        _ = [receipt async for receipt in library.documents.add(path)]
        await library.documents.remove(str(path))
        with pytest.raises(NotFound, match="There is no document"):
            await library.documents.remove(str(path))
        await library.documents.remove(str(path), purge=True)
    assert left(home) == set()


async def test_what_stands_in_another_corpus_too_is_told(tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "home") as library:
        path = written(tmp_path / "folder")
        for corpus in ("default", "別の書庫"):
            _ = [receipt async for receipt in library.documents.add(path, corpus=corpus)]
        gone = await library.documents.remove(str(path), purge=True)
        (other,) = await library.documents.list()
        assert gone.warnings[-1].startswith("The same file is also in 別の書庫")
        assert other.id in gone.warnings[-1]
        assert not any(
            "stands in" in warning for warning in (await library.documents.remove(other.id)).warnings
        )


async def test_handed_in_bytes_and_what_a_failed_job_still_holds(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_library(home=home) as library:
        file = Bytes(f"{NAME}.md", TEXT.encode())
        waiting = await library.tasks.queue_documents(
            files=[file], metadata={"分類": SAID}, corpus="別の書庫"
        )
        await library.tasks.stop(waiting.task_id)
        first = await library.documents.add_source(
            Source(f"{NAME}.md", TEXT.encode(), metadata={"分類": SAID})
        )
        await library.tasks.remove(waiting.task_id)
        assert first.document_id is not None
        await library.documents.remove(first.document_id, purge=True)
    assert left(home) == set()


@pytest.mark.slow
async def test_a_page_of_the_web_is_forgotten_with_its_address(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        queued = await library.tasks.queue_searches([box.questions[20].topic])
        status = await library.tasks.get_status(queued.task_id, wait=0)
        while any(job.state not in ENDED for job in (await library.tasks.list_jobs(queued.task_id)).jobs):
            status = await library.tasks.get_status(queued.task_id, wait=20, since_revision=status.revision)
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
        visited = [hit for hit in output_of(job)["hits"] if hit["document_id"]]
        gone = visited[0]
        kept = visited[1:]
        assert gone["url"] in {word for _, word in left(tmp_path, [gone["url"]])}
        await library.documents.remove(gone["document_id"], purge=True)
        assert left(tmp_path, [gone["url"]]) == set()
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
        assert [hit for hit in output_of(job)["hits"] if hit["document_id"] and hit["url"]] == kept


@pytest.mark.slow
async def test_what_a_reader_holds_is_told_and_goes_when_it_ends(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_library(home=home) as library:
        path = written(tmp_path / "folder")
        _ = [receipt async for receipt in library.documents.add(path)]
        reader = apsw.Connection(str(home / "shisho.db"), flags=apsw.SQLITE_OPEN_READONLY)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM documents").get == 1
        held = await library.documents.remove(str(path), purge=True)
        assert [warning.split(":")[0] for warning in held.warnings] == ["LOG_IN_USE"]
        assert "shisho.db-wal" in {name for name, _ in left(home)}
        reader.execute("COMMIT")
        reader.close()
        async with asyncio.timeout(PATIENCE):
            while await asyncio.to_thread(left, home):
                pass


@pytest.mark.slow
@pytest.mark.parametrize("json_", [(), ("--json",)], ids=["text", "json"])
def test_a_purge_without_a_terminal_wants_a_yes(shell: Shell, tmp_path: Path, json_: tuple[str, ...]) -> None:
    path = written(tmp_path / "folder")
    shell("add", path)
    done = shell.run("remove", path, "--purge", *json_)
    assert (
        done.returncode == 2
        and "INVALID_PARAMS" in done.stdout + done.stderr
        and "--yes" in done.stdout + done.stderr
    )
    assert SENTENCE in shell("show", f"{NAME}.md")
    shell("remove", path, "--purge", "--yes")
    assert left(shell.home) == set()


async def test_the_file_shrinks_with_what_is_purged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_library(home=home, web="off", embedder="none") as library:
        for number in range(12):
            text = "\n\n".join(f"第{number}巻の第{line}段落は、棚の話である。" * 5 for line in range(100))
            await library.documents.add_source(Source(f"{number}.txt", text.encode(), "text/plain"))
        before = used_bytes(home)
        for number in range(6):
            await library.documents.remove(f"{number}.txt", purge=True)
        assert used_bytes(home) < 0.7 * before


def used_bytes(home: Path) -> int:
    return sum((home / name).stat().st_size for name in ("shisho.db", "shisho.db-wal"))
