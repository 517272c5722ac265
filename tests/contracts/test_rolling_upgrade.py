"""Servers of the last and of this version on one PostgreSQL database at once: while a newer one adds to the
schema, those that run go on, and what either writes the other reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.task import Bytes
from shisho.errors import StorageUnusable
from shisho.stores.postgres import migrations
from shisho.stores.postgres.connect import PostgresDatabase
from tests.contracts.conftest import PostgresStore, postgres_store
from tests.contracts.test_newer_tables import OF_STORES, Promise, named
from tests.flows.smallweb import finished
from tests.postgres import EMPTY, END_OTHERS, PostgresServer

NEW = ("id", "name", "owner", "state", "kind", "source", "url", "at", "seq", "number", "value", "added")
TABLES = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
COLUMNS = "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
ADDED = """SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_default LIKE '''new''%'"""
LATER = "9999_more_columns.sql"


def add_columns(url: str) -> None:
    """What the script of a newer version may do in its first step."""
    with psycopg.connect(url) as connection:
        for (table,) in connection.execute(TABLES).fetchall():
            known = {name for (name,) in connection.execute(COLUMNS, (table,))}
            for column in sorted(set(NEW) - known) if table != "migrations" else ():
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} text NOT NULL DEFAULT 'new'")  # type: ignore[arg-type]
        connection.execute("INSERT INTO migrations(name) VALUES (%s)", (LATER,))


def cells_of_newer(url: str) -> Counter[str]:
    """What stands in the columns that this version does not know, and in how many rows."""
    found = Counter[str]()
    with psycopg.connect(url) as connection:
        for table, column in connection.execute(ADDED).fetchall():
            query = f"SELECT {column}, count(*) FROM {table} GROUP BY 1"
            for value, count in connection.execute(query).fetchall():  # type: ignore[arg-type]
                found[value] += count
    return found


@pytest.fixture(scope="module")
def newer(postgres: PostgresServer) -> Any:
    """A database with columns more in every table, which this version takes for its own."""
    url = postgres.new_database()
    with psycopg.connect(url) as connection:
        connection.row_factory = psycopg.rows.namedtuple_row  # type: ignore[assignment]
        migrations.migrate(connection, PostgresDatabase(url).facts)
    add_columns(url)
    with psycopg.connect(url) as connection:
        connection.execute("DELETE FROM migrations WHERE name = %s", (LATER,))
    return url


@pytest.fixture
async def store(newer: str) -> AsyncIterator[PostgresStore]:
    async with postgres_store(newer) as made:
        yield made
    with psycopg.connect(newer, autocommit=True) as connection:
        connection.execute(END_OTHERS)
        connection.execute(EMPTY)


@pytest.mark.parametrize("promise", OF_STORES, ids=named)
async def test_promises_hold_over_tables_with_columns_more(
    store: PostgresStore, newer: str, promise: Promise
) -> None:
    await promise(store)
    assert cells_of_newer(newer).keys() == {"new"}


async def test_server_of_the_last_version_goes_on_beside_one_of_this(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_database()
    known = migrations.scripts_in
    async with open_library(home=tmp_path / "old", store=url, blobs=str(tmp_path / "files")) as last:
        await last.tasks.queue_documents(files=[Bytes("氷.md", "樹氷は白い。".encode())])
        add_columns(url)
        with monkeypatch.context() as newer:
            newer.setattr(migrations, "scripts_in", lambda package: [*known(package), LATER])
            async with open_library(
                home=tmp_path / "new", store=url, blobs=str(tmp_path / "files")
            ) as present:
                async with present.working(1):
                    status = await finished(last, "last")
                assert status.status == "completed", status
                answer = await last.questions.ask("樹氷は何色か")
                assert await present.questions.get("last") == answer
                assert (await present.questions.ask("樹氷は何色か")).text == answer.text
        async with open_library(home=tmp_path / "again", store=url) as restarted:
            with pytest.raises(StorageUnusable, match="newer version"):
                await restarted.check_ready()
        assert [document.source for document in await last.documents.list()] == ["氷.md"]
