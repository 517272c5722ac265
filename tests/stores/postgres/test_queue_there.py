"""What the queue costs a PostgreSQL server: how much a claim reads, and who is told of what."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import psycopg
import pytest

from shisho.domain.codec import Payload
from shisho.domain.job import JobId, JobState, NewTask, TaskId, derive_task_state
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.notifier import CHANNEL, PostgresNotifier
from tests.machine import PATIENCE
from tests.postgres import fresh_database, shared_server
from tests.queues import ANA, OWNER, Queue, SetClock, new, postgres_queue

# Blocks of jobs and its indexes that were looked at, as of the sessions that have ended.
LOOKED_AT = "SELECT heap_blks_hit + idx_blks_hit FROM pg_statio_user_tables WHERE relname = 'jobs'"
# A long queue, put there so fast that nobody has counted its rows yet.
BACKLOG = """INSERT INTO jobs(id, task_id, kind, state, priority, input_json, created_at)
    SELECT 'backlog-' || n, 't1', 'toy', 'queued', 90, '{}', '2026-01-01T00:00:00.000000+00:00'
    FROM generate_series(1, 5000) n"""
OTHERS = [state for state in JobState if state not in {JobState.RUNNING, JobState.COMPLETED}]
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"


@pytest.fixture
async def database() -> AsyncIterator[PostgresDatabase]:
    async with fresh_database() as database:
        yield database


@pytest.fixture
def queue(database: PostgresDatabase) -> Queue:
    return postgres_queue(database, SetClock())


async def blocks_of_claims(url: str) -> int:
    """How many blocks were looked at for five claims."""
    with psycopg.connect(url, autocommit=True) as connection:
        before = await flushed(connection)
        database = PostgresDatabase(url)
        queue = postgres_queue(database, SetClock())
        for _ in range(5):
            assert await queue.jobs.claim(ANA, ["toy"]) is not None
        await database.close()
        return await flushed(connection) - before


async def flushed(connection: psycopg.Connection) -> int:
    """What was looked at by all other sessions, which are about to end."""
    async with asyncio.timeout(PATIENCE):
        while connection.execute(SESSIONS).fetchall() != [(1,)]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    ((blocks,),) = connection.execute(LOOKED_AT).fetchall()
    return int(blocks)


async def test_a_claim_reads_the_head_of_a_queue_that_was_never_counted() -> None:
    with shared_server().fresh() as url:
        database = PostgresDatabase(url)
        await postgres_queue(database, SetClock()).add(*[new() for _ in range(20)])
        await database.close()
        few = await blocks_of_claims(url)
        with psycopg.connect(url) as connection:
            connection.execute(BACKLOG)
        many = await blocks_of_claims(url)
        assert many < 2 * few, "it reads all that is queued, to sort it"


async def test_what_nobody_listens_to_is_sent_to_nobody(database: PostgresDatabase, queue: Queue) -> None:
    elsewhere = PostgresNotifier(database)
    with elsewhere.subscribe("heard") as subscription, database.open_connection() as server:
        server.execute(f"LISTEN {CHANNEL}")
        await queue.add(new(id="a"))
        claimed = await queue.claimed()
        await queue.jobs.finish(claimed.claim, Payload())
        queue.notifier.notify(["heard"])
        assert await subscription.wait(PATIENCE)
        (notice,) = server.notifies(timeout=PATIENCE, stop_after=1)  # they come in the order they were rung
        assert notice.payload.split("\n")[1:] == ["heard"]


async def test_a_topic_that_is_listened_to_later_is_heard_from_elsewhere(
    database: PostgresDatabase, queue: Queue
) -> None:
    elsewhere = PostgresNotifier(database)
    with elsewhere.subscribe("first"), elsewhere.subscribe("later") as subscription:
        assert await subscription.wait(PATIENCE), "others are told by now that somebody listens"
        queue.notifier.notify(["later"])
        assert await subscription.wait(PATIENCE)


async def test_the_state_after_an_end_is_that_of_the_domain(database: PostgresDatabase, queue: Queue) -> None:
    await queue.add(*[new(id=f"j{number:03}") for number in range(2 ** len(OTHERS))])
    for states in product((0, 1), repeat=len(OTHERS)):
        claimed = await queue.claimed()
        counts = dict(zip(OTHERS, states, strict=True))
        sets = ", ".join(f"{state} = {count}" for state, count in counts.items())
        reset = f"UPDATE tasks SET running = 1, completed = 0, state = 'running', {sets}"
        await database.write(lambda connection, reset=reset: connection.execute(reset.encode()) and None)
        await queue.jobs.finish(claimed.claim, Payload())
        task = await queue.tasks.get_task(claimed.task_id)
        assert task.state is derive_task_state(counts | {JobState.COMPLETED: 1}), counts
        await database.write(lambda connection: connection.execute("UPDATE tasks SET queued = 1") and None)


async def test_a_claim_whose_caller_has_gone_is_put_back(database: PostgresDatabase, queue: Queue) -> None:
    await queue.add(new(id="a"), new(id="b"))
    first = await queue.claimed()
    with database.open_connection() as connection, connection.transaction():
        connection.execute("SELECT FROM tasks FOR UPDATE")
        ending = asyncio.create_task(queue.jobs.finish_and_claim(first.claim, Payload(), ["toy"]))
        await waiting_for_a_lock(database)
        ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    with queue.notifier.subscribe("t1") as subscription:
        async with asyncio.timeout(PATIENCE):
            while (
                job := await queue.jobs.get_job(JobId("b"))
            ).attempt != 1 or job.state is not JobState.QUEUED:
                await subscription.wait(0.1)
    assert not job.failures


async def test_an_end_and_the_next_claim_go_to_the_server_in_one_statement(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    await queue.add(new(id="a"), new(id="b"))
    first = await queue.claimed()
    statements = []
    execute = psycopg.Connection.execute

    def recording(connection: psycopg.Connection, statement: str, *rest: Any, **options: Any) -> Any:
        if connection.autocommit and threading.current_thread().name.startswith("shisho-pg-write"):
            statements.append(statement)
        return execute(connection, statement, *rest, **options)

    monkeypatch.setattr(psycopg.Connection, "execute", recording)
    following = await queue.jobs.finish_and_claim(first.claim, Payload(), ["toy"])
    assert following is not None
    assert len(statements) == 1, statements
    monkeypatch.undo()
    assert following == await queue.jobs.get_job(JobId("b"))


async def test_an_end_is_committed_before_the_next_job_is_claimed(
    database: PostgresDatabase, queue: Queue
) -> None:
    await queue.tasks.enqueue(NewTask(TaskId("t1"), OWNER), [new(id="a")])
    await queue.tasks.enqueue(NewTask(TaskId("t2"), OWNER), [new(id="b")])
    first = await queue.claimed()
    with database.open_connection() as connection, connection.transaction():
        connection.execute("SELECT FROM tasks WHERE id = 't2' FOR UPDATE")
        ending = asyncio.create_task(queue.jobs.finish_and_claim(first.claim, Payload(), ["toy"]))
        await waiting_for_a_lock(database)
        assert await queue.state(first.id) is JobState.COMPLETED
    following = await ending
    assert following is not None
    assert following.id == "b"


async def test_a_worker_that_leaves_lets_the_rest_go_where_one_end_is_under_way(
    database: PostgresDatabase, queue: Queue
) -> None:
    await queue.tasks.enqueue(NewTask(TaskId("t1"), OWNER), [new(id="a"), new(id="b")])
    ending, held = await queue.claimed(), await queue.claimed()
    with database.open_connection() as connection, connection.transaction():
        connection.execute("SELECT FROM tasks WHERE id = 't1' FOR UPDATE")
        leaving = asyncio.create_task(queue.jobs.release_all(ANA))
        await waiting_for_a_lock(database)
        connection.execute("UPDATE jobs SET state = 'completed' WHERE id = %s", (ending.id,))
    assert await leaving == 1
    assert await queue.state(held.id) is JobState.QUEUED


async def waiting_for_a_lock(database: PostgresDatabase) -> None:
    waiting = "SELECT count(*) AS sessions FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    async with asyncio.timeout(PATIENCE):
        while not (await database.read(lambda server: server.execute(waiting).fetchone())).sessions:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
