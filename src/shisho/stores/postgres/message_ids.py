"""Messages that were stored as English sentences, in PostgreSQL: their ids."""

from __future__ import annotations

from typing import Any

import psycopg

from shisho.stores.message_ids import COLUMNS, PATTERN, identify_content, identify_messages

SCRIPT = "0105_message_ids.sql"
STEPS = "SELECT ctid, content FROM steps"
CONTENT = "UPDATE steps SET content = %s WHERE ctid = %s"


def fill(connection: psycopg.Connection[Any]) -> None:
    """Put an id in place of each stored sentence."""
    for table, column in COLUMNS:
        query = f"SELECT ctid, {column} AS stored FROM {table} WHERE {column} LIKE %s"
        update = f"UPDATE {table} SET {column} = %s WHERE ctid = %s"
        for row in connection.execute(query.encode(), (PATTERN,)).fetchall():
            connection.execute(update.encode(), (identify_messages(row.stored), row.ctid))
    for step in connection.execute(STEPS).fetchall():
        stored = bytes(step.content)
        content = identify_content(stored)
        if content != stored:
            connection.execute(CONTENT, (content, step.ctid))
