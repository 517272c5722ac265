"""One bad file costs its own receipt and nothing else: not the command, not the files after it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from shisho.bootstrap.library import open_library
from shisho.corpus.chunk import Piece, cut
from shisho.corpus.layout import DocumentLayout
from shisho.domain.corpus import IntakeOutcome
from shisho.domain.job import ENDED, JobState
from shisho.domain.payloads import read_payload
from shisho.domain.task import Bytes
from shisho.services import Library
from tests.flows.boxed import boxed
from tests.inside import builder_of

BREAKS = "このページは割れる。"


class Splitter(Exception):
    """What no code of ours expects."""


def brittle(layout: DocumentLayout) -> Sequence[Piece]:
    if BREAKS in layout.text:
        raise Splitter
    return cut(layout)


def with_brittle_splitter(library: Library) -> Library:
    """In every way in: all share the library's ingest."""
    object.__setattr__(builder_of(library).shared.ingest.add.__self__.passages, "cut", brittle)
    return library


def folder_with_a_bad_file(folder: Path) -> Path:
    folder.mkdir()
    for name in "abdefgh":
        (folder / f"{name}.txt").write_text(f"{name}の本文である。", "utf-8")
    (folder / "c.txt").write_text(BREAKS, "utf-8")
    return folder


@pytest.mark.parametrize("verb", ["add", "mirror"])
async def test_a_file_that_breaks_us_gives_a_receipt_and_the_rest_goes_on(tmp_path: Path, verb: str) -> None:
    folder = folder_with_a_bad_file(tmp_path / "folder")
    async with open_library(home=tmp_path / "home") as opened:
        library = with_brittle_splitter(opened)
        adding = library.documents.add if verb == "add" else library.folders.mirror
        receipts = [receipt async for receipt in adding(folder)]
        (bad,) = [receipt for receipt in receipts if receipt.outcome is IntakeOutcome.FAILED]
        assert Path(bad.source).name == "c.txt" and bad.code == "INTERNAL" and "Splitter" in bad.reason
        assert sum(receipt.outcome is IntakeOutcome.ADDED for receipt in receipts) == 7
        assert len(await library.documents.list_sources(str(folder) if verb == "mirror" else "default")) == 7


async def test_a_job_that_breaks_us_fails_with_a_typed_error(tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "home") as library:
        # The queue's handlers hold the library's own ingest: break its splitter there too.
        object.__setattr__(builder_of(library).shared.ingest.add.__self__.passages, "cut", brittle)
        files = [Bytes("c.txt", BREAKS.encode()), Bytes("a.txt", "よい本文である。".encode())]
        queued = await library.tasks.queue_documents(files=files)
        async with library.working():
            await ended(library, queued.task_id)
        jobs = {
            read_payload(job).subject: job for job in (await library.tasks.list_jobs(queued.task_id)).jobs
        }
        assert jobs["a.txt"].state is JobState.COMPLETED
        assert jobs["c.txt"].state is JobState.FAILED and [error.code for error in jobs["c.txt"].errors] == [
            "INTERNAL"
        ]


@pytest.mark.slow
async def test_a_page_that_breaks_us_does_not_end_its_search(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        seen: list[str] = []

        def first_breaks(layout: DocumentLayout) -> Sequence[Piece]:
            seen.append(layout.text)
            if len(seen) == 1:
                raise Splitter
            return cut(layout)

        object.__setattr__(builder_of(library).shared.ingest.add.__self__.passages, "cut", first_breaks)
        queued = await library.tasks.queue_searches([box.questions[20].topic])
        await ended(library, queued.task_id)
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
        assert job.state is JobState.COMPLETED and len(seen) > 1
        codes = rows(tmp_path, "SELECT code FROM finds WHERE code = 'INTERNAL'")
        assert len(codes) == 1


def rows(home: Path, query: str) -> list[tuple[Any, ...]]:
    return list(apsw.Connection(str(home / "shisho.db"), flags=apsw.SQLITE_OPEN_READONLY).execute(query))


async def ended(library: Library, task_id: str) -> None:
    held = await library.tasks.get_status(task_id, wait=0)
    while any(job.state not in ENDED for job in (await library.tasks.list_jobs(task_id)).jobs):
        held = await library.tasks.get_status(task_id, wait=20, since_revision=held.revision)


def shisho(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = "from shisho.interfaces.cli.app import main; main()"
    command = [sys.executable, "-c", script, "--home", str(home), *words]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=240, check=False)


def receipts_of(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="this file system takes no such name")
def test_a_file_whose_name_is_no_text_is_named_and_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("よい本文である。", "utf-8")
    Path(os.fsdecode(os.fsencode(folder) + b"/b\xff.txt")).write_text("名前が壊れている。", "utf-8")
    (folder / "c.txt").write_text("もう一つの本文である。", "utf-8")
    done = shisho(tmp_path / "home", "add", "--json", str(folder))
    assert [receipt["outcome"] for receipt in receipts_of(done)] == ["added", "failed", "added"], done.stderr
    assert "Rename the file" in receipts_of(done)[1]["reason"]


@pytest.mark.slow
def test_a_document_of_more_passages_than_sqlite_binds_values_is_taken_in(tmp_path: Path) -> None:
    """12 bands a passage, 32,766 values a statement: 2,730 passages were the most."""
    folder = tmp_path / "folder"
    folder.mkdir()
    words = (f"Line {number} of the list: " + f"word{number} " * 40 for number in range(3_100))
    paragraphs = [f"{line[:409]}." for line in words]
    (folder / "a long one.txt").write_text("\n\n".join(paragraphs), "utf-8")
    (folder / "short.txt").write_text("短い本文である。", "utf-8")
    done = shisho(tmp_path / "home", "add", "--json", str(folder))
    assert [receipt["outcome"] for receipt in receipts_of(done)] == ["added", "added"], done.stderr
    assert receipts_of(done)[0]["passages"] > 3_000
