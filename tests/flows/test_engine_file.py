"""engines.toml is read again when it changes, in whatever process works: a brake on paging stops a running
search before its next page."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.services import Library
from shisho_box.server import Box
from tests.flows.boxed import output, through, way
from tests.flows.conftest import Shell
from tests.flows.smallweb import ended
from tests.flows.test_search_killed import buried

QUICK = "[mojeek]\ninterval_s = 0.05\n[marginalia]\ninterval_s = 0.05\n"
DEEP = SearchOptions(
    engines=("mojeek",), serp_max_pages=3, max_results_per_query=1, stop_strategy=StopStrategy.FIXED
)


BRAKES = (
    "[paging]\nmax_pages = 1\n",
    "[paging]\nenabled = false\n",
    "[paging.mojeek]\nmax_pages = 1\n",
    "[paging.mojeek]\nenabled = false\n",
)
BROKEN = (
    "[mojeek\n",
    "[no_such_engine]\nenabled = true\n",
    "[paging]\nmax_pages = 0\n",
    "[paging]\nspeed = 1\n",
    "[paging.no_such_engine]\nmax_pages = 1\n",
    "[paging]\nmojeek = 1\n",
    "[paging.presets]\nsport = 2\n",
    "[paging.mojeek]\nnovelty = 'low'\n",
)


@asynccontextmanager
async def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Box, Library, Path]]:
    """A library that reaches a box as its settings say, and the path of its engines.toml."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "engines.toml").write_text(QUICK, "utf-8")
    monkeypatch.setenv("SHISHO_WEB", "on")
    monkeypatch.setenv("SHISHO_ROBOTS", "off")
    async with Box(seed=1, folder=tmp_path / "box") as box:
        monkeypatch.setenv("SHISHO_BOX", str(box.folder))
        async with open_library(home=home) as library, library.working(2):
            yield box, library, home / "engines.toml"


async def count_pages(box: Box, library: Library, topic: int, options: SearchOptions = DEEP) -> int:
    """Search for a topic of its own, and return how many result pages were asked for."""
    queued = await library.tasks.queue_searches([box.questions[topic].topic], options=options)
    await ended(library, queued.task_id)
    return len((await output(library, queued.task_id))["pages"])


async def test_a_brake_holds_from_the_next_search_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path, monkeypatch) as (box, library, path):
        for topic, brake in enumerate(BRAKES):
            path.write_text(QUICK, "utf-8")
            assert await count_pages(box, library, 2 * topic) == 3
            path.write_text(QUICK + brake, "utf-8")
            assert await count_pages(box, library, 2 * topic + 1) == 1, brake


async def test_a_brake_stops_a_running_search_before_its_next_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, monkeypatch) as (box, library, path):
        path.write_text("[mojeek]\ninterval_s = 3.0\n", "utf-8")
        queued = await library.tasks.queue_searches([box.questions[0].topic], options=DEEP)
        held = await library.tasks.get_status(queued.task_id, wait=0)
        while not box.log.select("mojeek"):
            held = await library.tasks.get_status(queued.task_id, wait=1, since_revision=held.revision)
        path.write_text("[mojeek]\ninterval_s = 3.0\n[paging]\nmax_pages = 1\n", "utf-8")
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
    assert (len(done["pages"]), done["paging_stop"], done["warnings"]) == (1, "LIMIT", ["paging_limited"])


async def test_a_worker_process_reads_the_file_again_too(shell: Shell, tmp_path: Path) -> None:
    async with (
        Box(seed=1, folder=tmp_path / "box") as box,
        open_library(home=shell.home, web_access=way(box)) as library,
    ):
        through(shell, box)
        path = shell.home / "engines.toml"
        quick = path.read_text("utf-8")
        worker = shell.start("worker", "-n", "1")
        try:
            assert await count_pages(box, library, 0) == 3
            path.write_text(quick + "[paging]\nenabled = false\n", "utf-8")
            assert await count_pages(box, library, 1) == 1
            path.write_text("[paging", "utf-8")
            assert await count_pages(box, library, 2) == 1
        finally:
            await buried(worker)


async def test_thresholds_and_presets_are_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = SearchOptions(engines=("mojeek",), stop_strategy=StopStrategy.FIXED, max_results_per_query=1)
    async with opened(tmp_path, monkeypatch) as (box, library, path):
        path.write_text(QUICK + "[paging.presets]\ngeneral = 4\n", "utf-8")
        assert await count_pages(box, library, 0, usual) == 4
        path.write_text(QUICK + "[paging]\nharvest = 1.0\n", "utf-8")
        wide = SearchOptions(engines=("mojeek",), serp_max_pages=3, max_results_per_query=100)
        queued = await library.tasks.queue_searches([box.questions[1].topic], options=wide)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert (done["paging_stop"], len(done["pages"])) == ("BARREN", 1)


async def test_a_broken_file_leaves_the_last_good_one_in_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path, monkeypatch) as (box, library, path):
        path.write_text(QUICK + "[paging]\nmax_pages = 2\n", "utf-8")
        assert await count_pages(box, library, 0) == 2
        for topic, broken in enumerate(BROKEN, 1):
            with caplog.at_level(logging.WARNING, "shisho"):
                path.write_text(QUICK + broken, "utf-8")
                assert await count_pages(box, library, topic) == 2, broken
                assert await library.web.list_engines()
            warned = [record for record in caplog.records if "engines.toml" in record.getMessage()]
            assert len(warned) == 1 and "last good version" in warned[0].getMessage(), broken
            caplog.clear()


async def test_an_engine_that_does_not_page_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path, monkeypatch) as (box, library, path):
        path.write_text(QUICK.replace("0.05\n", "0.05\npagination_enabled = false\n", 1), "utf-8")
        queued = await library.tasks.queue_searches([box.questions[0].topic], options=DEEP)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert (len(done["pages"]), done["warnings"]) == (1, ["paging_ignored"])
