"""The schema of a PostgreSQL database: numbered scripts, each run once by one process."""

from __future__ import annotations

from importlib import resources
from typing import Any

import psycopg

from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.postgres.troubles import ConnectionFacts
from shisho.stores.sql import names
from shisho.stores.sql.migrating import (
    COLUMNS,
    PATTERN,
    identify_content,
    identify_messages,
    list_missing_scripts,
    scripts_in,
)
from shisho.telemetry import log

PACKAGE = "shisho.stores.postgres"
NAMES = "0089_names.sql"
# "shisho" as positions in the alphabet: the key of the migration lock
LOCK = 19_08_09_19_08_15
# Wait for other migrations. The lock is released at the end of the transaction.
ACQUIRE_LOCK = "SELECT pg_advisory_xact_lock(%(lock)s)"
# Check whether the list of completed scripts exists.
HAS_MIGRATIONS = "SELECT to_regclass('migrations') IS NOT NULL AS has"
# Create the list, if it is missing: the catalog may have been read as it was before the lock was acquired.
NEW_MIGRATIONS = """CREATE TABLE IF NOT EXISTS migrations
    (name text COLLATE "C" PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"""
# List the completed scripts.
MIGRATIONS = "SELECT name FROM migrations"
# Record a completed script.
MIGRATED = "INSERT INTO migrations(name) VALUES (%(name)s)"
MESSAGE_IDS = "0105_message_ids.sql"
# The rows of each column that hold a sentence, and the statement that puts an id in its place.
SENTENCES = tuple(
    (
        f"SELECT ctid, {column} AS stored FROM {table} WHERE {column} LIKE %s".encode(),
        f"UPDATE {table} SET {column} = %s WHERE ctid = %s".encode(),
    )
    for table, column in COLUMNS
)
# All steps.
STEPS = "SELECT ctid, content FROM steps"
# A step whose sentences became ids.
CONTENT = "UPDATE steps SET content = %s WHERE ctid = %s"


def has_migrations(connection: psycopg.Connection[Any]) -> bool:
    """Return True if the database has a schema. Raises psycopg.Error."""
    return bool(connection.execute(HAS_MIGRATIONS).fetchall()[0].has)


def list_missing_migrations(connection: psycopg.Connection[Any], facts: ConnectionFacts) -> list[str]:
    """Return the names of the scripts that the database lacks.

    Raises: StorageUnusable if a newer version has run unknown scripts.
    """
    scripts = scripts_in(PACKAGE)
    if not has_migrations(connection):
        return scripts
    done = [row.name for row in connection.execute(MIGRATIONS).fetchall()]
    return list_missing_scripts(done, scripts, f"{facts.database} on {facts.server}")


def migrate(connection: psycopg.Connection[Any], facts: ConnectionFacts) -> list[str]:
    """Migrate the database to this version, after any concurrent migration.

    All scripts run in one transaction. Returns the names of the scripts that this call ran.

    Raises: psycopg.Error, StorageUnusable.
    """
    run: list[str] = []
    if not list_missing_migrations(connection, facts):
        return run
    with connection.transaction():
        connection.execute(ACQUIRE_LOCK, {"lock": LOCK})
        connection.execute(NEW_MIGRATIONS)
        for name in list_missing_migrations(connection, facts):
            log.debug("migration %s", name)
            script = resources.files(PACKAGE) / "schema" / name
            connection.execute(script.read_text("utf-8").encode())
            connection.execute(MIGRATED, {"name": name})
            run.append(name)
        if NAMES in run:
            names.fill(PostgresQueries(connection))
        if MESSAGE_IDS in run:
            _identify_messages(connection)
    return run


def _identify_messages(connection: psycopg.Connection[Any]) -> None:
    """Put an id in place of each stored sentence."""
    for query, update in SENTENCES:
        for row in connection.execute(query, (PATTERN,)).fetchall():
            connection.execute(update, (identify_messages(row.stored), row.ctid))
    with connection.cursor(name="steps") as steps:  # not all of them at once in memory
        for step in steps.execute(STEPS):
            stored = bytes(step.content)
            content = identify_content(stored)
            if content != stored:
                connection.execute(CONTENT, (content, step.ctid))
