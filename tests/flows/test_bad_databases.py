"""A PostgreSQL database that cannot be used: doctor, readiness and every verb say so in one typed sentence
with the next step, in Japanese and English."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import httpx
import psycopg
import pytest

from shisho.bootstrap.library import open_library
from shisho.errors import ShishoError, StorageUnusable, StoreUnavailable
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.server import build
from shisho.interfaces.mcp import server as mcp
from shisho.messages.catalogue import render
from tests.interfaces.serving import Refused, calling
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
    async with open_library(store=url) as library:
        await library.check_ready()


PROBLEMS = {
    "not there": (not_there, StoreUnavailable, "can't be reached. Try again", "接続できません"),
    "refused": (
        refused,
        StorageUnusable,
        "create the user and the database",
        "データベースを作成してください",
    ),
    "newer": (newer, StorageUnusable, "newer version of Shisho", "新しいバージョンの Shisho"),
    "read-only": (read_only, StorageUnusable, "can only read", "読み取ることしか"),
}


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
async def test_what_is_wrong_is_one_sentence_everywhere(
    problem: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    make, kind, english, japanese = PROBLEMS[problem]
    url = make(postgres)
    if not isinstance(url, str):
        url = await url
    async with open_library(home=tmp_path, store=url) as library:
        with pytest.raises(kind) as raised:
            await library.check_ready()
        sentence = raised.value.message
        assert english in render(sentence, "en") and japanese in render(sentence, "ja")
        (database, *_) = await library.run_checks()
        assert not database.ok and render(database.detail, "en") == render(sentence, "en")
        with pytest.raises(ShishoError):
            await library.tasks.create("問い")
        application = build(library, AccessRules())
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=application), base_url="http://127.0.0.1"
        ) as client:
            reply = await client.get("/readyz")
            assert reply.status_code >= 400, reply.text
            assert json.loads(reply.text)["code"] == raised.value.code


async def test_who_calls_while_the_server_is_away_is_told_to_try_again(
    own_server: PostgresServer, tmp_path: Path
) -> None:
    """Over REST and MCP alike; what was refused is done once the server is back."""
    requests = (("GET", "/tasks"), ("POST", "/tasks"), ("GET", "/documents"))
    async with (
        open_library(home=tmp_path, store=own_server.url(), language="en") as library,
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app=build(library, AccessRules())),
            base_url="http://127.0.0.1/api/v1",
        ) as client,
        calling(mcp.build(library)) as call,
    ):

        async def ask_all() -> list[httpx.Response]:
            return [
                await client.request(method, path, json={"question": "問い"} if method == "POST" else None)
                for method, path in requests
            ]

        assert [reply.status_code for reply in await ask_all()] == [200] * len(requests)
        own_server.stop(signal.SIGQUIT)
        for reply in await ask_all():
            assert (reply.status_code, reply.json()["code"]) == (503, "STORE_UNAVAILABLE"), reply.text
            assert "Try again; if it keeps failing, check that it is running" in reply.json()["message"]
        with pytest.raises(
            Refused, match=r"STORE_UNAVAILABLE: .*Try again; if it keeps failing, check that it is running"
        ):
            await call("create_task", question="問い")
        own_server.start()
        assert [reply.status_code for reply in await ask_all()] == [200] * len(requests)
        assert (await call("create_task", question="問い"))["task_id"]
