"""The schema of a PostgreSQL database: numbered scripts, each run once, whoever comes first."""

from __future__ import annotations

from importlib import resources
from typing import Any

import psycopg

from shisho.stores.migrating import list_missing_scripts, scripts_in
from shisho.stores.postgres import message_ids, names
from shisho.stores.postgres.troubles import ConnectionFacts
from shisho.telemetry import log

PACKAGE = "shisho.stores.postgres"
# "shisho" in letters of the alphabet: the lock for whoever brings the schema to a version
LOCK = 19_08_09_19_08_15
# Wait until nobody else migrates. Let go at the end of the transaction.
TAKE_TURN = "SELECT pg_advisory_xact_lock(%(lock)s)"
# Whether there is a list of scripts that were run.
HAS_MIGRATIONS = "SELECT to_regclass('migrations') IS NOT NULL AS has"
# The list. It is asked for again, as the catalogue may be read as it stood before the turn was waited for.
NEW_MIGRATIONS = """CREATE TABLE IF NOT EXISTS migrations
    (name text COLLATE "C" PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"""
# The scripts that the database has run.
MIGRATIONS = "SELECT name FROM migrations"
# A script was run.
MIGRATED = "INSERT INTO migrations(name) VALUES (%(name)s)"


def has_migrations(connection: psycopg.Connection[Any]) -> bool:
    """True where a schema was made before. Raises psycopg.Error."""
    return bool(connection.execute(HAS_MIGRATIONS).fetchall()[0].has)


def list_missing_migrations(connection: psycopg.Connection[Any], facts: ConnectionFacts) -> list[str]:
    """Names of the scripts that the database lacks. Raises StorageUnusable for one that a newer version has
    made."""
    scripts = scripts_in(PACKAGE)
    if not has_migrations(connection):
        return scripts
    done = [row.name for row in connection.execute(MIGRATIONS).fetchall()]
    return list_missing_scripts(done, scripts, f"{facts.database} on {facts.server}")


def migrate(connection: psycopg.Connection[Any], facts: ConnectionFacts) -> list[str]:
    """Bring the database to this version, all scripts or none; where another process does, wait for it.
    Returns the names of those that were run here. Raises psycopg.Error, StorageUnusable."""
    run: list[str] = []
    if not list_missing_migrations(connection, facts):
        return run
    with connection.transaction():
        connection.execute(TAKE_TURN, {"lock": LOCK})
        connection.execute(NEW_MIGRATIONS)
        for name in list_missing_migrations(connection, facts):
            log.debug("migration %s", name)
            script = resources.files(PACKAGE) / "schema" / name
            connection.execute(script.read_text("utf-8").encode())
            connection.execute(MIGRATED, {"name": name})
            run.append(name)
        if names.SCRIPT in run:
            names.fill(connection)
        if message_ids.SCRIPT in run:
            message_ids.fill(connection)
    return run
