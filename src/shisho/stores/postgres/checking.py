"""The check of the PostgreSQL database for `shisho doctor`."""

from __future__ import annotations

from shisho.domain.corpus import Check
from shisho.errors import ShishoError
from shisho.messages.message import Message
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.rows import fetch_all

# Read the server's version, the database name, the number of live documents, and whether vectors can be
# stored.
FACTS = """SELECT current_setting('server_version') AS version, current_database() AS name,
    (SELECT coalesce(sum(documents), 0) FROM corpora)::bigint AS documents,
    EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') AS has_vectors"""


async def check_database(database: PostgresDatabase) -> Check:
    """Connect to the database, and check that it is writable."""
    try:
        await database.check_ready()
        (row,) = await database.read(lambda connection: fetch_all(connection, FACTS))
    except ShishoError as error:
        return Check("database", False, error.message)
    detail = Message("postgres.summary", version=row.version, count=row.documents, name=row.name)
    if row.has_vectors:
        return Check("database", True, detail)
    remedy = Message("postgres.install_pgvector")
    without = Message("postgres.without_vectors", detail=detail)
    return Check("database", True, without, remedy)
