"""Metadata fields from counted rows: the same in every store."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from shisho.domain.metadata import MetadataField, MetadataValue
from shisho.stores.nouns import Row


def collect_fields(counted: Sequence[Row], most: int) -> list[MetadataField]:
    """Return at most `most` fields, from rows that are grouped by field.

    A row has the field's `name`, a `value` and its number of `documents`, and for the whole field
    `distinct_values` and `all_documents`.
    """
    rows_by_name = [(name, list(group)) for name, group in groupby(counted, key=lambda row: row.name)]
    return [_field(name, group) for name, group in rows_by_name[:most]]


def _field(name: str, group: list[Row]) -> MetadataField:
    values = tuple(MetadataValue(row.value, row.documents) for row in group)
    return MetadataField(name, group[0].all_documents, group[0].distinct_values, values)
