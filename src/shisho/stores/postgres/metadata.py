"""Metadata of documents, counted with one query."""

from __future__ import annotations

from shisho.domain.corpus import Scope
from shisho.domain.metadata import MetadataField
from shisho.stores.counted_metadata import collect_fields
from shisho.stores.postgres import rows
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.scope import FROM_DOCUMENTS, write_condition

# Count the most frequent values of each name, the most common names first; the scope is filled in.
COUNTED = f"""SELECT * FROM (SELECT m.key AS name, m.value AS value, count(*) AS documents,
        row_number() OVER (PARTITION BY m.key ORDER BY count(*) DESC, m.value) AS place,
        count(*) OVER (PARTITION BY m.key) AS distinct_values,
        (sum(count(*)) OVER (PARTITION BY m.key))::bigint AS all_documents
        {FROM_DOCUMENTS} JOIN document_meta m ON d.id = m.document_id
        WHERE {{condition}} GROUP BY m.key, m.value) AS counted
    WHERE place <= %s ORDER BY all_documents DESC, name, place LIMIT %s"""


def count_metadata(connection: Connection, scope: Scope, fields: int, values: int) -> list[MetadataField]:
    """Return at most `fields` fields, each with at most `values` values."""
    condition = write_condition(scope)
    # A field has at most `values` rows, so the first rows contain the first fields.
    limits = (values, fields * values)
    statement = COUNTED.format(condition=condition.sql)
    return collect_fields(rows.fetch_all(connection, statement, (*condition.values, *limits)), fields)
