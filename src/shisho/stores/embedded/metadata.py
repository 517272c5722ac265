"""Metadata of documents, counted with one query."""

from __future__ import annotations

import apsw

from shisho.domain.corpus import Scope
from shisho.domain.metadata import MetadataField
from shisho.stores.counted_metadata import collect_fields
from shisho.stores.embedded import rows
from shisho.stores.embedded.scope import write_condition

# Count the most frequent values of each name, the most common names first; the scope is filled in.
COUNTED = """SELECT * FROM (SELECT m.key AS name, m.value AS value, count(*) AS documents,
        row_number() OVER (PARTITION BY m.key ORDER BY count(*) DESC, m.value) AS place,
        count(*) OVER (PARTITION BY m.key) AS distinct_values,
        sum(count(*)) OVER (PARTITION BY m.key) AS all_documents
        FROM document_meta m JOIN documents d ON d.id = m.document_id JOIN corpora c ON c.id = d.corpus_id
        WHERE {condition} GROUP BY m.key, m.value)
    WHERE place <= ? ORDER BY all_documents DESC, name, place LIMIT ?"""


def count_metadata(
    connection: apsw.Connection, scope: Scope, fields: int, values: int
) -> list[MetadataField]:
    """Return at most `fields` fields, each with at most `values` values."""
    condition = write_condition(scope)
    query = COUNTED.format(condition=condition.sql)
    # A field has at most `values` rows, so the first rows contain the first fields.
    limits = (values, fields * values)
    counted_rows = rows.fetch_all(connection.execute(query, (*condition.values, *limits)))
    return collect_fields(counted_rows, fields)
