"""What polling costs an assistant: few calls, few characters, nothing told twice, nothing missed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from shisho.domain.job import TaskState
from shisho.domain.task import Bytes, StatusDetail, TaskSnapshot, WaitCondition
from shisho.interfaces.api.schemas import VERBS
from shisho.interfaces.api.truncate import dump_compact
from shisho.services import Library
from shisho_box.server import Box
from tests.flows.boxed import boxed
from tests.interfaces.serving import calling, serving, stdio
from tests.machine import PATIENCE, Stopwatch

VERB = {verb.name: verb for verb in VERBS}
WAIT = 50  # as long as a wait may last
ENGINES = "\n".join(f"[{name}]\ninterval_s = 0.05" for name in ("mojeek", "marginalia"))


async def followed(call: Any, queries: list[str]) -> tuple[int, int, dict[str, Any]]:
    """Calls, characters and the last reply of an assistant that queues searches and waits for their end. A
    wait that lasted as long as it may is not counted: that is how busy the machine was."""
    queued = await call("queue_searches", queries=queries, engines=["mojeek", "marginalia"])
    replies = [queued]
    seen: dict[str, Any] = {}
    while True:
        began = time.monotonic()
        status = await call("get_status", task_id=queued["task_id"], wait=WAIT, wait_for="done", **seen)
        if status["status"] != "running" or time.monotonic() < began + WAIT:
            replies.append(status)
        if status["status"] != "running":
            return len(replies), sum(len(json.dumps(reply, ensure_ascii=False)) for reply in replies), status
        seen = {"since_revision": status["revision"]}


@pytest.mark.slow
async def test_two_queries_to_their_end_take_three_calls_and_six_thousand_characters(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "engines.toml").write_text(ENGINES, "utf-8")
    more = {"SHISHO_WEB": "on", "SHISHO_BOX": str(tmp_path / "box"), "SHISHO_ROBOTS": "off"}
    async with Box(seed=3, folder=tmp_path / "box") as box:
        topics = list(dict.fromkeys(question.topic for question in box.questions[12:]))
        async with calling(stdio(home, **more)) as call:
            calls, characters, status = await followed(call, topics[:2])
            assert (
                status["status"] == "completed"
                and status["progress"]["queries"] == "2/2"
                and status["results"]
            )
            assert int(status["progress"]["pages"].split("/")[0]) > calls, (
                "pages were visited, each of them a change"
            )
            assert (calls, characters) <= (3, 6_000) and characters <= 6_000, (calls, characters)
        with serving(home, **more) as url:
            async with httpx.AsyncClient(base_url=f"{url}/api/v1", timeout=2 * PATIENCE) as client:

                async def rest(tool: str, **arguments: Any) -> dict[str, Any]:
                    if tool == "queue_searches":
                        return dict((await client.post("/searches", json=arguments)).json())
                    return dict(
                        (await client.get(f"/tasks/{arguments.pop('task_id')}", params=arguments)).json()
                    )

                calls, characters, status = await followed(rest, topics[2:4])
                assert status["status"] == "completed" and status["results"]
                assert calls <= 3 and characters <= 6_000, (calls, characters)


@pytest.mark.slow
async def test_what_is_known_is_not_told_again_and_nothing_is_missed(tmp_path: Path) -> None:
    async with boxed(tmp_path / "home", seed=3) as (box, library):
        topics = list(dict.fromkeys(question.topic for question in box.questions[12:]))
        queued = await library.tasks.queue_searches(topics[:2])
        task = queued.task_id
        told: list[tuple[str | None, str]] = []
        status = await VERB["get_status"](library, task_id=task, wait=0)
        assert status["question"] and status["budget"] and status["created_at"]
        while True:
            told += [(row.get("query"), row["url"]) for row in status["results"] if "document_id" in row]
            if status["status"] != "running" and not status["more"]:
                break
            since = {} if status["more"] else {"since_revision": status["revision"]}
            status = await VERB["get_status"](
                library, task_id=task, wait=WAIT, wait_for="result", cursor=status["cursor"], **since
            )
            assert {"question", "budget", "created_at"}.isdisjoint(status) or not since
        assert len(told) == len(set(told)) == len(await documents(library, task))
        again = await VERB["get_status"](library, task_id=task, wait=0, since_revision=status["revision"])
        assert not again["changed"] and "progress" not in again and len(dump_compact(again)) < 400, again


async def documents(library: Any, task: str) -> set[tuple[str | None, str]]:
    found: set[tuple[str | None, str]] = set()
    status = await library.tasks.get_status(task, wait=0, detail=StatusDetail.FULL)
    while True:
        found |= {(row.query, row.url) for row in status.results if row.document_id}
        if not status.more:
            return found
        status = await library.tasks.get_status(task, wait=0, detail=StatusDetail.FULL, cursor=status.cursor)


@pytest.mark.slow
async def test_each_wait_ends_at_what_it_waits_for(tmp_path: Path) -> None:
    async with boxed(tmp_path / "home", seed=3) as (box, library):
        topics = list(dict.fromkeys(question.topic for question in box.questions[12:]))
        queued = await library.tasks.queue_searches(topics[:2])
        result = await waited(library, queued.task_id, WaitCondition.RESULT)
        ended = [job.state for job in (await library.tasks.list_jobs(queued.task_id)).jobs if job.finished_at]
        assert ended or result.errors, "a job has ended, or something went wrong"
        done = await waited(library, queued.task_id, WaitCondition.DONE)
        assert done.status == "completed" and done.results
        again = await library.tasks.get_status(
            queued.task_id, wait=WAIT, wait_for=WaitCondition.DONE, since_revision=done.revision
        )
        assert not again.changed, "what is done is not waited for"


async def waited(library: Library, task_id: str, wait_for: WaitCondition) -> TaskSnapshot:
    """The status when what is waited for has come: the first wait that does not last as long as it may."""
    async with asyncio.timeout(2 * PATIENCE):
        while True:
            began = time.monotonic()
            held = await library.tasks.get_status(task_id, wait=WAIT, wait_for=wait_for)
            if held.status is not TaskState.RUNNING or time.monotonic() < began + WAIT:
                return held


async def test_who_waits_for_the_end_is_given_no_results_before_it(tmp_path: Path) -> None:
    async with boxed(tmp_path / "home", slots=0, seed=3) as (_, library):
        queued = await library.tasks.queue_searches(["三毛猫"])
        status = await library.tasks.get_status(queued.task_id, wait=0.1, wait_for=WaitCondition.DONE)
        assert (status.status, status.results, status.more, status.cursor) == ("running", (), False, "0")


async def test_a_default_poll_waits_for_a_change_after_it(tmp_path: Path) -> None:
    async with boxed(tmp_path / "home", slots=0, seed=3) as (_, library):
        task = await library.tasks.create("三毛猫とは何か")
        assert (await library.tasks.get_status(task, wait=WAIT)).status is TaskState.CREATED
        await library.tasks.queue_searches(["三毛猫"], task_id=task)
        for wait_for in (WaitCondition.CHANGE, WaitCondition.RESULT, WaitCondition.DONE):
            before = await library.tasks.get_status(task, wait=0)
            unchanged = await library.tasks.get_status(task, wait=0.1, wait_for=wait_for)
            assert unchanged.revision == before.revision
            poll = asyncio.create_task(library.tasks.get_status(task, wait=WAIT, wait_for=wait_for))
            await asyncio.wait([poll], timeout=0.3)
            assert not poll.done(), "nothing has changed yet"
            if wait_for is WaitCondition.CHANGE:
                await library.tasks.queue_searches(["黒猫"], task_id=task)
            else:
                await library.tasks.stop(task)
            changed = await asyncio.wait_for(poll, PATIENCE)
            assert changed.revision > before.revision
            if wait_for is not WaitCondition.CHANGE:
                assert changed.status is TaskState.STOPPED
                await library.tasks.resume(task)
        await library.tasks.stop(task)
        ended = await library.tasks.get_status(task, wait=0)
        for since in (None, ended.revision):
            with Stopwatch() as watch:
                again = await library.tasks.get_status(task, wait=WAIT, since_revision=since)
            assert again.status is TaskState.STOPPED and watch.undisturbed < WAIT / 2, "nothing is waited for"


async def test_results_beyond_the_cursor_are_told_at_once(tmp_path: Path) -> None:
    async with boxed(tmp_path / "home", slots=1, seed=3) as (_, library):
        files = [Bytes(f"{number}.txt", f"本文{number}。".encode()) for number in range(12)]
        added = await library.tasks.queue_documents(files=files)
        await waited(library, added.task_id, WaitCondition.DONE)
    async with boxed(tmp_path / "home", slots=0, seed=3) as (_, library):
        await library.tasks.queue_documents(files=[Bytes("more.txt", b"more")], task_id=added.task_id)
        first = await library.tasks.get_status(added.task_id, wait=0)
        assert first.status is TaskState.RUNNING and first.more
        with Stopwatch() as watch:
            rest = await library.tasks.get_status(added.task_id, wait=WAIT, cursor=first.cursor)
        assert len(rest.results) == 2 and not rest.more and watch.undisturbed < WAIT / 2
        poll = asyncio.create_task(library.tasks.get_status(added.task_id, wait=WAIT, cursor=rest.cursor))
        await asyncio.wait([poll], timeout=0.3)
        assert not poll.done(), "there is nothing beyond this cursor"
        await library.tasks.stop(added.task_id)
        assert (await asyncio.wait_for(poll, PATIENCE)).status is TaskState.STOPPED


@asynccontextmanager
async def door(kind: str, folder: Path) -> AsyncIterator[tuple[Box, Any]]:
    """A caller of verbs by name, as JSON, and the box that it searches."""
    if kind == "Python":
        async with boxed(folder / "home", seed=3) as (box, library):
            yield box, lambda tool, **arguments: VERB[tool](library, **arguments)
        return
    home = folder / "home"
    home.mkdir()
    (home / "engines.toml").write_text(ENGINES, "utf-8")
    more = {"SHISHO_WEB": "on", "SHISHO_BOX": str(folder / "box"), "SHISHO_ROBOTS": "off"}
    async with Box(seed=3, folder=folder / "box") as box:
        if kind == "MCP stdio":
            async with calling(stdio(home, **more)) as call:
                yield box, call
            return
        with serving(home, **more) as url:
            if kind == "MCP HTTP":
                async with calling(f"{url}/mcp") as call:
                    yield box, call
                return
            async with httpx.AsyncClient(base_url=f"{url}/api/v1", timeout=2 * PATIENCE) as client:

                async def rest(tool: str, **arguments: Any) -> Any:
                    if tool == "queue_searches":
                        return (await client.post("/searches", json=arguments)).json()
                    return (await client.get(f"/tasks/{arguments.pop('task_id')}", params=arguments)).json()

                yield box, rest


MAX_UNCHANGED = 8  # waits of 30 s


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Python", "MCP stdio", "MCP HTTP", "REST"])
async def test_a_client_that_read_no_instructions_calls_once_for_each_change(
    kind: str, tmp_path: Path
) -> None:
    """Waits that ended without a change are not counted: a busy machine has some. A loop would have many."""
    async with door(kind, tmp_path) as (box, call):
        topics = list(dict.fromkeys(question.topic for question in box.questions[12:]))

        async def polled(topic: str, **more: Any) -> tuple[int, int]:
            """Calls until it is done, and changes meanwhile."""
            queued = await call("queue_searches", queries=[topic], engines=["mojeek", "marginalia"])
            task = {"task_id": queued["task_id"]}
            first = status = await call("get_status", **task, wait=0)
            calls = unchanged = 0
            while status["status"] == "running":
                status = await call("get_status", **task, wait=30, **more)
                calls += status["changed"]
                unchanged += not status["changed"]
                assert unchanged <= MAX_UNCHANGED
            assert status["status"] == "completed" and status["results"]
            return calls, status["revision"] - first["revision"]

        calls, changes = await polled(topics[0])
        print(f"{kind}: {calls} calls, {changes} changes")
        assert 1 < calls <= changes + 1
        assert (await polled(topics[1], wait_for="result"))[0] <= 2, "its job's end, or a page that failed"
        assert (await polled(topics[2], wait_for="done"))[0] == 1
