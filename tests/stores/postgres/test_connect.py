"""A PostgreSQL database under us: transactions, a server that goes and comes, schemas, one time for all."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator

import psycopg
import pytest
from psycopg import errors

from shisho.errors import InvalidParams, NotFound, StorageUnusable, StoreUnavailable
from shisho.stores.postgres import migrations, server_time
from shisho.stores.postgres.connect import Connection, PostgresDatabase
from tests.postgres import PostgresServer

HALF_AN_HOUR = 1800.0
SCRATCH = "CREATE TABLE IF NOT EXISTS scratch (id int PRIMARY KEY, value int)"


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.new_database()


@pytest.fixture
async def database(url: str) -> AsyncIterator[PostgresDatabase]:
    database = PostgresDatabase(url)
    await database.write(lambda connection: connection.execute(SCRATCH) and None)
    yield database
    await database.close()


async def test_text_with_nul_is_stored_with_a_character_in_its_place(database: PostgresDatabase) -> None:
    said = "題\0名"
    stored = await database.write(
        lambda connection: connection.execute(
            "SELECT %(said)s::text AS one, %(list)s::text[] AS several", {"said": said, "list": [said, "b"]}
        ).fetchone()
    )
    assert tuple(stored) == ("題\ufffd名", ["題\ufffd名", "b"])


def put(id_: int, value: int) -> object:
    def work(connection: Connection) -> int:
        connection.execute("INSERT INTO scratch VALUES (%(id)s, %(value)s)", {"id": id_, "value": value})
        return value

    return work


async def values(database: PostgresDatabase) -> list[int]:
    rows = await database.read(
        lambda connection: connection.execute("SELECT value FROM scratch ORDER BY id").fetchall()
    )
    return [row.value for row in rows]


async def test_work_that_raises_is_undone_and_its_neighbours_kept(database: PostgresDatabase) -> None:
    def wrong(connection: Connection) -> None:
        connection.execute("INSERT INTO scratch VALUES (1, 1)")
        raise NotFound("job.not_found", job_id="x")

    outcomes = await asyncio.gather(
        database.write(wrong), *(database.write(put(id_, id_)) for id_ in range(2, 9)), return_exceptions=True
    )
    assert isinstance(outcomes[0], NotFound)
    assert outcomes[1:] == await values(database) == list(range(2, 9))


async def test_reading_sees_one_state_and_writes_nothing(database: PostgresDatabase) -> None:
    await database.write(put(1, 1))
    written = threading.Event()
    began = asyncio.Event()
    loop = asyncio.get_running_loop()

    def twice(connection: Connection) -> list[int]:
        counts = [connection.execute("SELECT count(*) AS n FROM scratch").fetchall()[0].n]
        loop.call_soon_threadsafe(began.set)
        written.wait(60)
        return [*counts, connection.execute("SELECT count(*) AS n FROM scratch").fetchall()[0].n]

    reading = asyncio.create_task(database.read(twice))
    await began.wait()
    await database.write(put(2, 2))
    written.set()
    assert await reading == [1, 1]
    with pytest.raises(StoreUnavailable, match="read-only standby"):
        await database.read(put(3, 3))


async def test_work_that_ran_into_other_work_is_done_again(database: PostgresDatabase) -> None:
    for id_ in (1, 2):
        await database.write(put(id_, 0))
    both_hold = threading.Barrier(2)
    first_time = {1: True, 2: True}

    def crosswise(first: int, second: int) -> object:
        def work(connection: Connection) -> None:
            raise_value = "UPDATE scratch SET value = value + 1 WHERE id = %(id)s"
            connection.execute(raise_value, {"id": first})
            if first_time.pop(first, False):
                both_hold.wait(60)
            connection.execute(raise_value, {"id": second})

        return work

    await asyncio.gather(database.write(crosswise(1, 2)), database.write(crosswise(2, 1)))
    assert await values(database) == [2, 2]


async def test_cancelled_writing_is_done_all_the_same(database: PostgresDatabase, url: str) -> None:
    began = threading.Event()
    goes_on = threading.Event()

    def slow(connection: Connection) -> None:
        began.set()
        goes_on.wait(60)
        connection.execute("INSERT INTO scratch VALUES (1, 7)")

    writing = asyncio.create_task(database.write(slow))
    await asyncio.to_thread(began.wait, 60)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    goes_on.set()
    await database.close()  # which waits for what is under way
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT value FROM scratch").fetchall() == [(7,)]


async def test_connections_that_a_restart_has_ended_are_not_noticed(own_server: PostgresServer) -> None:
    database = PostgresDatabase(own_server.url())
    await database.write(lambda connection: connection.execute(SCRATCH) and None)
    await asyncio.gather(*(database.write(put(id_, id_)) for id_ in range(20)))
    own_server.stop()
    own_server.start()
    outcomes = await asyncio.gather(*(database.write(put(id_, id_)) for id_ in range(20, 40)))
    assert outcomes == (await values(database))[20:]
    await database.close()


async def test_a_server_that_is_gone_says_try_again_and_serves_when_it_is_back(
    own_server: PostgresServer,
) -> None:
    database = PostgresDatabase(own_server.url())
    await database.check_ready()
    own_server.stop(signal.SIGQUIT)
    for verb in (database.check_ready(), database.read(lambda connection: connection.execute("SELECT 1"))):
        with pytest.raises(
            StoreUnavailable, match=r"PostgreSQL at 127\.0\.0\.1:\d+ can't be reached\. Try again;"
        ) as error:
            await verb
        assert error.value.retry
    own_server.start()
    await database.check_ready()
    await database.close()


async def test_a_commit_that_broke_off_is_not_repeated(database: PostgresDatabase) -> None:
    times = []

    def ended_before_its_commit(connection: Connection) -> None:
        times.append(1)
        connection.execute("INSERT INTO scratch VALUES (1, 1)")
        connection.pgconn.finish()

    with pytest.raises(StoreUnavailable, match="Check whether it was stored") as error:
        await database.write(ended_before_its_commit)
    assert error.value.retry
    assert times == [1]


async def test_what_the_server_refuses_names_no_password(postgres: PostgresServer) -> None:
    database = PostgresDatabase(f"postgresql://shisho:himitsu@127.0.0.1:{postgres.port}/nowhere")
    with pytest.raises(StorageUnusable, match='database "nowhere" does not exist') as error:
        await database.check_ready()
    assert "himitsu" not in str(error.value)
    await database.close()
    with pytest.raises(InvalidParams, match="postgresql://user:password@host") as wrong:
        PostgresDatabase("postgresql://shisho:himitsu@host:port/nowhere?what=this")
    assert "himitsu" not in str(wrong.value)


async def test_two_servers_that_start_at_once_make_one_schema(url: str) -> None:
    databases = [PostgresDatabase(url) for _ in range(4)]
    await asyncio.gather(*(database.check_ready() for database in databases))
    await asyncio.gather(*(database.close() for database in databases))
    with psycopg.connect(url) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY name")]
    assert names == migrations.scripts_in(migrations.PACKAGE)


async def test_newer_schema_is_refused(url: str) -> None:
    database = PostgresDatabase(url)
    await database.check_ready()
    await database.close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO migrations(name) VALUES ('9999_hover.sql')")
    later = PostgresDatabase(url)
    with pytest.raises(StorageUnusable, match=r"newer version of Shisho \(9999_hover\.sql\)"):
        await later.check_ready()
    await later.close()


async def test_a_script_that_fails_leaves_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = migrations.scripts_in(migrations.PACKAGE)
    monkeypatch.setattr(migrations, "scripts_in", lambda package: [*scripts, "9999_is_missing.sql"])
    database = PostgresDatabase(url)
    with pytest.raises(FileNotFoundError):
        await database.check_ready()
    await database.close()
    with psycopg.connect(url) as connection, pytest.raises(errors.UndefinedTable):
        connection.execute("SELECT name FROM migrations")


async def test_all_machines_read_one_time_line(postgres: PostgresServer) -> None:
    with postgres.fresh() as url:
        databases = [PostgresDatabase(url) for _ in range(3)]
        for database in databases:
            await database.check_ready()
        before = databases[0].read_timeline()
        lines = [database.read_timeline() for database in databases]
        after = databases[0].read_timeline()
        assert before - 1 < min(lines) <= max(lines) < after + 1
        await asyncio.gather(*(database.close() for database in databases))


@pytest.mark.parametrize("jump", ["1 hour", "-1 hour"])
async def test_no_jump_of_the_servers_clock_moves_what_is_waited_for(
    url: str, monkeypatch: pytest.MonkeyPatch, jump: str
) -> None:
    databases = [PostgresDatabase(url) for _ in range(2)]
    for database in databases:
        await database.check_ready()
    before = databases[0].read_timeline()
    jumped = server_time.CLOCK.replace("clock_timestamp()", f"(clock_timestamp() + interval '{jump}')")
    monkeypatch.setattr(server_time, "CLOCK", jumped)
    monkeypatch.setattr(server_time, "SAMPLE_SECONDS", 0.0)
    for _ in range(2):
        for database in databases:
            await database.check_ready()
    databases.append(PostgresDatabase(url))
    await databases[-1].check_ready()
    assert all(before <= database.read_timeline() < before + HALF_AN_HOUR for database in databases)
    await asyncio.gather(*(database.close() for database in databases))
