"""Several people on one server by their tokens: what one has, the other neither lists, opens, nor infers."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.datastructures import Headers

from shisho.bootstrap.library import open_library
from shisho.bootstrap.personal import check_proof
from shisho.domain.corpus import LOCAL_OWNER, Source
from shisho.domain.task import WebConsent
from shisho.errors import InvalidParams
from shisho.interfaces.http.guard import COOKIE, AccessRules, read_people
from shisho.interfaces.http.people import PersonalApplications
from shisho.interfaces.http.routes import ROUTES
from shisho.interfaces.http.server import build
from shisho.services import Library
from shisho.testing import MemoryWeb
from tests.flows.smallweb import QUERY, challenge, small_web, way
from tests.interfaces.http.operations import Names, calls
from tests.interfaces.http.rooms import answered, finished, read_events, served

PEOPLE = {"hanako": "canary-hanako-1", "taro": "canary-taro-2"}
RULES = AccessRules(token="canary-local-3", people=PEOPLE)
LECTURE = Path(__file__).parents[3] / "samples" / "lectures" / "01-regression.pdf"
QUESTION = "決定係数が0に近いとき何を意味するか"
SECRET = "花子の日記によれば、暗証は薔薇の名前である。"
OWN = "相関係数とは、太郎によれば、二つの変数の線形な関係の強さを表す指標である。"
HELD_SECONDS = 5.0  # that a build is held up if the loop waits for it
MCP = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}


@asynccontextmanager
async def house(home: Path) -> AsyncIterator[tuple[Library, httpx.AsyncClient]]:
    """A working server in which an engine asks for a person."""
    web = MemoryWeb()
    web.serps["memory", QUERY, 1] = challenge()
    async with (
        open_library(home=home, web_access=way(web)) as library,
        library.working(2),
        served(library, RULES) as client,
    ):
        yield library, client


def as_person(client: httpx.AsyncClient, name: str) -> httpx.AsyncClient:
    """A client of one person, on the same server."""
    token = PEOPLE.get(name, RULES.token)
    headers = {"authorization": f"Bearer {token}"}
    return httpx.AsyncClient(base_url=client.base_url, headers=headers, timeout=client.timeout)


async def upload(client: httpx.AsyncClient, name: str, data: bytes, **more: str) -> str:
    """The id of a document that was handed over and taken in."""
    sent = (await client.post("/documents/upload", params={"name": name, **more}, content=data)).json()
    await finished(client, sent["task_id"])
    documents = (await client.get("/documents")).json()["documents"]
    return str(documents[-1]["id"])


async def live(client: httpx.AsyncClient) -> Names:
    """Do what can be done, and give the names of what came of it."""
    document = await upload(client, "薔薇.pdf", LECTURE.read_bytes(), corpus="花園")
    removed = await upload(client, "日記.txt", SECRET.encode(), corpus="花園")
    asked = {"question": QUESTION, "sources": "documents"}
    answer = (await answered(client, await client.post("/answers", json=asked))).json()
    (conversation,) = (await client.get("/conversations")).json()["conversations"]
    found = (await client.post("/passages/search", json={"keyword_query": ["決定係数"]})).json()
    session = (await client.post("/sessions", json={"question": QUESTION})).json()
    shown = {"keyword_query": ["決定係数"], "session_id": session["session_id"]}
    await client.post("/passages/search", json=shown)
    searched = {"queries": [QUERY], "idempotency_key": "once"}
    task = (await client.post("/searches", json=searched)).json()["task_id"]
    await finished(client, task)
    (waiting,) = (await client.get("/auth")).json()["waiting"]
    await client.delete(f"/documents/{removed}")
    return {
        "document": document,
        "removed": removed,
        "file": "薔薇.pdf",
        "corpus": "花園",
        "answer": answer["answer_id"],
        "evidence": answer["answer"]["evidence"][0]["id"],
        "conversation": conversation["conversation_id"],
        "passage": found["passages"][0]["passage"],
        "session": session["session_id"],
        "task": task,
        "waiting": waiting["id"],
        "domain": waiting["domain"],
    }


def made_up(names: Names) -> Names:
    """Names of the same form of what nobody has."""
    fresh = {"file": "百合.pdf", "corpus": "果樹", "domain": "nothing.example"}
    return {kind: fresh.get(kind, f"{name[:-6]}0f0f0f") for kind, name in names.items()}


async def replies(client: httpx.AsyncClient, names: Names, hidden: set[str]) -> list[tuple[str, int, str]]:
    """What each call comes to, without what is random and without the words in `hidden`."""
    told = []
    for operation, method, path, rest in calls(names):
        reply = await client.request(method, path, **rest)
        text = re.sub(r'"error_id":"\w+"', "", reply.text)
        for name in sorted(hidden, key=len, reverse=True):
            text = text.replace(name, "…")
        told.append((operation, reply.status_code, text))
    return told


NOT_THERE = {
    *("queue_searches", "queue_urls", "get_status", "stop_task", "resume_task", "remove_task", "feedback"),
    *(
        "add_documents",
        "upload_document",
        "remove_document",
        "restore_document",
        "get_answer",
        "get_evidence",
        "get_quotation",
    ),
    *(
        "remove_conversation",
        "submit_findings",
        "compose_answer",
        "read_passage",
        "fetch",
        "get_conversation",
    ),
    *("get_answer_log", "stop_answer", "resume_answer", "get_page", "task_events", "answer_events"),
    *("get_document", "get_page_layout", "find_in_document", "get_evidence_boxes", "get_span_boxes"),
    *("get_page_image", "export_answer", "open_auth"),
}


@pytest.mark.slow
async def test_what_one_person_has_the_other_neither_finds_nor_infers(tmp_path: Path) -> None:
    async with (
        house(tmp_path) as (_, anyone),
        as_person(anyone, "hanako") as hanako,
        as_person(anyone, "taro") as taro,
    ):
        names = await live(hanako)
        names["key"] = (await hanako.post("/key")).json()["public_key"]
        await taro.post("/key")
        await upload(taro, "覚書.txt", OWN.encode())
        fakes = made_up(names)
        hidden = {*names.values(), *fakes.values()}
        before = await replies(hanako, fakes, hidden)
        schema = (await taro.get("/openapi.json")).json()["paths"]
        operations = {row["operationId"] for path in schema.values() for row in path.values()}
        assert {verb.name for verb in ROUTES} <= operations
        assert {call[0] for call in calls(names)} == operations - {"livez", "readyz"}
        on_hers = await replies(taro, names, hidden)
        on_nothing = await replies(taro, fakes, hidden)
        assert on_hers == on_nothing
        assert {operation for operation, status, _ in on_hers if status == 404} >= NOT_THERE
        for _, _, text in on_hers:
            assert not any(word in text for word in ("花子", "薔薇", "花園", *PEOPLE.values()))
        assert await replies(hanako, fakes, hidden) == before
        assert (await hanako.get(f"/documents/{names['document']}")).json()["state"] == "live"
        assert (await hanako.get("/auth")).json()["waiting"][0]["id"] == names["waiting"]


@pytest.mark.slow
async def test_lists_checks_and_keys_of_one_are_as_if_the_other_were_not_there(tmp_path: Path) -> None:
    lists = (
        "/documents",
        "/tasks",
        "/conversations",
        "/corpora",
        "/metadata",
        "/auth",
    )
    async with (
        house(tmp_path) as (library, anyone),
        as_person(anyone, "hanako") as hanako,
        as_person(anyone, "taro") as taro,
    ):
        before = [(await taro.get(path)).json() for path in lists]
        names = await live(hanako)
        await library.documents.add_source(Source("家.txt", OWN.encode()))
        assert [(await taro.get(path)).json() for path in lists] == before
        for last in ("/answers/last", "/tasks/last", "/conversations/last"):
            assert (await taro.get(last)).status_code == 404
        repeated = await taro.post("/tasks", json={"question": "x", "idempotency_key": "once"})
        assert repeated.status_code == 200
        same = await upload(taro, "薔薇.pdf", LECTURE.read_bytes())
        assert same != names["document"]
        await taro.delete(f"/documents/{same}", params={"purge": True})
        for path in ("", "/pages/1/image", "/pages/1/layout"):
            assert (await hanako.get(f"/documents/{names['document']}{path}")).status_code == 200
        (corpus,) = await library.documents.list_corpora()
        assert (corpus.owner, corpus.documents) == (LOCAL_OWNER, 1)


@pytest.mark.slow
async def test_each_follows_their_own_question(tmp_path: Path) -> None:
    async with (
        house(tmp_path) as (_, anyone),
        as_person(anyone, "hanako") as hanako,
        as_person(anyone, "taro") as taro,
    ):
        await asyncio.gather(
            upload(hanako, "薔薇.pdf", LECTURE.read_bytes()), upload(taro, "覚書.txt", OWN.encode())
        )
        asked = {"question": "相関係数とは何か", "sources": "documents", "wait": 0}
        ids = [(await person.post("/answers", json=asked)).json()["answer_id"] for person in (hanako, taro)]
        hers, his = await asyncio.gather(read_events(hanako, ids[0]), read_events(taro, ids[1]))
        assert (hers[-1]["event"], his[-1]["event"]) == ("answer", "answer")
        assert "太郎" in json.dumps(his[-1]["data"], ensure_ascii=False)
        assert "太郎" not in json.dumps(hers, ensure_ascii=False)


async def test_a_session_of_mcp_belongs_to_who_has_opened_it(tmp_path: Path) -> None:
    async with (
        house(tmp_path) as (_, anyone),
        as_person(anyone, "hanako") as hanako,
        as_person(anyone, "taro") as taro,
    ):
        document = await upload(hanako, "日記.txt", SECRET.encode())
        sessions = {}
        for name, person in (("hanako", hanako), ("taro", taro)):
            opened = await speak(person, "initialize", HELLO)
            sessions[name] = opened.headers["mcp-session-id"]
        resource = {"uri": f"document://{document}/page/1"}
        listing = {"name": "list_documents", "arguments": {}}
        hers = await speak(hanako, "tools/call", listing, sessions["hanako"])
        assert document in hers.text
        assert "薔薇" in (await speak(hanako, "resources/read", resource, sessions["hanako"])).text
        his = await speak(taro, "tools/call", listing, sessions["taro"])
        assert his.status_code == 200 and document not in his.text
        refused = await speak(taro, "resources/read", resource, sessions["taro"])
        assert "error" in refused.text and "薔薇" not in refused.text
        borrowed = await speak(taro, "tools/call", listing, sessions["hanako"])
        unknown = await speak(taro, "tools/call", listing, "0" * 32)
        assert borrowed.status_code == unknown.status_code == 404


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


async def speak(
    client: httpx.AsyncClient, method: str, params: dict[str, Any], session: str = ""
) -> httpx.Response:
    """One request of MCP over HTTP."""
    address = str(client.base_url).partition("/api/")[0] + "/mcp"
    headers = MCP | ({"mcp-session-id": session} if session else {})
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return await client.post(address, json=body, headers=headers)


@pytest.mark.slow
async def test_a_page_speaks_to_the_desk_of_its_cookie(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library:
        await library.for_owner("hanako").documents.add_source(Source("薔薇.txt", SECRET.encode()))
        transport = httpx.ASGITransport(build(library, RULES))
        for name, token in {**PEOPLE, LOCAL_OWNER: RULES.token}.items():
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as browser:
                assert (await browser.post("/login", data={"token": token})).status_code == 303
                assert (await browser.get("/")).status_code == 200
                documents = (await browser.get("/api/v1/documents")).json()["documents"]
                assert len(documents) == (name == "hanako")


def test_the_owner_is_told_by_token_or_cookie() -> None:
    for owner, token in {**PEOPLE, LOCAL_OWNER: RULES.token}.items():
        cookie = RULES.cookie_for(f" {token} ")
        assert cookie is not None and token not in cookie
        assert RULES.owner_of(Headers({"authorization": f"Bearer {token}"})) == owner
        assert RULES.owner_of(Headers({"cookie": f"{COOKIE}={cookie}"})) == owner
    for wrong in (
        {},
        {"authorization": "Bearer "},
        {"authorization": "Bearer hanako"},
        {"cookie": f"{COOKIE}="},
    ):
        assert RULES.owner_of(Headers(wrong)) is None
    assert AccessRules(people=PEOPLE).owner_of(Headers({})) is None
    assert AccessRules("0.0.0.0", people=PEOPLE) and AccessRules().owner_of(Headers({})) == LOCAL_OWNER
    assert not any(token in repr(RULES) for token in PEOPLE.values())


@pytest.mark.parametrize(
    "text",
    [
        "canary",
        "hanako:",
        ":canary",
        "hanako:canary hanako:other",
        "a:canary b:canary",
        "local:canary",
        "a:own",
    ],
)
def test_wrong_tokens_are_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        read_people(text, "own")
    assert "canary" not in str(refused.value)


def test_people_are_read_from_a_line() -> None:
    assert read_people(" 花子:a:b  taro:c ") == {"花子": "a:b", "taro": "c"}


@pytest.mark.slow
async def test_a_yes_to_the_web_is_one_persons_and_lets_out_no_word_of_another(tmp_path: Path) -> None:
    web = small_web([1], [2])
    asking = replace(way(web), needs_consent=True)
    async with (
        open_library(home=tmp_path, web_access=asking) as library,
        library.working(2),
        served(library, RULES) as client,
        as_person(client, "hanako") as hanako,
        as_person(client, "taro") as taro,
    ):
        said = (await hanako.post("/consent", json={"consent": True})).json()
        assert said["state"] == "given"
        assert (await taro.get("/consent")).json()["state"] == "not_asked"
        search = {"queries": [QUERY]}
        refused = await taro.post("/searches", json=search)
        assert (refused.status_code, refused.json()["code"]) == (403, "CONSENT_REQUIRED")
        queued = (await hanako.post("/searches", json=search)).json()
        status = await finished(hanako, queued["task_id"])
        assert status["status"] == "completed" and web.asked
        asked = len(web.asked)
        question = {"question": "火星の衛星は何か", "sources": "web", "wait": 0}
        assert (await taro.post("/answers", json=question)).json()["code"] == "CONSENT_REQUIRED"
        await hanako.post("/consent", json={"consent": False})
        assert library.web.get_consent() is WebConsent.NOT_ASKED and len(web.asked) == asked
        assert (await hanako.post("/searches", json=search)).json()["code"] == "ENGINE_UNAVAILABLE"


async def test_what_is_the_machines_is_changed_by_its_owner_alone(tmp_path: Path) -> None:
    asked = (("/folders", {"path": str(tmp_path)}), ("/models/pull", {"name": "library/tiny-ja"}))
    async with house(tmp_path) as (_, client), as_person(client, "hanako") as hanako:
        for path, body in asked:
            refused = await hanako.post(path, json=body)
            assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PARAMS"), path
        assert (await hanako.get("/folders")).json()["folders"] == []
        outside = await hanako.post("/models/calibrate", json={"folder": "/etc"})
        message = outside.json()["message"]
        assert "only" not in message and "allowed_roots" not in message


async def test_settings_and_paths_are_shown_to_the_machines_owner_alone(tmp_path: Path) -> None:
    note = tmp_path / "秘密の棚" / "相関.txt"
    note.parent.mkdir()
    note.write_text(OWN, "utf-8")
    async with (
        house(tmp_path / "home") as (library, client),
        as_person(client, "hanako") as hanako,
        as_person(client, "local") as host,
    ):
        for path in ("/settings", "/checks"):
            refused = await hanako.get(path)
            assert (refused.status_code, refused.json()["code"]) == (403, "ACCESS_DENIED"), path
            assert (await host.get(path)).is_success
        async for _ in library.documents.add(note, corpus="papers"):
            pass
        await library.team.add_user("hanako")
        await library.team.grant("papers@local", "hanako")
        asked = {"question": "相関係数とは何か", "sources": "documents"}
        answer = await answered(hanako, await hanako.post("/answers", json=asked))
        evidence = answer.json()["answer"]["evidence"]
        assert [one["document"] for one in evidence] == ["相関.txt"]
        search = {"keyword_query": ["相関係数"]}
        for reply in (
            answer,
            await hanako.get(f"/evidence/{evidence[0]['id']}"),
            await hanako.get("/documents"),
            await hanako.get(f"/documents/{evidence[0]['document_id']}"),
            await hanako.post("/passages/search", json=search),
        ):
            assert reply.is_success and "相関.txt" in reply.text and "秘密の棚" not in reply.text, reply.url
        assert str(note) in (await host.get("/documents")).text


@pytest.mark.slow
async def test_a_signing_key_is_one_persons(tmp_path: Path) -> None:
    async with (
        house(tmp_path) as (_, client),
        as_person(client, "hanako") as hanako,
        as_person(client, "taro") as taro,
    ):
        key = (await hanako.post("/key")).json()["public_key"]
        assert (await hanako.get("/key")).json()["public_key"] == key
        assert (await taro.get("/key")).json()["public_key"] == ""
        for person, signer in ((hanako, key), (taro, "")):
            await upload(person, "note.md", OWN.encode())
            question = {"question": "相関係数とは何か", "sources": "documents"}
            asked = await answered(person, await person.post("/answers", json=question))
            proof = await person.get(f"/answers/{asked.json()['answer_id']}/export", params={"form": "proof"})
            report = check_proof(proof.content)
            assert (report.faults, report.signer) == ((), signer)
    assert not list(tmp_path.glob("**/*hanako*"))  # noqa: ASYNC240


async def test_a_persons_application_is_built_once_beside_the_loop(tmp_path: Path) -> None:
    begun = threading.Event()
    release = threading.Event()
    was_released: list[bool] = []

    def make(library: Library) -> FastAPI:
        begun.set()
        was_released.append(release.wait(HELD_SECONDS))
        return FastAPI()

    async with open_library(home=tmp_path) as library:
        people = PersonalApplications(library, make)
        async with people.run():
            asking = [asyncio.create_task(people.get("hanako")) for _ in range(5)]
            await asyncio.to_thread(begun.wait)
            release.set()  # by the loop: it is free
            applications = await asyncio.gather(*asking)
    assert was_released == [True]
    assert len(set(map(id, applications))) == 1


async def test_an_application_that_cannot_be_built_leaves_the_server_and_is_tried_again(
    tmp_path: Path,
) -> None:
    made = iter([InvalidParams("The disk is full."), FastAPI()])

    def make(library: Library) -> FastAPI:
        if isinstance(found := next(made), InvalidParams):
            raise found
        return found

    async with open_library(home=tmp_path) as library:
        people = PersonalApplications(library, make)
        async with people.run():
            with pytest.raises(InvalidParams):
                await people.get("hanako")
            assert isinstance(await people.get("hanako"), FastAPI)
