"""Slices of document texts in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import fetch_all
from shisho.stores.step_content import Slice

# Assemble each slice from the parts of its document's text.
SLICES = """SELECT w.place, string_agg(substr(p.text, greatest(w.start - p.start, 0)::integer + 1,
        (least(w."end" - p.start, length(p.text)) - greatest(w.start - p.start, 0))::integer), '' ORDER BY p.start) AS text
    FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) WITH ORDINALITY AS w(document_id, start, "end", place)
    JOIN parts p ON p.document_id = w.document_id AND p.start < w."end" AND p.start + length(p.text) > w.start
    GROUP BY w.place"""


def read_slices(connection: Connection, slices: Sequence[Slice]) -> list[str | None]:
    """Return slices of documents; None for each missing one."""
    if not slices:
        return []
    columns = [list(column) for column in zip(*slices, strict=True)]
    texts = {row.place: row.text for row in fetch_all(connection, SLICES, columns)}
    return [texts.get(place) for place in range(1, len(slices) + 1)]
