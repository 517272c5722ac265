"""Messages that were stored as English sentences, in SQLite: their ids."""

from __future__ import annotations

from collections.abc import Callable

import apsw

from shisho.stores.sql.migrating import COLUMNS, PATTERN, identify_content, identify_messages

SCRIPT = "0086_message_ids.sql"
FUNCTIONS: dict[str, Callable[..., str | bytes]] = {
    "identify_messages": identify_messages,
    "identify_content": identify_content,
}
# The sentences of each column become ids.
UPDATES = tuple(
    f"UPDATE {table} SET {column} = identify_messages({column}) WHERE {column} LIKE ?"
    for table, column in COLUMNS
)
# The sentences inside steps become ids.
STEPS = "UPDATE steps SET content = identify_content(content) WHERE identify_content(content) <> content"


def fill(connection: apsw.Connection) -> None:
    """Put an id in place of each stored sentence."""
    for name, function in FUNCTIONS.items():
        connection.create_scalar_function(name, function, 1, deterministic=True)
    for update in UPDATES:
        connection.execute(update, (PATTERN,))
    connection.execute(STEPS)
