"""A second role of the server that works for the application and may only add to the audit."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.task import Bytes
from tests.postgres import PostgresServer

ROLE = """CREATE ROLE serving LOGIN;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO serving;
    GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO serving;
    REVOKE UPDATE, DELETE ON audit FROM serving"""


async def test_a_second_role_works_and_can_neither_empty_the_audit_nor_turn_its_triggers_off(
    own_server: PostgresServer, tmp_path: Path
) -> None:
    url = own_server.url()
    async with open_library(home=tmp_path, store=url, embedder="none") as owner:
        await owner.team.add_user("hanako")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(ROLE)
    serving = url.replace("shisho@", "serving@")
    async with open_library(home=tmp_path, store=serving, embedder="none") as library:
        await library.for_owner("hanako").tasks.queue_documents(files=[Bytes("a.txt", b"a")])
        entries = await library.team.list_audit()
        assert [entry.verb for entry in entries] == ["add", "let_in"]
    with psycopg.connect(serving, autocommit=True) as connection:
        for change in ("TRUNCATE audit", "DELETE FROM audit", "ALTER TABLE audit DISABLE TRIGGER ALL"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(change)
