"""The check of the SQLite file for `shisho doctor`."""

from __future__ import annotations

import apsw

from shisho.domain.corpus import Check
from shisho.errors import ShishoError
from shisho.messages.message import Message
from shisho.stores.embedded.connect import Database

# Count the live documents.
DOCUMENTS = "SELECT coalesce(sum(documents), 0) FROM corpora"


async def check_database(database: Database) -> Check:
    """Read all pages of the file, and check that it is writable."""

    def look(connection: apsw.Connection) -> Check:
        verdict = str(connection.execute("PRAGMA quick_check(1)").get)
        documents = connection.execute(DOCUMENTS).get
        version = apsw.sqlite_lib_version()
        path = database.path
        detail = Message("store.sqlite_summary", version=version, count=documents, path=path)
        if verdict == "ok":
            return Check("database", True, detail)
        return Check("database", False, detail, Message("store.restore_backup"))

    try:
        check = await database.read(look)
        await database.check_ready()
    except ShishoError as error:
        return Check("database", False, error.message)
    return check
