"""The door of the HTTP server, by its rules and with the real guard around a small application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.datastructures import Headers

from shisho.errors import InvalidParams
from shisho.interfaces.http.guard import HEADERS, AccessRules, Guard
from tests.machine import PATIENCE

CANARY = "canary-7f3a9c"
OWN = "127.0.0.1:8765"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "library.example.jp", "10.0.0.1"])
def test_beyond_this_machine_only_with_a_token(host: str) -> None:
    with pytest.raises(InvalidParams, match="SHISHO_TOKEN"):
        AccessRules(host)
    assert AccessRules(host, token=CANARY)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.0.0.2"])
def test_this_machine_needs_none(host: str) -> None:
    assert AccessRules(host)


def test_a_name_from_outside_needs_a_token_too_since_a_proxy_may_stand_before_it() -> None:
    with pytest.raises(InvalidParams, match="SHISHO_TOKEN"):
        AccessRules(hosts=frozenset({"localhost", "library.example.jp"}))
    assert AccessRules(token=CANARY, hosts=frozenset({"library.example.jp"}))
    assert AccessRules(hosts=frozenset({"localhost"}))


@pytest.mark.parametrize(
    ("host", "bound", "known"),
    [
        (OWN, "127.0.0.1", True),
        ("localhost:8765", "127.0.0.1", True),
        ("LOCALHOST", "127.0.0.1", True),
        ("[::1]:8765", "::1", True),
        ("library.example.jp", "127.0.0.1", True),
        ("evil.example", "127.0.0.1", False),
        ("127.0.0.1.evil.example:8765", "127.0.0.1", False),
        ("evil.example:8765", "0.0.0.0", False),
        ("192.168.1.5:8765", "127.0.0.1", False),
        ("192.168.1.5:8765", "0.0.0.0", True),
        ("user@127.0.0.1", "127.0.0.1", True),
        ("", "127.0.0.1", False),
        ("[", "127.0.0.1", False),
        ("[::1", "127.0.0.1", False),
    ],
)
def test_hosts(host: str, bound: str, known: bool) -> None:
    rules = AccessRules(bound, token=CANARY, hosts=frozenset({"library.example.jp"}))
    refusal = rules.refusal("/livez", Headers({"host": host}))
    assert (refusal is None) is known and (known or refusal.status == 421)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("origin", "known"),
    [
        (None, True),
        (f"http://{OWN}", True),
        ("https://app.example", True),
        ("http://localhost:3000", False),
        ("http://evil.example", False),
        (f"http://{OWN}.evil.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_origins(origin: str | None, known: bool) -> None:
    rules = AccessRules(origins=frozenset({"https://app.example"}))
    headers = {"host": OWN, **({} if origin is None else {"origin": origin})}
    refusal = rules.refusal("/mcp", Headers(headers))
    assert (refusal is None) is known and (known or refusal.status == 403)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (f"Bearer {CANARY}", None),
        (f"bearer {CANARY}", None),
        (None, 401),
        ("Bearer ", 401),
        (f"Bearer {CANARY}x", 401),
        (f"Bearer {CANARY[:-1]}", 401),
        (f"Basic {CANARY}", 401),
        (CANARY, 401),
        ("Bearer あ", 401),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/api/v1/tasks", "/api/v1/openapi.json", "/livez/../mcp", "/"])
def test_tokens(sent: str | None, status: int | None, path: str) -> None:
    raw = [(b"host", OWN.encode()), *([] if sent is None else [(b"authorization", sent.encode())])]
    refusal = AccessRules(token=CANARY).refusal(path, Headers(raw=raw))
    assert (refusal.status if refusal else None) == status
    assert refusal is None or CANARY not in refusal.message


def test_health_needs_no_token() -> None:
    assert AccessRules(token=CANARY).refusal("/livez", Headers({"host": OWN})) is None


class Echo:
    """Gives back the size of what it was sent, and counts what reached it."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.calls += 1
        size = len((await receive())["body"])
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"max-age=5")]}
        )
        await send({"type": "http.response.body", "body": str(size).encode()})


@pytest.fixture
async def guarded() -> AsyncIterator[tuple[httpx.AsyncClient, Echo]]:
    echo = Echo()
    app = Guard(echo, AccessRules(body_bytes=1000, large={"/large": 5000}, body_seconds=0.2))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{OWN}") as client:  # type: ignore[arg-type]
        yield client, echo


async def test_bodies_are_bounded_by_what_came_not_by_what_was_said(
    guarded: tuple[httpx.AsyncClient, Echo],
) -> None:
    client, echo = guarded

    async def chunks(count: int) -> AsyncIterator[bytes]:
        for _ in range(count):
            yield b"x" * 100

    assert (await client.post("/a", content=b"x" * 1000)).text == "1000"
    assert (await client.post("/a", content=chunks(10))).text == "1000"
    assert (await client.post("/large", content=b"x" * 5000)).text == "5000"
    assert echo.calls == 3
    for path, content in (
        ("/a", b"x" * 1001),
        ("/a", chunks(11)),
        ("/a", chunks(10**6)),
        ("/large", b"x" * 5001),
    ):
        refused = await client.post(path, content=content)
        assert refused.status_code == 413 and refused.json()["code"] == "TOO_LARGE"
    assert echo.calls == 3


async def test_a_body_that_does_not_come_is_given_up(guarded: tuple[httpx.AsyncClient, Echo]) -> None:
    client, echo = guarded

    async def drip() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await asyncio.sleep(0.05)

    refused = await asyncio.wait_for(client.post("/a", content=drip()), PATIENCE)
    assert refused.status_code == 408 and refused.json()["code"] == "TIMEOUT" and echo.calls == 0


async def test_every_reply_carries_the_headers(guarded: tuple[httpx.AsyncClient, Echo]) -> None:
    client, _ = guarded
    for reply in (await client.post("/a"), await client.post("/a", headers={"host": "evil.example"})):
        assert HEADERS.keys() <= reply.headers.keys()
    assert (await client.post("/a")).headers["cache-control"] == "max-age=5"


async def test_web_sockets_are_closed(guarded: tuple[httpx.AsyncClient, Echo]) -> None:
    _, echo = guarded
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await Guard(echo, AccessRules())({"type": "websocket", "path": "/mcp", "headers": []}, None, send)  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close", "code": 1008}] and echo.calls == 0
