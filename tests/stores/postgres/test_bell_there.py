"""The bell on a server that is slow to be heard, or not heard for a while."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest

from shisho.stores.postgres import bell as server_bell
from shisho.stores.postgres.bell import PostgresBell
from shisho.stores.postgres.connect import PostgresDatabase
from tests.machine import PATIENCE
from tests.postgres import END_OTHERS, PostgresServer

SILENCE = 0.05


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
