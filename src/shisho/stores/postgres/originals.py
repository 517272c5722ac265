"""The stored files whose text some document still has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.rows import fetch_all

# Select the hashes that any document has, and whether such a document has its text or is being added.
DOCUMENTS = """SELECT d.sha256, bool_or(d.state <> 'purged' OR a.document_id IS NOT NULL) AS has_text
    FROM documents d LEFT JOIN arrivals a ON a.document_id = d.id
    WHERE d.sha256 = ANY(%s) GROUP BY d.sha256"""


async def have_text(database: PostgresDatabase, hashes: Sequence[str]) -> Mapping[str, bool]:
    """Implement `stores.originals.HaveText`."""
    rows = await database.read(lambda connection: fetch_all(connection, DOCUMENTS, ([*hashes],)))
    return {row.sha256: row.has_text for row in rows}
