"""What a visitor is told of pages: addresses without tracking parameters that still open, and how many came
in."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from shisho.domain.job import TaskState
from shisho.domain.task import Progress
from tests.flows.boxed import boxed

TRACKED = "utm_source=brave&utm_medium=search&fbclid=x"


@pytest.mark.slow
async def test_a_tracked_address_is_cited_without_it_and_opens(tmp_path: Path) -> None:
    async with boxed(tmp_path / "home") as (box, library):
        page = next(page for page in box.web.world.pages if page.url.startswith("https"))
        mark = "&" if "?" in page.url else "?"
        queued = await library.tasks.queue_urls([f"{page.url}{mark}{TRACKED}"])
        held = await library.tasks.get_status(queued.task_id, wait=0)
        while held.status is TaskState.RUNNING:
            held = await library.tasks.get_status(queued.task_id, wait=20, since_revision=held.revision)
        whole = await library.tasks.get_status(queued.task_id, wait=0)
        assert not whole.errors, whole.errors
        (document,) = await library.documents.list()
        assert document.source == page.url and box.page(document.source) is box.page(page.url)
        assert held.progress.documents == Progress(1, 1), "a fetched page was taken in"


@pytest.mark.slow
async def test_documents_are_counted_when_they_are_in(tmp_path: Path) -> None:
    async with boxed(tmp_path / "home") as (box, library):
        pages = [page.url for page in box.web.world.pages if page.url.startswith("https")][:2]
        queued = await library.tasks.queue_urls([*pages, "https://status.example/404"])
        good = tmp_path / "good.txt"
        good.write_text("赤い本は棚の上にある。", "utf-8")
        bad = tmp_path / "bad.txt"
        bad.write_bytes(b"")
        await library.tasks.queue_documents(paths=[good, bad], task_id=queued.task_id, remote=False)
        held = await library.tasks.get_status(queued.task_id, wait=0)
        while held.status is TaskState.RUNNING:
            held = await library.tasks.get_status(queued.task_id, wait=20, since_revision=held.revision)
        held = await library.tasks.get_status(queued.task_id, wait=0)
        assert held.progress.documents == Progress(3, 5), held.progress
        assert len(await library.documents.list()) == 3 and len(held.errors) == 2


async def test_an_address_copied_from_a_result_page_is_asked_of_its_own_host(tmp_path: Path) -> None:
    """Engines link to their own redirectors, and ask programs to keep away from them."""
    async with boxed(tmp_path / "home") as (box, library):
        page = next(page for page in box.web.world.pages if page.url.startswith("https"))
        copied = f"https://www.google.com/url?sa=t&url={quote(page.url, safe='')}&usg=x"
        queued = await library.tasks.queue_urls([copied])
        held = await library.tasks.get_status(queued.task_id, wait=0)
        while held.status is TaskState.RUNNING:
            held = await library.tasks.get_status(queued.task_id, wait=20, since_revision=held.revision)
        (document,) = await library.documents.list()
        assert document.source == page.url
