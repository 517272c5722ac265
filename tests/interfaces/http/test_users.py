"""Users of the database on one server: by token, by the cookie that a browser gets for it, by the header of a
proxy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.domain.task import Bytes
from shisho.errors import AccessDenied, Conflict, InvalidParams, NotFound
from shisho.interfaces.http import lasting
from shisho.interfaces.http.guard import COOKIE, AccessRules
from shisho.interfaces.http.people import ProxyRules, read_proxies
from shisho.services import Library
from tests.interfaces.http.rooms import served
from tests.machine import PATIENCE

HEADER = "x-forwarded-email"
HERE = read_proxies(HEADER, ["127.0.0.0/8", "::1"])
ELSEWHERE = read_proxies(HEADER, ["192.0.2.7"])


@asynccontextmanager
async def house(home: Path, rules: AccessRules) -> AsyncIterator[tuple[Library, httpx.AsyncClient]]:
    async with open_library(home=home, embedder="none") as library, served(library, rules) as client:
        yield library, client


def read_database(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.glob("shisho.db*"))


async def sources(client: httpx.AsyncClient, **headers: str) -> list[str] | int:
    reply = await client.get("/documents", headers=headers)
    return (
        [row["source"] for row in reply.json()["documents"]]
        if reply.status_code == 200
        else reply.status_code
    )


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.mark.parametrize("own", ["", "canary-local"])
async def test_a_token_opens_a_persons_own_library_until_it_is_renewed_or_they_are_removed(
    tmp_path: Path, own: str
) -> None:
    async with house(tmp_path, AccessRules(token=own)) as (library, client):
        made = await library.team.add_user("花子")
        assert made is not None
        await library.documents.add_source(Source("local.txt", "局所の文書。".encode()))
        await library.for_owner("花子").documents.add_source(Source("hers.txt", "花子の文書。".encode()))
        assert await sources(client, **bearer(made.token)) == ["hers.txt"]
        login = client.base_url.copy_with(path="/login")
        entered = await client.post(login, data={"token": made.token})
        assert entered.status_code == 303, entered.text
        cookie = client.cookies[COOKIE]
        client.cookies.clear()
        assert made.token not in cookie
        assert await sources(client, cookie=f"{COOKIE}={cookie}") == ["hers.txt"]
        renewed = await library.team.renew_token("花子")
        assert await sources(client, **bearer(made.token)) == 401
        assert await sources(client, cookie=f"{COOKIE}={cookie}") == (401 if own else ["local.txt"])
        assert await sources(client, **bearer(renewed.token)) == ["hers.txt"]
        await library.team.remove_user("花子")
        assert await sources(client, **bearer(renewed.token)) == 401
        await library.team.restore_user("花子")
        assert await sources(client, **bearer(renewed.token)) == ["hers.txt"]
        stored = await asyncio.to_thread(read_database, tmp_path)
        for word in (made.token, renewed.token, cookie):
            assert word.encode() not in stored


async def test_a_token_that_is_nobodys_opens_nothing_where_none_is_needed(tmp_path: Path) -> None:
    async with house(tmp_path, AccessRules()) as (library, client):
        await library.documents.add_source(Source("local.txt", "局所の文書。".encode()))
        assert await sources(client) == ["local.txt"]
        refused = await client.get("/documents", headers={**bearer("canary"), "accept-language": "ja"})
        assert refused.status_code == 401
        assert refused.json()["code"] == "AUTH_REQUIRED"
        assert "登録されていないトークンです" in refused.json()["message"]
        address = client.base_url.copy_with(path="/mcp")
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        assert (await client.post(address, json=call, headers=bearer("canary"))).status_code == 401
        alive = client.base_url.copy_with(path="/livez")
        assert (await client.get(alive, headers=bearer("canary"))).status_code == 200


@pytest.mark.parametrize(
    ("form", "status"),
    [("{}", 401), ("Token {}", 401), ("Bearer", 401), ("Basic {}", ["local.txt"])],
)
async def test_a_token_brought_in_another_form_does_not_open_the_owners_library(
    form: str, status: int | list[str], tmp_path: Path
) -> None:
    """But for what a proxy asks after, and may hand on."""
    async with house(tmp_path, AccessRules()) as (library, client):
        await library.documents.add_source(Source("local.txt", "局所の文書。".encode()))
        hanako = await library.team.add_user("hanako")
        assert await sources(client, authorization=form.format(hanako.token)) == status


async def test_a_header_names_a_person_from_a_trusted_proxy_alone(tmp_path: Path) -> None:
    async with house(tmp_path, AccessRules(proxies=HERE)) as (library, client):
        await library.team.add_user("hanako@example.org", has_token=False)
        await library.for_owner("hanako@example.org").documents.add_source(
            Source("hers.txt", "花子の文書。".encode())
        )
        assert await sources(client, **{HEADER: "hanako@example.org"}) == ["hers.txt"]
        assert await sources(client) == 401
        for nobody in ("taro@example.org", "local", "", "hanako@example.org, local"):
            assert await sources(client, **{HEADER: nobody}) == 403
        twice = [(HEADER, "hanako@example.org"), (HEADER, "hanako@example.org")]
        assert (await client.get("/documents", headers=twice)).status_code == 403


@pytest.mark.parametrize("forwarded", [{}, {"x-forwarded-for": "192.0.2.7"}, {"forwarded": "for=192.0.2.7"}])
async def test_a_header_from_anywhere_else_is_refused_with_a_good_token_too(
    tmp_path: Path, forwarded: dict[str, str]
) -> None:
    async with house(tmp_path, AccessRules(token="canary", proxies=ELSEWHERE)) as (library, client):
        await library.team.add_user("hanako", has_token=False)
        assert await sources(client, **{HEADER: "hanako"}, **forwarded) == 401
        assert await sources(client, **{HEADER: "hanako"}, **forwarded, **bearer("canary")) == 401
        assert await sources(client, **forwarded, **bearer("canary")) == []


def test_proxies_are_named_by_their_addresses() -> None:
    with pytest.raises(InvalidParams):
        ProxyRules(HEADER)
    with pytest.raises(InvalidParams):
        read_proxies(HEADER, ["proxy.example"])
    assert AccessRules("0.0.0.0", proxies=ELSEWHERE)
    assert ELSEWHERE.is_trusted("192.0.2.7") and not ELSEWHERE.is_trusted("192.0.2.8")
    assert not ELSEWHERE.is_trusted("") and not ProxyRules().is_trusted("127.0.0.1")


async def test_people_are_let_in_by_who_runs_the_library_and_corpora_granted_by_their_owners(
    tmp_path: Path,
) -> None:
    async with open_library(home=tmp_path, embedder="none") as library:
        await library.team.add_user("hanako")
        hanako = library.for_owner("hanako")
        await hanako.documents.add_source(Source("r2.txt", "決定係数。".encode()), "papers")
        for refused in (hanako.team.list_users(), hanako.team.add_user("taro"), hanako.team.add_group("lab")):
            with pytest.raises(AccessDenied):
                await refused
        with pytest.raises(NotFound):
            await hanako.team.grant("papers", "taro")
        await library.team.add_user("taro")
        with pytest.raises(Conflict):
            await library.team.add_user("taro")
        for wrong in ("", " ", "a b", "a:b", "local", "x" * 201):
            with pytest.raises(InvalidParams):
                await library.team.add_user(wrong)
        await hanako.team.grant("papers", "taro")
        assert [grant.grantee.name for grant in await hanako.team.list_grants()] == ["taro"]
        assert list(await library.for_owner("taro").team.list_grants()) == []
        with pytest.raises(NotFound):
            await library.for_owner("taro").team.revoke("papers", "taro")
        await library.team.add_group("lab")
        assert await library.team.join("lab", "taro", "local") == 2
        await library.team.grant("papers@hanako", "lab", is_group=True, is_writable=True)
        assert [corpus.name for corpus in await library.documents.list_corpora()] == ["papers@hanako"]
        await hanako.team.revoke("papers", "lab", is_group=True)
        with pytest.raises(NotFound):
            await hanako.team.revoke("papers", "lab", is_group=True)


async def prepare_events(library: Library) -> tuple[str, dict[str, str]]:
    """The events of a task of a new user, and what lets her in."""
    made = await library.team.add_user("花子")
    assert made is not None
    files = [Bytes("a.txt", "一つ目。".encode())]
    queued = await library.for_owner("花子").tasks.queue_documents(files=files)
    return f"/tasks/{queued.task_id}/events", bearer(made.token)


@pytest.mark.parametrize("end", ["remove", "renew"])
async def test_events_end_when_who_listens_is_let_in_no_more(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They went on until the task ended, days later where it waited for a person."""
    monkeypatch.setattr(lasting, "LOOK_SECONDS", 0.0)
    async with house(tmp_path, AccessRules(token="canary-local")) as (library, client):
        events, headers = await prepare_events(library)
        async with (
            asyncio.timeout(PATIENCE),
            client.stream("GET", events, headers=headers) as stream,
        ):
            lines = stream.aiter_lines()
            assert (await anext(lines)).startswith("id:")
            if end == "remove":
                await library.team.remove_user("花子")
            else:
                await library.team.renew_token("花子")
            files = [Bytes("b.txt", "二つ目。".encode())]
            await library.for_owner("花子").tasks.queue_documents(files=files, task_id="last")
            rest = [line async for line in lines]
        assert not any(line.startswith("id:") for line in rest)
        assert (await client.get(events, headers=headers)).status_code == 401


@pytest.mark.slow
async def test_events_go_on_for_who_may_come_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting, "LOOK_SECONDS", 0.0)
    async with house(tmp_path, AccessRules(token="canary-local")) as (library, client):
        events, headers = await prepare_events(library)
        async with (
            asyncio.timeout(PATIENCE),
            client.stream("GET", events, headers=headers) as stream,
        ):
            lines = stream.aiter_lines()
            assert (await anext(lines)).startswith("id:")
            async with library.for_owner("花子").working(1):
                rest = [line async for line in lines]
        assert any('"status":"completed"' in line for line in rest)
