"""REST: the same verbs, a document that describes them, and nothing that breaks the server."""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
import schemathesis
from bench import polls
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from shisho.interfaces.http.routes import ROUTES
from tests.faults.children import LONG
from tests.interfaces.serving import SAMPLES, address, answered_over_http, serving, started
from tests.machine import PATIENCE

QUESTION = "決定係数が0に近いとき何を意味するか"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with the sample lectures."""
    with (
        serving(tmp_path_factory.mktemp("rest") / "home") as url,
        httpx.Client(base_url=url, timeout=PATIENCE) as client,
    ):
        task = client.post("/api/v1/documents", json={"paths": [str(SAMPLES)]}).json()["task_id"]
        while (
            client.get(f"/api/v1/tasks/{task}", params={"wait": 20, "since_revision": 0}).json()["status"]
            == "running"
        ):
            pass
        yield url


@pytest.fixture
def client(server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{server}/api/v1", timeout=PATIENCE) as opened:
        yield opened


def test_health(server: str) -> None:
    assert httpx.get(f"{server}/livez").json() == {"status": "ok"}
    assert httpx.get(f"{server}/readyz").json() == {"status": "ok"}


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_health_is_asked_by_head_too(server: str, path: str) -> None:
    reply = httpx.head(server + path)
    assert (reply.status_code, reply.content) == (200, b"")
    assert reply.headers["content-length"] == httpx.get(server + path).headers["content-length"]


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/api/v1/tasks", "GET, POST"),
        ("PATCH", "/api/v1/tasks/none", "DELETE, GET"),
        ("PUT", "/api/v1/documents/upload", "DELETE, GET, POST"),
        ("GET", "/api/v1/passages/search", "POST"),
        ("DELETE", "/login", "GET, HEAD, POST"),
        ("POST", "/readyz", "GET, HEAD"),
    ],
)
def test_refused_method_comes_with_all_that_the_path_takes(
    server: str, method: str, path: str, allow: str
) -> None:
    for language, words in (
        ("en", f"{path} accepts {allow}, not {method}."),
        ("ja", f"{method} は使えません"),
    ):
        reply = httpx.request(method, server + path, headers={"accept-language": language})
        assert (reply.status_code, reply.headers["allow"]) == (405, allow)
        assert reply.json()["code"] == "INVALID_PARAMS" and words in reply.json()["message"]


@pytest.mark.slow
def test_every_verb_is_a_route(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()
    operations = {one["operationId"]: one for path in described["paths"].values() for one in path.values()}
    assert {verb.name for verb in ROUTES} | {
        "livez",
        "readyz",
        "metrics",
        "task_events",
        "answer_events",
        "export_answer",
        "upload_document",
        "get_quotation",
        "get_page",
        "get_document",
        "get_page_layout",
        "get_page_image",
        "get_evidence_boxes",
        "get_span_boxes",
        "find_in_document",
    } == operations.keys()
    assert all(operations[verb.name]["description"] == verb.says for verb in ROUTES)


def test_ask_and_read(client: httpx.Client) -> None:
    asked = answered_over_http(client, QUESTION)
    one = asked["answer"]["evidence"][0]
    assert client.get(f"/answers/{asked['answer_id']}").json()["answer"]["text"] == asked["answer"]["text"]
    assert client.get(f"/evidence/{one['id']}").json()["sha256"] == one["sha256"]
    page = client.get(f"/documents/{one['document_id']}/pages/{one['page']}")
    assert one["snippet"] in page.text and page.headers["content-type"].startswith("text/plain")
    found = client.post(
        "/passages/search",
        json={"keyword_query": ["決定係数 定義"], "filter_conditions": {"page": {"low": "1"}}},
    )
    assert found.json()["passages"]


def test_bytes_are_taken_in(client: httpx.Client) -> None:
    data = base64.b64encode("火星の衛星はフォボスとダイモスの二つである。".encode()).decode()
    task = client.post("/documents", json={"files": [{"name": "火星.txt", "base64": data}]}).json()["task_id"]
    with client.stream("GET", f"/tasks/{task}/events") as stream:
        news = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
    assert news[-1]["status"] == "completed" and [one["revision"] for one in news] == sorted(
        {one["revision"] for one in news}
    )
    assert (
        client.post("/passages/search", json={"keyword_query": ["フォボス"]}).json()["passages"][0]["source"]
        == "火星.txt"
    )


def test_events_tell_the_same_as_the_status(client: httpx.Client) -> None:
    file = {"name": "壊れた.pdf", "base64": base64.b64encode(b"%PDF-1.7 no more").decode()}
    task = client.post("/documents", json={"files": [file]}).json()["task_id"]
    while client.get(f"/tasks/{task}", params={"wait": 20, "wait_for": "done"}).json()["status"] == "running":
        pass
    with client.stream("GET", f"/tasks/{task}/events") as stream:
        (event,) = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
    assert event == client.get(f"/tasks/{task}", params={"wait": 0}).json()
    assert event["errors"][0]["url"] == "壊れた.pdf" and event["progress"]["documents"] == "0/1"


@pytest.mark.parametrize("source", ["講義/第1回/火星.txt", "地図?回=1#衛星/;ろ+.txt", "a%2Fb/%.txt"])
def test_document_is_named_by_the_file_it_came_from(client: httpx.Client, source: str) -> None:
    data = base64.b64encode(f"{source}の火星の衛星は二つである。".encode()).decode()
    task = client.post("/documents", json={"files": [{"name": source, "base64": data}]}).json()["task_id"]
    while client.get(f"/tasks/{task}", params={"wait": 20, "wait_for": "done"}).json()["status"] == "running":
        pass
    path = f"/documents/{quote(source, safe='')}"
    assert client.get(path).json()["source"] == source
    assert "火星の衛星" in client.get(f"{path}/pages/1").text
    assert client.delete(path).json()["document"]["source"] == source
    removed = client.get("/documents", params={"removed": True}).json()["documents"]
    assert source in [document["source"] for document in removed]
    assert client.post(f"{path}/restore").json()["document"]["source"] == source
    assert client.delete(path, params={"purge": True}).json()["purged"] is True
    gone = client.get(path)
    assert (gone.status_code, gone.json()["code"]) == (404, "RESOURCE_NOT_FOUND")
    assert source in gone.json()["message"] and "no document" in gone.json()["message"]


def test_path_with_an_escaped_slash_that_is_nowhere_says_so(client: httpx.Client) -> None:
    for path in ("/documents%2Fupload", "/nowhere/a%2fb", "/tasks/last/%2F/events"):
        reply = client.get(path)
        assert (reply.status_code, reply.json()["code"]) == (404, "RESOURCE_NOT_FOUND")
        assert "nothing at" in reply.json()["message"]
    reply = client.put("/documents/a%2Fb")
    assert (reply.status_code, reply.headers["allow"]) == (405, "DELETE, GET")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/tasks/none", None, 404, "TASK_NOT_FOUND"),
        ("GET", "/tasks/none/events", None, 404, "TASK_NOT_FOUND"),
        ("GET", "/answers/none", None, 404, "RESOURCE_NOT_FOUND"),
        ("GET", "/answers/none/log", None, 404, "RESOURCE_NOT_FOUND"),
        ("POST", "/answers/none/stop", None, 404, "RESOURCE_NOT_FOUND"),
        ("POST", "/answers/none/resume", None, 404, "RESOURCE_NOT_FOUND"),
        ("GET", "/answers/last/export?forms=md", None, 400, "INVALID_PARAMS"),
        ("POST", "/documents/none/restore", None, 404, "RESOURCE_NOT_FOUND"),
        ("POST", "/documents/upload", None, 400, "INVALID_PARAMS"),
        ("POST", "/consent", {"consent": "perhaps"}, 400, "INVALID_PARAMS"),
        ("GET", "/conversations/none", None, 404, "RESOURCE_NOT_FOUND"),
        ("GET", "/conversations?cursor=x", None, 400, "INVALID_PARAMS"),
        ("GET", "/documents?limit=0", None, 400, "INVALID_PARAMS"),
        ("GET", "/documents?limits=1", None, 400, "INVALID_PARAMS"),
        ("GET", "/nowhere", None, 404, "RESOURCE_NOT_FOUND"),
        ("PUT", "/tasks", {}, 405, "INVALID_PARAMS"),
        ("POST", "/answers", {}, 400, "INVALID_PARAMS"),
        ("POST", "/answers", {"question": " "}, 400, "INVALID_PARAMS"),
        ("POST", "/answers", {"question": "何か", "unknown": 1}, 400, "INVALID_PARAMS"),
        ("POST", "/documents", {"paths": ["/etc/passwd"]}, 403, "FORBIDDEN_PATH"),
        ("POST", "/searches", {"queries": [" ", "undefined"]}, 400, "INVALID_PARAMS"),
    ],
)
def test_errors(client: httpx.Client, method: str, path: str, body: Any, status: int, code: str) -> None:
    reply = client.request(method, path, json=body)
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert reply.json()["message"] and reply.json()["error_id"]


BROKEN = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"question": "\\ud800"}',
    b'{"question": NaN}',
    b"\xff\xfe",
    b"[" * 100_000,
)


@pytest.mark.parametrize("raw", BROKEN, ids=range(len(BROKEN)))
def test_broken_bodies(client: httpx.Client, raw: bytes) -> None:
    reply = client.post("/answers", content=raw, headers={"content-type": "application/json"})
    assert reply.status_code == 400 and reply.json()["code"] == "INVALID_PARAMS"


@pytest.mark.slow
def test_strangers_are_turned_away(server: str) -> None:
    for headers, status in (({"host": "evil.example"}, 421), ({"origin": "http://evil.example"}, 403)):
        for path in ("/livez", "/readyz", "/mcp", "/api/v1/tasks", "/api/v1/openapi.json"):
            assert httpx.get(server + path, headers=headers).status_code == status
            assert httpx.post(server + path, headers=headers).status_code == status


@pytest.mark.skipif(not hasattr(socket, "TCP_QUICKACK"), reason="the yardstick needs Linux")
def test_a_kept_alive_client_does_not_wait_for_its_own_acknowledgements(server: str) -> None:
    """A server that waits for them adds 40 ms to each reply, unless the client acknowledges at once: the
    yardstick."""
    address = urlsplit(server)
    assert address.hostname and address.port
    with socket.create_connection((address.hostname, address.port), 60) as client:
        pairs = [[livez_seconds(client, address.netloc, at_once) for at_once in (1, 0)] for _ in range(60)]
    # The quickest of each: what a busy machine adds to the others says nothing about the server.
    acknowledging, waiting = map(min, zip(*pairs, strict=True))
    assert waiting < 5 * acknowledging, (acknowledging, waiting)


def test_the_server_is_not_the_first_to_close_a_connection(server: str) -> None:
    """A request that a client sends while the server closes is lost."""
    with socket.create_connection(
        (urlsplit(server).hostname or "", urlsplit(server).port or 0), 60
    ) as client:
        livez_seconds(client, urlsplit(server).netloc, 1)
        time.sleep(6)  # clients keep a connection for 4 or 5 s, and busy ones a little longer
        client.setblocking(False)
        with pytest.raises(BlockingIOError):  # an end of the stream would be read as b""
            client.recv(1)
        client.settimeout(60)
        livez_seconds(client, urlsplit(server).netloc, 1)


def livez_seconds(client: socket.socket, host: str, acknowledge_at_once: int) -> float:
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, acknowledge_at_once)
    began = time.perf_counter()
    client.sendall(f"GET /livez HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    reply = b""
    while not reply.endswith(b"}"):
        part = client.recv(65_536)
        assert part, "the connection was closed"
        reply += part
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, acknowledge_at_once)
    return time.perf_counter() - began


@pytest.mark.slow
async def test_a_hundred_long_polls_at_once_hold_nobody_up(server: str) -> None:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=f"{server}/api/v1", limits=limits, timeout=PATIENCE) as client:
        task = (await client.post("/tasks", json={"question": "待つ"})).json()["task_id"]
        revision = (await client.get(f"/tasks/{task}", params={"wait": 0})).json()["revision"]
        asked = {"wait": 30, "since_revision": revision}
        polls = [asyncio.create_task(client.get(f"/tasks/{task}", params=asked)) for _ in range(100)]
        await asyncio.sleep(1)
        assert (await client.get("/documents")).status_code == 200 and not any(poll.done() for poll in polls)
        await client.post("/urls", json={"task_id": task, "urls": ["http://127.0.0.1:9/none"]})
        told = await asyncio.wait_for(asyncio.gather(*polls), PATIENCE)
        assert all(one.json()["changed"] for one in told)
        await client.post(f"/tasks/{task}/stop", json={"mode": "immediate"})


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="CPU of another process is read from /proc")
async def test_a_long_poll_that_wakes_costs_no_more_than_a_few_bare_requests(tmp_path: Path) -> None:
    """A status is built once for all who wait for it: what is left for each is to send it."""
    process = started(tmp_path / "home")
    try:
        found = await polls.measure(address(process), polls.cpu_of(process.pid))
    finally:
        process.send_signal(signal.SIGINT)
        await asyncio.to_thread(process.communicate, timeout=2 * PATIENCE)
    print(found)
    assert found["poll CPU"] < 4 * found["livez CPU"], found


def test_answered_requests_leave_no_warning_behind(tmp_path: Path) -> None:
    """Unread warnings of each person's routes once filled the pipe of a server, which then stood still."""
    process = started(tmp_path / "home")
    try:
        url = address(process)
        for path in ("documents?limit=5", "tasks?limit=5", "conversations?limit=5", "metadata"):
            assert httpx.get(f"{url}/api/v1/{path}", timeout=PATIENCE).is_success
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=2 * PATIENCE)
    assert "Warning" not in said


CANARY = "canary-5b1e77-token"


@pytest.mark.slow
def test_a_token_opens_and_appears_nowhere(tmp_path: Path) -> None:
    process = started(tmp_path / "home", SHISHO_TOKEN=CANARY)
    said = ""
    try:
        url = address(process)
        for sent in ({}, {"authorization": "Bearer wrong"}, {"authorization": CANARY}):
            for path in ("/mcp", "/api/v1/tasks", "/api/v1/openapi.json"):
                reply = httpx.get(url + path, headers=sent)
                assert reply.status_code == 401 and reply.headers["www-authenticate"] == "Bearer"
                said += reply.text + str(reply.headers)
        right = {"authorization": f"Bearer {CANARY}"}
        assert httpx.get(f"{url}/livez").status_code == 200
        for path in (
            "/api/v1/tasks",
            "/api/v1/tasks/none",
            "/api/v1/documents?limit=0",
            f"/api/v1/answers/{'x' * 600}",
        ):
            reply = httpx.get(url + path, headers=right)
            assert reply.status_code != 401
            said += reply.text + str(reply.headers)
    finally:
        process.terminate()
        out, err = process.communicate(timeout=PATIENCE)
    assert CANARY not in said + out + err
    assert not [
        path
        for path in (tmp_path / "home").rglob("*")
        if path.is_file() and CANARY.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_without_a_token_nobody_else_is_listened_to(host: str, tmp_path: Path) -> None:
    process = started(tmp_path / "home", "--host", host)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2 and "SHISHO_TOKEN" in err and not out


EXAMPLES = 50 if LONG else 3  # of each operation in each mode
STREAMS = ("task_events", "answer_events")
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


@pytest.mark.slow
def test_no_request_made_from_the_document_breaks_the_server(server: str) -> None:
    """Schemathesis, bounded: right requests and wrong ones for every operation but the endless streams,
    sixteen times as many in the long form. Waits are cut short."""
    schema = schemathesis.openapi.from_url(f"{server}/api/v1/openapi.json")
    tried: Counter[str] = Counter()
    for operation in (each.ok() for each in schema.get_all_operations()):
        for mode in MODES if operation.definition.raw["operationId"] not in STREAMS else ():
            _tried(operation, mode, tried)
    assert len(tried) == len(ROUTES) + 13 and tried.total() >= 25 * EXAMPLES, tried


def _tried(operation: schemathesis.APIOperation, mode: GenerationMode, tried: Counter[str]) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )
    @given(operation.as_strategy(generation_mode=mode))
    def check(case: schemathesis.Case) -> None:
        for part in (case.query, case.body):
            if isinstance(part, dict) and isinstance(part.get("wait"), int | float):
                part["wait"] = 0
        response = case.call(timeout=PATIENCE)
        tried[operation.label] += 1
        assert response.status_code != 500, (case.as_curl_command(), response.text)
        if response.status_code >= 400:
            assert response.json()["ok"] is False and response.json()["code"]

    with suppress(Unsatisfiable):  # what takes no arguments cannot be called wrongly
        check()
