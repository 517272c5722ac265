"""Files that are handed in as bytes where something stands already: what is known, and what has the name of
another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import TaskState
from shisho.domain.task import Bytes
from shisho.errors import NameConflict
from shisho.services import Library
from tests.flows.smallweb import ended

OSAKA = Bytes("report.txt", "大阪支店の予算は1200円である。".encode())
NAGOYA = Bytes("report.txt", "名古屋支店の予算は3400円である。".encode())


@pytest.fixture
async def library(desk_home: Path) -> AsyncIterator[Library]:
    async with open_library(home=desk_home) as opened:
        yield opened


async def take_in(library: Library, file: Bytes, corpus: str = "default") -> None:
    added = await library.tasks.queue_documents(files=[file], corpus=corpus, replace_files=False)
    async with library.working():
        await ended(library, added.task_id)


async def test_of_two_files_of_a_name_that_are_handed_in_at_once_none_replaces_the_other(
    library: Library,
) -> None:
    """Both are let in, since none is stored yet: the second job ends with what the check would have said."""
    tasks = [
        await library.tasks.queue_documents(files=[file], replace_files=False) for file in (OSAKA, NAGOYA)
    ]
    async with library.working():
        for task in tasks:
            await ended(library, task.task_id)
    statuses = [await library.tasks.get_status(task.task_id, wait=0) for task in tasks]
    assert [error.code for status in statuses for error in status.errors] == ["NAME_TAKEN"]
    assert len(await library.documents.list()) == 1 and not await library.documents.list(removed=True)


async def test_a_task_of_known_documents_alone_is_completed_at_once(library: Library) -> None:
    await take_in(library, OSAKA)
    again = await library.tasks.queue_documents(files=[OSAKA])
    status = await library.tasks.get_status(again.task_id, wait=0)
    assert again.already_known and status.status is TaskState.COMPLETED
    more = await library.tasks.queue_documents(files=[NAGOYA], task_id=again.task_id)
    assert (await library.tasks.get_status(more.task_id, wait=0)).status is TaskState.RUNNING


async def test_a_file_with_the_name_of_another_document_is_refused_where_it_shall_not_replace_it(
    library: Library,
) -> None:
    await take_in(library, OSAKA)
    await take_in(library, OSAKA)  # what is known stands in nobody's way
    (standing,) = await library.documents.list()
    with pytest.raises(NameConflict) as refusal:
        await library.tasks.queue_documents(files=[NAGOYA], replace_files=False)
    assert refusal.value.details["document_id"] == standing.id
    await take_in(library, Bytes("2026/report.txt", NAGOYA.data))
    await take_in(library, NAGOYA, corpus="another")
    with pytest.raises(NameConflict):  # the same of bytes that are known under another name
        await library.tasks.queue_documents(files=[NAGOYA], replace_files=False)
    sources = [(document.corpus, document.source) for document in await library.documents.list()]
    assert sources == [("default", "report.txt"), ("default", "2026/report.txt"), ("another", "report.txt")]
