"""Messages that were stored as English sentences, in PostgreSQL: their ids."""

from __future__ import annotations

from typing import Any

import psycopg

from shisho.stores.sql.message_ids import COLUMNS, PATTERN, identify_content, identify_messages

SCRIPT = "0105_message_ids.sql"
# The rows of each column that hold a sentence, and the statement that puts an id in its place.
SENTENCES = tuple(
    (
        f"SELECT ctid, {column} AS stored FROM {table} WHERE {column} LIKE %s".encode(),
        f"UPDATE {table} SET {column} = %s WHERE ctid = %s".encode(),
    )
    for table, column in COLUMNS
)
# All steps.
STEPS = "SELECT ctid, content FROM steps"
# A step whose sentences became ids.
CONTENT = "UPDATE steps SET content = %s WHERE ctid = %s"


def fill(connection: psycopg.Connection[Any]) -> None:
    """Put an id in place of each stored sentence."""
    for query, update in SENTENCES:
        for row in connection.execute(query, (PATTERN,)).fetchall():
            connection.execute(update, (identify_messages(row.stored), row.ctid))
    with connection.cursor(name="steps") as steps:  # not all of them at once in memory
        for step in steps.execute(STEPS):
            stored = bytes(step.content)
            content = identify_content(stored)
            if content != stored:
                connection.execute(CONTENT, (content, step.ctid))
