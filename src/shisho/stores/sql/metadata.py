"""Metadata of documents, counted with one query."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from shisho.domain.corpus import Scope
from shisho.domain.metadata import MetadataField, MetadataValue
from shisho.stores.nouns import Row
from shisho.stores.sql.queries import Queries
from shisho.stores.sql.scope import FROM_DOCUMENTS, write_condition

# Count the most frequent values of each name, the most common names first; the scope is filled in.
COUNTED = f"""SELECT * FROM (SELECT m.key AS name, m.value AS value, count(*) AS documents,
        row_number() OVER (PARTITION BY m.key ORDER BY count(*) DESC, m.value) AS place,
        count(*) OVER (PARTITION BY m.key) AS distinct_values,
        CAST(sum(count(*)) OVER (PARTITION BY m.key) AS bigint) AS all_documents
        {FROM_DOCUMENTS} JOIN document_meta m ON d.id = m.document_id
        WHERE {{condition}} GROUP BY m.key, m.value) AS counted
    WHERE place <= :most_values ORDER BY all_documents DESC, name, place LIMIT :most_rows"""


def count_metadata(queries: Queries, scope: Scope, fields: int, values: int) -> list[MetadataField]:
    """Return at most `fields` fields, each with at most `values` values."""
    condition = write_condition(scope)
    # A field has at most `values` rows, so the first rows contain the first fields.
    limits = {"most_values": values, "most_rows": fields * values}
    counted = queries.fetch(COUNTED.format(condition=condition.sql), condition.values | limits)
    rows_by_name = [(name, list(group)) for name, group in groupby(counted, key=lambda row: row.name)]
    return [_build_field(name, group) for name, group in rows_by_name[:fields]]


def _build_field(name: str, group: Sequence[Row]) -> MetadataField:
    values = tuple(MetadataValue(row.value, row.documents) for row in group)
    return MetadataField(name, group[0].all_documents, group[0].distinct_values, values)
