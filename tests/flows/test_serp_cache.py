"""What was asked is not asked again while it may be used: result pages for a day or some minutes, pages for a
week."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from shisho.domain.task import SearchOptions, StopStrategy
from shisho.services import Library
from shisho.stores.embedded.home import connect
from shisho.stores.embedded.rows import TEXT
from shisho_box.log import LogEntry
from shisho_box.server import Box
from tests.clocks import Ahead
from tests.flows.boxed import boxed, output
from tests.flows.smallweb import ended

DAY_S = 86_400.0
OPTIONS = SearchOptions(
    engines=("mojeek",), serp_max_pages=3, stop_strategy=StopStrategy.EXHAUSTIVE, max_results_per_query=100
)
ONE_PAGE = replace(OPTIONS, serp_max_pages=1)
# A paragraph that no copy of the document has.
OWN = f"""SELECT 1 FROM documents d WHERE id = ? AND NOT EXISTS (SELECT 1 FROM passages p
    WHERE p.document_id <> d.id AND instr({TEXT}, ?))"""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Ahead:
    clock = Ahead()
    monkeypatch.setattr("shisho.bootstrap.shared.SystemClock", lambda line: clock)
    return clock


async def searched(library: Library, query: str, options: SearchOptions = ONE_PAGE) -> dict[str, Any]:
    queued = await library.tasks.queue_searches([query], options=options)
    await ended(library, queued.task_id)
    return await output(library, queued.task_id)


def visits(box: Box) -> list[LogEntry]:
    return [entry for entry in box.log.requests if not entry.engine]


def shown(done: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [
        tuple(one[name] for name in ("rank", "page_number", "url", "title", "document_id"))
        for one in done["hits"]
    ]


def cached(done: Mapping[str, Any]) -> list[bool]:
    return [one["cached"] for one in done["pages"]]


@pytest.mark.slow
async def test_the_same_search_within_the_day_asks_nobody(tmp_path: Path, clock: Ahead) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        first = await searched(library, query)
        sent = len(box.log.requests)
        clock.seconds = DAY_S - 60
        second = await searched(
            library, f" {query.upper()} ", replace(ONE_PAGE, engines=("mojeek", "marginalia"))
        )
        assert len(box.log.requests) == sent
        assert (cached(first), cached(second)) == ([False], [True])
        assert shown(second) == shown(first) and second["paging_stop"] == first["paging_stop"] == "LIMIT"
        assert second["documents"] == first["documents"] and len(second["documents"]) > 5
        clock.seconds = DAY_S + 60
        third = await searched(library, query)
        assert cached(third) == [False] and box.log.pages("mojeek") == [1, 1]
        assert len(box.log.requests) == sent + 1, "a page was fetched again within its week"
        clock.seconds = 8 * DAY_S
        fourth = await searched(library, query)
        again = visits(box)[sent - 1 :]
        assert len(again) == len(fourth["hits"]) and {entry.status for entry in again} == {304}
        assert fourth["documents"] == first["documents"]


@pytest.mark.slow
async def test_what_asks_something_else_is_asked(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        await searched(library, query)
        for other in (
            replace(ONE_PAGE, language="en"),
            replace(ONE_PAGE, serp_page=2),
            replace(ONE_PAGE, serp_max_pages=2),
        ):
            assert not any(cached(await searched(library, query, other)))
        assert box.log.pages("mojeek") == [1, 1, 2, 1, 2]


@pytest.mark.slow
async def test_a_part_is_gone_on_with_and_never_shown_as_the_whole(tmp_path: Path, clock: Ahead) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        trouble = box.behave(engine="mojeek", page=3, status=500)
        first = await searched(library, query, OPTIONS)
        assert (first["paging_stop"], cached(first), len(first["errors"])) == ("ERROR", [False, False], 1)
        again = await searched(library, query, OPTIONS)
        assert (again["paging_stop"], cached(again), len(again["errors"])) == ("ERROR", [True, True], 1)
        assert shown(again) == shown(first)
        box.calm_down(trouble)
        mend(tmp_path)
        whole = await searched(library, query, OPTIONS)
        assert (whole["paging_stop"], cached(whole), whole["errors"]) == ("LIMIT", [True, True, False], [])
        assert shown(whole)[: len(first["hits"])] == shown(first)
        assert [entry.page for entry in box.log.select("mojeek")] == [1, 2, 3, 3, 3]
        clock.seconds = DAY_S - 60
        assert cached(await searched(library, query, OPTIONS)) == [True] * 3


@pytest.mark.slow
async def test_a_part_is_kept_for_ten_minutes(tmp_path: Path, clock: Ahead) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        two = replace(OPTIONS, serp_max_pages=2)
        box.behave(engine="mojeek", page=2, status=500, times=1)
        assert (await searched(library, query, two))["paging_stop"] == "ERROR"
        clock.seconds = 660
        done = await searched(library, query, two)
        assert (done["paging_stop"], cached(done)) == ("LIMIT", [False, False])


async def test_an_address_handed_in_is_asked_whether_it_has_changed(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        page = next(page for page in box.web.world.pages if page.mirror_of is None)
        documents = []
        for _ in range(2):
            queued = await library.tasks.queue_urls([page.url])
            _, (result,) = await ended(library, queued.task_id)
            documents.append(result.document_id)
        assert [entry.status for entry in visits(box)] == [200, 304]
        assert documents[0] is not None and documents[0] == documents[1]
        text = "<p>書き改めた頁であり、もとの文は残っていない。</p>"
        box.behave(
            host=visits(box)[0].host,
            do="text",
            text=f"<html><head><title>新版</title></head><body>{text}</body></html>",
        )
        queued = await library.tasks.queue_urls([page.url])
        held, (result,) = await ended(library, queued.task_id)
        assert held.errors == ()
        assert result.document_id not in (None, *documents) and result.title == "新版"


@pytest.mark.slow
async def test_a_purged_page_is_nowhere_quoted(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        queued = await library.tasks.queue_searches([box.questions[20].topic], options=ONE_PAGE)
        await ended(library, queued.task_id)
        first = await output(library, queued.task_id)
        gone, own = next(
            (one, each)
            for one in first["hits"]
            if (page := box.page(one["url"])) and one["document_id"]
            for each in page.paragraphs
            if rows(tmp_path, OWN, one["document_id"], each)
        )
        assert "passages" in quoting(tmp_path, own) and "cache" in quoting(tmp_path, gone["url"])
        assert await library.documents.read_text(gone["document_id"])
        await library.documents.remove(gone["document_id"], purge=True)
        assert quoting(tmp_path, own) == set()
        assert "cache" not in quoting(tmp_path, gone["url"])
        query = "SELECT url, title, snippet FROM finds WHERE document_id = ?"
        assert rows(tmp_path, query, gone["document_id"]) == [("", "", "")]
        blank = {"url": "", "title": ""}
        emptied = [hit | blank if hit["document_id"] == gone["document_id"] else hit for hit in first["hits"]]
        assert gone["title"] and await output(library, queued.task_id) == {**first, "hits": emptied}
        sent = len(visits(box))
        again = await searched(library, box.questions[20].topic)
        assert cached(again) == [False] and len(visits(box)) == sent + 1


def quoting(home: Path, text: str) -> set[str]:
    """The tables that hold a text."""
    database = connect(home / "shisho.db", readonly=True)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    texts = {"passages": TEXT}
    return {
        name
        for name in tables
        for row in database.execute(f"SELECT p.*, {texts.get(name, '0')} FROM {name} p")
        if text in str(row)
    }


def rows(home: Path, query: str, *values: str) -> list[tuple[Any, ...]]:
    return list(connect(home / "shisho.db", readonly=True).execute(query, values))


def mend(home: Path) -> None:
    """Two failures opened the breaker."""
    apsw.Connection(str(home / "shisho.db")).execute("DELETE FROM engine_health")
