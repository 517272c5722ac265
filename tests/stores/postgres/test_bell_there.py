"""The bell on a server that is slow to be heard, or not heard for a while."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest

from shisho.domain.job import JobId, NewJob, NewTask, TaskId
from shisho.stores.ears import Ears
from shisho.stores.postgres import bell as server_bell
from shisho.stores.postgres.bell import PostgresBell
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.jobs import PostgresTransaction, build_postgres_transactions
from shisho.stores.sql.tasks import StoredTasks
from tests.machine import PATIENCE
from tests.postgres import END_OTHERS, PostgresServer
from tests.queues import OWNER, SetClock, new

SILENCE = 0.05
PAUSE = 1.0  # of the watch, for somebody to begin to listen in the midst


@pytest.fixture
async def database(own_server: PostgresServer) -> AsyncIterator[PostgresDatabase]:
    made = PostgresDatabase(own_server.url())
    await made.check_ready()
    yield made
    await made.close()


@pytest.fixture
def bell(database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> PostgresBell:
    """One that never looks at the tasks by itself."""
    monkeypatch.setattr(server_bell, "BEGIN_SECONDS", SILENCE)
    return PostgresBell(database, poll_seconds=100 * PATIENCE)


async def test_who_listened_before_a_slow_server_was_heard_is_woken_when_it_is(
    own_server: PostgresServer, bell: PostgresBell
) -> None:
    with ExitStack() as slow:
        slow.enter_context(own_server.admitting_nobody())
        with bell.listen("a") as ear:
            assert not await ear.wait(SILENCE)
            slow.close()
            assert await ear.wait(PATIENCE), "what was rung for meanwhile was not sent to it"


async def test_who_began_to_listen_while_the_server_was_not_heard_is_woken_when_it_is_again(
    own_server: PostgresServer, bell: PostgresBell, database: PostgresDatabase
) -> None:
    with bell.listen("a") as earlier, ExitStack() as slow:
        while await earlier.wait(SILENCE):
            pass
        slow.enter_context(own_server.admitting_nobody())
        await database.write(lambda connection: connection.execute(END_OTHERS) and None)
        with bell.listen("b") as ear:
            slow.close()
            assert await earlier.wait(PATIENCE)
            assert await ear.wait(PATIENCE)


async def test_who_listens_while_the_watch_ends_is_heard(
    database: PostgresDatabase, bell: PostgresBell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watch counts nobody, then somebody listens, then the watch ends."""
    counted, listened = threading.Event(), threading.Event()
    count = Ears.listening.fget
    assert count is not None

    def pause(ears: Ears) -> int:
        listeners = count(ears)
        if not listeners:
            counted.set()
            listened.wait(PAUSE)
        return listeners

    with bell.listen("a"):
        monkeypatch.setattr(server_bell, "LINGER_SECONDS", 0.0)
        monkeypatch.setattr(Ears, "listening", property(pause))
    assert await asyncio.to_thread(counted.wait, PATIENCE)
    with bell.listen("a") as ear:
        listened.set()
        while await ear.wait(SILENCE):
            pass
        PostgresBell(database).ring(["a"])
        assert await ear.wait(PATIENCE)


def test_who_listens_in_a_second_event_loop_is_heard(
    own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = PostgresDatabase(own_server.url())
    bell = PostgresBell(database, poll_seconds=100 * PATIENCE)

    async def hear() -> None:
        with bell.listen("a") as ear:
            while await ear.wait(SILENCE):
                pass
            PostgresBell(database).ring(["a"])
            assert await ear.wait(PATIENCE)

    try:
        for _ in range(2):
            asyncio.run(hear())
    finally:
        asyncio.run(database.close())


async def test_a_commit_whose_caller_is_cancelled_meanwhile_is_rung_for(
    database: PostgresDatabase, bell: PostgresBell, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, cancelled = threading.Event(), threading.Event()
    insert = PostgresTransaction.insert

    def pause(transaction: PostgresTransaction, task_id: TaskId, job: NewJob) -> JobId:
        begun.set()
        assert cancelled.wait(PATIENCE)
        return insert(transaction, task_id, job)

    monkeypatch.setattr(PostgresTransaction, "insert", pause)
    tasks = StoredTasks(build_postgres_transactions(database, SetClock(), bell))
    with bell.listen("t1") as ear:
        while await ear.wait(SILENCE):
            pass
        adding = asyncio.create_task(tasks.enqueue(NewTask(TaskId("t1"), OWNER), [new()]))
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        cancelled.set()
        assert await ear.wait(PATIENCE)
