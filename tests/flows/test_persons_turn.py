"""A human's turn: what was found stays, one solution frees all that it held, and nothing depends on any
process living on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.intervention import (
    AuthAction,
    AuthTarget,
    HumanChallenge,
    InterventionState,
    PendingIntervention,
)
from shisho.domain.job import JobState, TaskState
from shisho.domain.politeness import BreakerState, RequestOutcome
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.errors import Conflict, EngineUnavailable, NotFound
from shisho.services import Library
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.sql.health import StoredHealth
from shisho.system.clock import SystemClock
from shisho.testing import MemoryWeb
from tests.flows.smallweb import QUERY, challenge, ended, result_page, serp, small_web, way
from tests.flows.test_shell import rows_of
from tests.queues import output_of

OTHER = "回帰"
DEEP = SearchOptions(stop_strategy=StopStrategy.EXHAUSTIVE)
Opening = Callable[..., AbstractAsyncContextManager[Library]]
Window = Callable[[HumanChallenge], Any]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def opening(home: Path) -> Opening:
    """All processes anew: a library on the same home, without workers unless asked for."""

    @asynccontextmanager
    async def opened(
        web: MemoryWeb, *, slots: int = 0, window: Window | None = None
    ) -> AsyncIterator[Library]:
        the_way = way(web) if window is None else replace(way(web), window=window)
        async with open_library(home=home, web_access=the_way) as library:
            if not slots:
                yield library
                return
            async with library.working(slots):
                yield library

    return opened


def guarded_web() -> MemoryWeb:
    """Two queries, each with a challenge on its second page."""
    web = small_web([1, 2], [3])
    web.pages = {**web.pages, **small_web([4], [5]).pages}
    web.serps |= {("memory", OTHER, 1): serp([4], more=True), ("memory", OTHER, 2): serp([5], more=False)}
    for query in (QUERY, OTHER):
        web.serps["memory", query, 2] = challenge()
    return web


def let_through(web: MemoryWeb) -> None:
    web.serps |= {("memory", QUERY, 2): serp([3], more=False), ("memory", OTHER, 2): serp([5], more=False)}


async def queued(library: Library, *queries: str) -> list[str]:
    """A task for each query."""
    return [str((await library.tasks.queue_searches([query], options=DEEP)).task_id) for query in queries]


async def held_up(opening: Opening, web: MemoryWeb, *queries: str) -> list[str]:
    """The tasks of these queries, each waiting for a person."""
    async with opening(web) as library:
        tasks = await queued(library, *queries)
    async with opening(web, slots=1) as library:  # one after the other, as they were queued
        for task in tasks:
            assert (await ended(library, task))[0].status is TaskState.WAITING
    return tasks


@pytest.mark.slow
async def test_restarting_everything_between_the_steps_changes_nothing(opening: Opening, home: Path) -> None:
    web = guarded_web()
    tasks = await held_up(opening, web, QUERY, OTHER)
    async with opening(web) as library:
        before = list(await library.web.get_auth_queue())
        assert [one.task_id for one in before] == tasks and {one.domain for one in before} == {
            "memory.example"
        }
        held = await library.tasks.get_status(tasks[0], wait=0)
        assert (list(held.waiting_for), held.queue.awaiting_auth) == (before[:1], 1)
    async with opening(web, slots=2) as library:
        assert list(await library.web.get_auth_queue()) == before
        pages = len(web.asked)
    async with opening(web, window=closed) as library:
        assert not (await library.web.open_auth()).through
        assert list(await library.web.get_auth_queue()) == before
    let_through(web)
    async with opening(web) as library:
        freed = await library.web.resolve_auth(AuthTarget.ITEM, before[0].id)
        assert set(freed.requeued) == {one.job_id for one in before} and freed.resolved == 2
    async with opening(web) as library:
        assert list(await library.web.get_auth_queue()) == []
        assert (await library.tasks.get_status(tasks[1], wait=0)).queue.queued == 1
    assert len(web.asked) == pages
    async with opening(web, slots=2) as library:
        for task, found in zip(tasks, (3, 2), strict=True):
            held, results = await ended(library, task)
            assert (
                held.status is TaskState.COMPLETED
                and sum(one.document_id is not None for one in results) == found
            )
            (job,) = (await library.tasks.list_jobs(task)).jobs
            assert [page["number"] for page in output_of(job)["pages"]] == [1, 2] and output_of(job)[
                "paging_stop"
            ] == "END"
    for query in (QUERY, OTHER):
        assert len([url for url in web.asked if result_page(1)(url) and quote(query) in url]) == 1, (
            "page 1 was asked again"
        )
    assert ends(home) == [("completed",)] * 2


async def closed(met: HumanChallenge) -> bool:
    """A person who closes the window."""
    return False


def ends(home: Path) -> list[tuple[Any, ...]]:
    return rows_of(home, "SELECT state FROM interventions ORDER BY created_at, id")


@pytest.mark.slow
async def test_a_window_says_so_while_it_is_open_and_frees_every_task(opening: Opening) -> None:
    web = guarded_web()
    tasks = await held_up(opening, web, QUERY, OTHER)
    seen: list[tuple[HumanChallenge, list[PendingIntervention]]] = []

    async def person(met: HumanChallenge) -> bool:
        async with opening(web) as onlooker:
            seen.append((met, list(await onlooker.web.get_auth_queue())))
        let_through(web)
        return True

    async with opening(web, window=person) as library:
        before = [one.job_id for one in await library.web.get_auth_queue()]
        opened = await library.web.open_auth("memory.example")
    assert (opened.through, opened.resolved, list(opened.requeued)) == (True, 2, before)
    ((met, held),) = seen
    assert (met.engine, met.kind) == ("memory", "captcha") and result_page(2)(met.url)
    assert [one.state for one in held] == [InterventionState.IN_PROGRESS] * 2
    async with opening(web, slots=2) as library:
        for task in tasks:
            assert (await ended(library, task))[0].status is TaskState.COMPLETED


@pytest.mark.parametrize(
    ("error", "state"), [(Conflict("in use"), "in_progress"), (EngineUnavailable("no browser"), "pending")]
)
async def test_a_window_that_cannot_be_opened_leaves_it_waiting(
    opening: Opening, home: Path, error: Exception, state: str
) -> None:
    """Whoever finds the profile in use leaves alone what its user has said."""
    web = guarded_web()
    await held_up(opening, web, QUERY)

    async def fails(met: HumanChallenge) -> bool:
        raise error

    async def person(met: HumanChallenge) -> bool:
        async with opening(web, window=fails) as another:
            with pytest.raises(type(error)):
                await another.web.open_auth()
            (one,) = await another.web.get_auth_queue()
            assert one.state == state
        return False

    async with opening(web, window=person) as library:
        await library.web.open_auth()
        (one,) = await library.web.get_auth_queue()
        assert one.state is InterventionState.PENDING
    async with opening(web) as library:
        with pytest.raises(EngineUnavailable):  # as long as no browser is set up
            await library.web.open_auth()
    async with open_library(home=home, web="off") as library:
        with pytest.raises(EngineUnavailable, match="Web search is off"):
            await library.web.open_auth()


async def test_what_ended_meanwhile_is_not_ended_again(opening: Opening) -> None:
    web = guarded_web()
    (task,) = await held_up(opening, web, QUERY)

    async def stops_it(met: HumanChallenge) -> bool:
        async with opening(web) as another:
            await another.tasks.stop(task)
        return True

    async with opening(web, window=stops_it) as library:
        opened = await library.web.open_auth()
        assert (opened.through, opened.resolved) == (True, 0)
        assert (await library.tasks.get_status(task, wait=0)).status is TaskState.STOPPED
        with pytest.raises(NotFound):
            await library.web.open_auth()


async def test_solving_closes_the_breaker(opening: Opening, home: Path) -> None:
    web = guarded_web()
    await held_up(opening, web, QUERY)
    database = Database(home / "shisho.db")
    health = StoredHealth(EmbeddedQueryStore(database), SystemClock())
    await health.record("memory", RequestOutcome.CHALLENGE, 0.1)
    assert (await health.read(["memory"]))["memory"].breaker is BreakerState.OPEN
    async with opening(web) as library:
        await library.web.resolve_auth(AuthTarget.DOMAIN, "memory.example")
    assert (await health.read(["memory"]))["memory"].breaker is BreakerState.CLOSED
    await database.close()


async def test_skipping_ends_one_and_leaves_the_other(opening: Opening, home: Path) -> None:
    web = guarded_web()
    tasks = await held_up(opening, web, QUERY, OTHER)
    async with opening(web) as library:
        first, second = await library.web.get_auth_queue()
        skipped = await library.web.resolve_auth(AuthTarget.ITEM, first.id, AuthAction.SKIP)
        assert (skipped.resolved, skipped.requeued) == (1, ())
        assert list(await library.web.get_auth_queue()) == [second]
        (job,) = (await library.tasks.list_jobs(tasks[0])).jobs
        assert (job.state, output_of(job)["paging_stop"], len(output_of(job)["documents"])) == (
            JobState.COMPLETED,
            "CHALLENGE",
            2,
        )
    assert ends(home) == [("skipped",), ("pending",)]


async def test_stopping_cancels_and_resuming_asks_again(opening: Opening, home: Path) -> None:
    web = guarded_web()
    stopped, removed = await held_up(opening, web, QUERY, OTHER)
    async with opening(web) as library:
        await library.tasks.stop(stopped)
        await library.tasks.remove(removed)
        assert list(await library.web.get_auth_queue()) == []
    assert ends(home) == [("cancelled",)]
    async with opening(web) as library:
        await library.tasks.resume(stopped)
    async with opening(web, slots=2) as library:
        held, _ = await ended(library, stopped)
        assert held.status is TaskState.WAITING and len(held.waiting_for) == 1
    assert ends(home) == [("cancelled",), ("pending",)]


class Later(SystemClock):
    """Three hours ahead on the line of what is waited for."""

    def timeline_now(self) -> str:
        return (datetime.fromisoformat(super().timeline_now()) + timedelta(hours=3)).isoformat(
            timespec="microseconds"
        )


async def test_after_three_hours_it_ends_with_what_it_has(
    opening: Opening, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = guarded_web()
    web.serps["memory", OTHER, 1] = challenge()  # nothing was found before it
    rich, poor = await held_up(opening, web, QUERY, OTHER)
    async with opening(web, slots=1) as library:
        assert len(await library.web.get_auth_queue()) == 2
    monkeypatch.setattr("shisho.bootstrap.shared.SystemClock", Later)
    async with opening(web, slots=1) as library:
        while await library.web.get_auth_queue():
            await library.tasks.get_status(rich, wait=0.1, since_revision=0)
        (job,) = (await library.tasks.list_jobs(rich)).jobs
        assert (job.state, output_of(job)["paging_stop"]) == (JobState.COMPLETED, "CHALLENGE")
        held = await library.tasks.get_status(poor, wait=0)
        assert held.status is TaskState.FAILED and [one.code for one in held.errors] == ["AUTH_REQUIRED"]
    assert ends(home) == [("expired",)] * 2
