"""A long PDF tells how far it is while it is read: to who adds it, and in the status of its job."""

from __future__ import annotations

from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.corpus.readers import killable
from shisho.domain.payloads import IngestProgress
from shisho.domain.task import Progress, WaitCondition
from shisho.services import ingest_jobs
from shisho.services.news import News, PagesRead
from tests.corpus.readers.making import lines, pdf

PAGES = 60


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PDF of which every page is told, as it is of the pages of a file that takes minutes."""
    monkeypatch.setattr(killable, "PROGRESS_SECONDS", 0.0)
    path = tmp_path / "書庫" / "本.pdf"
    path.parent.mkdir()
    path.write_bytes(pdf([lines(f"{number}頁に棚{number}の本を記す。") for number in range(1, PAGES + 1)]))
    return path


@pytest.mark.parametrize("verb", ["add", "mirror"])
async def test_who_adds_a_long_pdf_hears_how_many_pages_are_read(
    book: Path, tmp_path: Path, verb: str
) -> None:
    told: list[News] = []
    async with open_library(home=tmp_path / "home") as library:
        coming = (
            library.documents.add(book, notify=told.append)
            if verb == "add"
            else library.folders.mirror(book.parent, told.append)
        )
        async for receipt in coming:
            assert receipt.pages == PAGES, receipt
            heard = [news for news in told if isinstance(news, PagesRead)]
    assert heard == [PagesRead(str(book), page, PAGES) for page in range(1, PAGES + 1)]


async def test_the_status_of_a_queued_pdf_says_how_many_pages_are_read(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_jobs, "REPORT_SECONDS", 0.0)
    async with open_library(home=tmp_path / "home") as library:
        queued = await library.tasks.queue_documents(paths=[book], remote=False)
        seen: list[Progress] = []
        async with library.working():
            status = await library.tasks.get_status(queued.task_id, wait=0)
            while status.retry_after is not None:
                status = await library.tasks.get_status(
                    queued.task_id, wait=20, wait_for=WaitCondition.CHANGE, since_revision=status.revision
                )
                seen.append(status.progress.reading)
        assert status.progress.documents == Progress(1, 1) and status.progress.reading == Progress(0, 0)
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
        last = job.progress.read(IngestProgress)
        assert 1 <= last.pages_read <= last.pages_total == PAGES
        told = [progress for progress in seen if progress.total]
        assert told and all(progress.total == PAGES for progress in told)
        assert [progress.done for progress in told] == sorted(progress.done for progress in told)
