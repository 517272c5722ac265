"""A path of a caller from outside stays below its allowed folder until it is read, whatever is put in its
place meanwhile."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import Job, JobState
from shisho.domain.task import DocumentsQueued
from shisho.errors import DocumentUnreadable, ForbiddenPath, TooLarge
from shisho.services import Library
from shisho.system.reading import read
from tests.machine import PATIENCE

SECRET = "秘密の本文である。"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are made as on Unix")


def laid_out(folder: Path) -> tuple[Path, Path]:
    """A file in an allowed folder, and one that nobody may read, each in a folder of its own."""
    inside = folder / "open" / "inner" / "a.txt"
    outside = folder / "closed" / "a.txt"
    for file, text in ((inside, "公開の本文である。"), (outside, SECRET)):
        file.parent.mkdir(parents=True)
        file.write_text(text, "utf-8")
    return inside, outside


def link_for_file(inside: Path, outside: Path) -> None:
    inside.unlink()
    inside.symlink_to(outside)


def link_for_folder(inside: Path, outside: Path) -> None:
    inside.parent.rename(inside.parent.with_name("away"))
    inside.parent.symlink_to(outside.parent)


def link_for_root(inside: Path, outside: Path) -> None:
    (outside.parent / "inner").mkdir()
    outside.rename(outside.parent / "inner" / "a.txt")
    inside.parent.parent.rename(inside.parent.parent.with_name("away"))
    inside.parent.parent.symlink_to(outside.parent)


def pipe_for_file(inside: Path, outside: Path) -> None:
    inside.unlink()
    os.mkfifo(inside)


def device_for_file(inside: Path, outside: Path) -> None:
    inside.unlink()
    inside.symlink_to("/dev/zero")


def own_memory_for_file(inside: Path, outside: Path) -> None:
    inside.unlink()
    inside.symlink_to("/proc/self/environ")


SWAPS = {
    link_for_file: "FORBIDDEN_PATH",
    link_for_folder: "FORBIDDEN_PATH",
    link_for_root: "FORBIDDEN_PATH",
    pipe_for_file: "DOCUMENT_UNREADABLE",
    device_for_file: "FORBIDDEN_PATH",
    own_memory_for_file: "FORBIDDEN_PATH",
}


@pytest.mark.parametrize("whole_folder", [False, True], ids=["file", "folder"])
@pytest.mark.parametrize("swap", SWAPS)
async def test_what_is_swapped_between_acceptance_and_reading_is_not_read(
    tmp_path: Path, swap: Callable[[Path, Path], None], whole_folder: bool
) -> None:
    inside, outside = laid_out(tmp_path)
    async with open_library(home=tmp_path / "home", allowed_roots=str(tmp_path / "open")) as library:
        added = await library.tasks.queue_documents(paths=[inside.parent if whole_folder else inside])
        await asyncio.to_thread(swap, inside, outside)
        async with library.working():
            job = await ended(library, added)
        assert job.state is JobState.FAILED and job.errors[-1].code == SWAPS[swap], job.errors
        assert SECRET not in str(job.errors)
        assert not await library.documents.list()


async def test_what_is_handed_in_and_left_alone_is_read(tmp_path: Path) -> None:
    inside, _ = laid_out(tmp_path)
    async with (
        open_library(home=tmp_path / "home", allowed_roots=str(tmp_path / "open")) as library,
        library.working(),
    ):
        job = await ended(library, await library.tasks.queue_documents(paths=[inside]))
        assert job.state is JobState.COMPLETED
        (document,) = await library.documents.list()
        assert document.source == str(inside)


async def test_the_shell_follows_links_as_ever(tmp_path: Path) -> None:
    inside, outside = laid_out(tmp_path)
    link_for_file(inside, outside)
    async with open_library(home=tmp_path / "home") as library:
        (receipt,) = [receipt async for receipt in library.documents.add(inside)]
        assert receipt.document_id is not None
        assert SECRET in await library.documents.read_text(receipt.document_id)


def test_no_read_of_a_file_that_is_swapped_all_the_time_gives_another(tmp_path: Path) -> None:
    inside, outside = laid_out(tmp_path)
    over = threading.Event()

    def swap_for_ever() -> None:
        spare = inside.with_name("spare")
        while not over.is_set():
            spare.symlink_to(outside)
            spare.replace(inside)
            spare.write_text("公開の本文である。", "utf-8")
            spare.replace(inside)

    swapping = threading.Thread(target=swap_for_ever)
    swapping.start()
    met = {"read": 0, "refused": 0}
    try:
        for _ in range(5_000):
            try:
                assert SECRET.encode() not in read(inside, 1_000, tmp_path / "open")
                met["read"] += 1
            except (ForbiddenPath, DocumentUnreadable):
                met["refused"] += 1
    finally:
        over.set()
        swapping.join()
    print(f"5,000 reads of a file that is a link half of the time: {met}")
    assert met["read"] and met["refused"]


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    inside, _ = laid_out(tmp_path)
    for within in (None, tmp_path / "open"):
        with pytest.raises(TooLarge):
            read(inside, 10, within)
        with pytest.raises(DocumentUnreadable):
            read(inside.parent, 1_000, within)


async def ended(library: Library, added: DocumentsQueued) -> Job:
    """The only job of a task, when it has ended."""
    async with asyncio.timeout(PATIENCE):
        while True:
            (job,) = (await library.tasks.list_jobs(added.task_id)).jobs
            if job.state in (JobState.COMPLETED, JobState.FAILED):
                return job
            await asyncio.sleep(0.05)
