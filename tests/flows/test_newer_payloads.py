"""A job that a newer version has queued waits for a worker of that version, and is listed meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain import codec
from shisho.domain.codec import Payload
from shisho.domain.job import UNREADABLE, Job, JobId, JobState, NewJob, NewTask, TaskId
from shisho.domain.payloads import IngestJob
from shisho.domain.task import JobKind
from shisho.errors import NotFound
from shisho.jobs import outages
from shisho.services import Library
from shisho.stores.sql.transitions import errors
from tests.flows.conftest import Shell
from tests.interfaces.serving import calling, serving, stdio
from tests.machine import PATIENCE
from tests.queues import OWNER

TEXT = "決定係数は、回帰式の当てはまりの良さを表す値である。"


@pytest.fixture(params=["embedded", "postgres"])
def store(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "embedded":
        yield ""
        return
    with request.getfixturevalue("postgres").fresh() as url:
        yield url


async def queue_of_newer(library: Library, folder: Path) -> TaskId:
    """Queue two files: one as a newer version does, with a field more, and one as this version does."""
    task = NewTask(TaskId("task"), OWNER)
    jobs = []
    for number, more in enumerate(({"lens": "wide"}, {})):
        file = folder / f"{number}.txt"
        file.write_text(f"{number}: {TEXT}", "utf-8")
        job = IngestJob(str(file), OWNER, "default", path=str(file))
        payload = Payload(codec.dumps(codec.to_plain(job) | more))
        jobs.append(NewJob(JobId(f"job{number}"), JobKind.INGEST, payload))
    return (await library.tasks._queue.tasks.enqueue(task, jobs)).task_id


async def wait_until_put_back(library: Library, times: int) -> Job:
    """The newer job once it was put back so often and its neighbour is done."""
    async with asyncio.timeout(PATIENCE):
        while True:
            newer, other = (await library.tasks.list_jobs("task")).jobs
            unread = [error for error in newer.errors if error.code == UNREADABLE]
            is_waiting = newer.state is JobState.QUEUED and unread and newer.attempt >= times
            if is_waiting and other.state is JobState.COMPLETED:
                return newer
            await asyncio.sleep(0.05)


async def test_a_newer_job_waits_uncounted_and_its_neighbour_is_done(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_library(home=tmp_path / "home", store=store) as library:
        await queue_of_newer(library, tmp_path)
        async with library.working(1):
            newer = await wait_until_put_back(library, times=3)
            (error,) = newer.errors
            assert (newer.failures, newer.deaths) == (0, 0)
            assert "'lens'" in error.message and error.details.read(dict)["attempts"] == newer.attempt
            # The worker of the newer version.
            known = codec.build
            monkeypatch.setattr(
                codec, "build", lambda data, shape, *, is_lenient=False: known(data, shape, is_lenient=True)
            )
            async with asyncio.timeout(PATIENCE):
                while (await library.tasks.get_status("task", wait=1)).status != "completed":
                    pass


def test_the_shell_rest_and_mcp_list_a_newer_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    # The doors are started while the job still waits, however long that takes.
    monkeypatch.setattr(outages, "compute_backoff", lambda _attempts, _share: 3600.0)

    async def prepare() -> None:
        async with open_library(home=home) as library:
            await queue_of_newer(library, tmp_path)
            async with library.working(1):
                await wait_until_put_back(library, times=1)

    asyncio.run(prepare())
    listed = Shell(home)("jobs", "last")
    assert f"{UNREADABLE}: このジョブは別のバージョン" in listed and str(tmp_path / "0.txt") in listed
    assert [job["id"] for job in Shell(home)("jobs", "last", "--json")["jobs"]] == ["job0", "job1"]

    def check(status: dict[str, Any]) -> None:
        assert status["status"] == "running"
        assert "'lens'" in json.dumps(status["delays"], ensure_ascii=False)

    with serving(home) as url:
        check(httpx.get(f"{url}/api/v1/tasks/last", params={"wait": 0}, timeout=PATIENCE).json())

    async def call_mcp() -> None:
        async with calling(stdio(home)) as call:
            check(await call("get_status", task_id="last", wait=0))

    asyncio.run(call_mcp())


async def test_what_a_newer_job_has_staged_is_dropped_with_its_task(tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "home") as library:
        key = library.tasks._uploads.staging.put(TEXT.encode(), OWNER)
        job = IngestJob("a.txt", OWNER, "default", staged=key)
        payload = Payload(codec.dumps(codec.to_plain(job) | {"lens": "wide"}))
        new = NewJob(JobId("job"), JobKind.INGEST, payload)
        await library.tasks._queue.tasks.enqueue(NewTask(TaskId("task"), OWNER), [new])
        assert (await library.tasks.remove("task")).jobs == 1
        with pytest.raises(NotFound):
            library.tasks._uploads.staging.get(key)


def test_the_errors_of_a_job_are_read_whichever_version_wrote_them() -> None:
    written = {"code": "TIMEOUT", "message": "遅い", "lens": "wide", "details": {"seconds": 3}}
    (error,) = errors(json.dumps([written]))
    assert (error.code, error.message, error.details.read(dict)) == ("TIMEOUT", "遅い", {"seconds": 3})
