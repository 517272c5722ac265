"""The stored files whose text some document still has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import ANY_OF, bind_list, fetch_all

# Select the hashes that any document has, and whether such a document has its text or is being added.
DOCUMENTS = f"""SELECT d.sha256, max(d.state <> 'purged' OR a.document_id IS NOT NULL) AS has_text
    FROM documents d LEFT JOIN arrivals a ON a.document_id = d.id
    WHERE d.sha256 IN {ANY_OF} GROUP BY d.sha256"""


async def have_text(database: Database, hashes: Sequence[str]) -> Mapping[str, bool]:
    """Implement `stores.originals.HaveText`."""
    rows = await database.read(
        lambda connection: fetch_all(connection.execute(DOCUMENTS, (bind_list(hashes),)))
    )
    return {row.sha256: bool(row.has_text) for row in rows}
