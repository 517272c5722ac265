"""Notifications on a server that is slow to be heard, or not heard for a while."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest

from shisho.domain.job import JobId, NewJob, NewTask, TaskId
from shisho.stores.postgres import notifier as server_notifier
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.jobs import PostgresTransaction, build_postgres_transactions
from shisho.stores.postgres.notifier import PostgresNotifier
from shisho.stores.sql.tasks import StoredTasks
from shisho.stores.subscribers import Subscribers
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
def notifier(database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> PostgresNotifier:
    """One that never looks at the tasks by itself."""
    monkeypatch.setattr(server_notifier, "BEGIN_SECONDS", SILENCE)
    return PostgresNotifier(database, poll_seconds=100 * PATIENCE)


async def test_who_listened_before_a_slow_server_was_heard_is_woken_when_it_is(
    own_server: PostgresServer, notifier: PostgresNotifier
) -> None:
    with ExitStack() as slow:
        slow.enter_context(own_server.admitting_nobody())
        with notifier.subscribe("a") as subscription:
            assert not await subscription.wait(SILENCE)
            slow.close()
            assert await subscription.wait(PATIENCE), "what was rung for meanwhile was not sent to it"


async def test_who_began_to_listen_while_the_server_was_not_heard_is_woken_when_it_is_again(
    own_server: PostgresServer, notifier: PostgresNotifier, database: PostgresDatabase
) -> None:
    with notifier.subscribe("a") as earlier, ExitStack() as slow:
        while await earlier.wait(SILENCE):
            pass
        slow.enter_context(own_server.admitting_nobody())
        await database.write(lambda connection: connection.execute(END_OTHERS) and None)
        with notifier.subscribe("b") as subscription:
            slow.close()
            assert await earlier.wait(PATIENCE)
            assert await subscription.wait(PATIENCE)


async def test_who_listens_while_the_watch_ends_is_heard(
    database: PostgresDatabase, notifier: PostgresNotifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watch counts nobody, then somebody listens, then the watch ends."""
    counted, listened = threading.Event(), threading.Event()
    count = Subscribers.listening.fget
    assert count is not None

    def pause(subscribers: Subscribers) -> int:
        listeners = count(subscribers)
        if not listeners:
            counted.set()
            listened.wait(PAUSE)
        return listeners

    with notifier.subscribe("a"):
        monkeypatch.setattr(server_notifier, "LINGER_SECONDS", 0.0)
        monkeypatch.setattr(Subscribers, "listening", property(pause))
    assert await asyncio.to_thread(counted.wait, PATIENCE)
    with notifier.subscribe("a") as subscription:
        listened.set()
        while await subscription.wait(SILENCE):
            pass
        PostgresNotifier(database).notify(["a"])
        assert await subscription.wait(PATIENCE)


def test_who_listens_in_a_second_event_loop_is_heard(
    own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = PostgresDatabase(own_server.url())
    notifier = PostgresNotifier(database, poll_seconds=100 * PATIENCE)

    async def hear() -> None:
        with notifier.subscribe("a") as subscription:
            while await subscription.wait(SILENCE):
                pass
            PostgresNotifier(database).notify(["a"])
            assert await subscription.wait(PATIENCE)

    try:
        for _ in range(2):
            asyncio.run(hear())
    finally:
        asyncio.run(database.close())


async def test_a_commit_whose_caller_is_cancelled_meanwhile_is_rung_for(
    database: PostgresDatabase, notifier: PostgresNotifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, cancelled = threading.Event(), threading.Event()
    insert = PostgresTransaction.insert

    def pause(transaction: PostgresTransaction, task_id: TaskId, job: NewJob) -> JobId:
        begun.set()
        assert cancelled.wait(PATIENCE)
        return insert(transaction, task_id, job)

    monkeypatch.setattr(PostgresTransaction, "insert", pause)
    tasks = StoredTasks(build_postgres_transactions(database, SetClock(), notifier))
    with notifier.subscribe("t1") as subscription:
        while await subscription.wait(SILENCE):
            pass
        adding = asyncio.create_task(tasks.enqueue(NewTask(TaskId("t1"), OWNER), [new()]))
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        cancelled.set()
        assert await subscription.wait(PATIENCE)
