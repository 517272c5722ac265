"""A PostgreSQL database that cannot be used: doctor, readiness and every verb say so in one typed sentence
with the next step, in Japanese and English."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import psycopg
import pytest

from shisho.bootstrap.desk import open_desk
from shisho.errors import Conflict, ShishoError, StorageUnusable
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.server import build
from shisho.messages.catalogue import render
from tests.postgres import PostgresServer

READER = """CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader"""


def not_there(server: PostgresServer) -> str:
    return "postgresql://shisho@127.0.0.1:9/shisho"


def refused(server: PostgresServer) -> str:
    return server.url("no_such_database")


async def newer(server: PostgresServer) -> str:
    url = server.new_database()
    await made(url)
    with psycopg.connect(url) as connection:
        connection.execute("INSERT INTO migrations(name) VALUES ('9999_later.sql')")
    return url


async def read_only(server: PostgresServer) -> str:
    url = server.new_database()
    await made(url)
    with psycopg.connect(url) as connection:
        connection.execute(READER)
    return url.replace("shisho@", "reader@")


async def made(url: str) -> None:
    async with open_desk(store=url) as desk:
        await desk.ready()


PROBLEMS = {
    "not there": (not_there, Conflict, "cannot be reached. Try again", "つながりません"),
    "refused": (refused, StorageUnusable, "make the user and the database", "データベースを作ってください"),
    "newer": (newer, StorageUnusable, "newer version of Shisho", "より新しいShisho"),
    "read-only": (read_only, StorageUnusable, "may only read", "読むことしか"),
}


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
async def test_what_is_wrong_is_one_sentence_everywhere(
    problem: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    make, kind, english, japanese = PROBLEMS[problem]
    url = make(postgres)
    if not isinstance(url, str):
        url = await url
    async with open_desk(home=tmp_path, store=url) as desk:
        with pytest.raises(kind) as raised:
            await desk.ready()
        sentence = raised.value.message
        assert english in render(sentence, "en") and japanese in render(sentence, "ja")
        (database, *_) = await desk.doctor()
        assert not database.ok and render(database.detail, "en") == render(sentence, "en")
        with pytest.raises(ShishoError):
            await desk.tasks.create_task("問い")
        application = build(desk, AccessRules())
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=application), base_url="http://127.0.0.1"
        ) as client:
            reply = await client.get("/readyz")
            assert reply.status_code >= 400, reply.text
            assert json.loads(reply.text)["code"] == raised.value.code
