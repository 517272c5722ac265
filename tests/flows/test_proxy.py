"""Two servers of one PostgreSQL database behind Caddy, with the Caddyfile of `compose.yaml`."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.forkserver import ForkedCommand
from tests.interfaces.http.test_people import HELLO, speak
from tests.interfaces.serving import address, started
from tests.machine import PATIENCE
from tests.postgres import PostgresServer
from tests.shared import missing

CADDYFILE = Path(__file__).parents[2] / "deploy" / "compose" / "Caddyfile"
PEOPLE = {f"person{number}": f"canary-{number}" for number in range(6)}
OWNER = "canary-owner"
LISTING = {"name": "list_documents", "arguments": {}}
IN_A_ROW = 20


@dataclass(frozen=True)
class Cluster:
    """Two servers and the address before them."""

    url: str
    servers: dict[str, ForkedCommand]
    """By their own addresses."""

    @asynccontextmanager
    async def as_person(self, token: str = OWNER, url: str = "") -> AsyncIterator[httpx.AsyncClient]:
        """Through the proxy, or with `url` at one server."""
        headers = {"authorization": f"Bearer {token}"}
        base_url = f"{url or self.url}/api/v1"
        async with httpx.AsyncClient(base_url=base_url, headers=headers, timeout=PATIENCE) as client:
            yield client


@pytest.fixture
def cluster(postgres: PostgresServer, tmp_path: Path) -> Iterator[Cluster]:
    program = shutil.which("caddy")
    if program is None:
        missing("caddy is not installed (apt-get install caddy)")
    tokens = " ".join(f"{name}:{token}" for name, token in PEOPLE.items())
    with postgres.fresh() as store, ExitStack() as stack:
        settings = {
            "SHISHO_STORE": store,
            "SHISHO_TOKEN": OWNER,
            "SHISHO_TOKENS": tokens,
            "SHISHO_WORKERS": "1",
        }
        settings["SHISHO_BLOBS"] = str(tmp_path / "blobs")
        servers = {}
        for name in ("a", "b"):
            process = started(tmp_path / name, **settings)
            stack.callback(end, process)
            servers[address(process)] = process
        url = stack.enter_context(proxy(program, tmp_path, [*servers]))
        yield Cluster(url, servers)


def end(process: ForkedCommand) -> None:
    process.send_signal(signal.SIGCONT)
    process.kill()
    process.wait(PATIENCE)


@contextmanager
def proxy(program: str, folder: Path, servers: list[str]) -> Iterator[str]:
    """Caddy on the loopback alone, looking after its servers more often than in use."""
    text = CADDYFILE.read_text("utf-8")
    for old, new in (
        ("admin off", "admin off\n\tdefault_bind 127.0.0.1"),
        ("health_interval 5s", "health_interval 500ms"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    config = folder / "Caddyfile"
    config.write_text(text, "utf-8")
    url = f"http://127.0.0.1:{free_port()}"
    chosen = {
        "SHISHO_ADDRESS": url,
        "SHISHO_SERVERS": " ".join(server.removeprefix("http://") for server in servers),
    }
    homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(folder))
    command = [program, "run", "--adapter", "caddyfile", "--config", str(config)]
    with (folder / "caddy.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | homes | chosen)
    try:
        await_answer(url, process, folder / "caddy.log")
        yield url
    finally:
        process.kill()
        process.wait(PATIENCE)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def await_answer(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            if httpx.get(f"{url}/livez", timeout=PATIENCE).status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert process.poll() is None and time.monotonic() < ends, log.read_text("utf-8")[-2000:]
        time.sleep(0.05)


async def test_events_are_passed_on_as_they_come(cluster: Cluster) -> None:
    """Of what comes after the first event nothing is done before that was read."""
    async with cluster.as_person() as client:
        task = (await client.post("/tasks", json={"question": "問い"})).json()["task_id"]
        async with client.stream("GET", f"/tasks/{task}/events") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            lines = stream.aiter_lines()
            seen = [await next_status(lines)]
            upload = {"name": "覚書.txt", "task_id": task}
            await client.post("/documents/upload", params=upload, content="決定係数は指標である。".encode())
            while "completed" not in seen[-1]:
                seen.append(await next_status(lines))
    assert '"created"' in seen[0]


async def next_status(lines: AsyncIterator[str]) -> str:
    async with asyncio.timeout(PATIENCE):
        async for line in lines:
            if line.startswith("data: "):
                return line
    raise AssertionError("the stream has ended")


@pytest.mark.slow
async def test_a_session_of_mcp_stays_with_one_server(cluster: Cluster) -> None:
    holders = []
    for token in PEOPLE.values():
        async with cluster.as_person(token) as client:
            session = await opened(client)
            for _ in range(IN_A_ROW):
                assert (await speak(client, "tools/call", LISTING, session)).status_code == 200
        holders.append(await list_holders(cluster, token, session))
    assert [len(urls) for urls in holders] == [1] * len(PEOPLE)


async def test_a_frozen_server_is_left_out_until_it_answers_again(cluster: Cluster) -> None:
    frozen, others = next(iter(cluster.servers.items()))[1], list(cluster.servers)[1:]
    frozen.send_signal(signal.SIGSTOP)
    async with cluster.as_person() as client:
        await until_well(client)
        for _ in range(IN_A_ROW):
            assert (await client.get("/tasks")).status_code == 200
        assert (await client.post("/tasks", json={"question": "問い"})).status_code == 200
        frozen.send_signal(signal.SIGCONT)
        for url in others:
            cluster.servers[url].kill()
        await until_well(client)


async def test_a_killed_server_is_left_out_at_once_and_its_session_begins_anew(cluster: Cluster) -> None:
    async with cluster.as_person() as client:
        session = await opened(client)
        (holder,) = await list_holders(cluster, OWNER, session)
        cluster.servers[holder].kill()
        cluster.servers[holder].wait(PATIENCE)
        for _ in range(IN_A_ROW):
            assert (await client.get("/tasks")).status_code == 200
        assert await end_of_session(client, session) == 404, "which says: begin anew"
        again = await opened(client)
        assert (await speak(client, "tools/call", LISTING, again)).status_code == 200
        assert await list_holders(cluster, OWNER, again) == [url for url in cluster.servers if url != holder]


async def end_of_session(client: httpx.AsyncClient, session: str) -> int:
    """What is said of a session whose server is gone, once the proxy has seen that it is: a call that it had
    sent there on a connection it kept may have been begun, so that it is not sent to another (502)."""
    ends = time.monotonic() + PATIENCE
    while True:
        status = (await speak(client, "tools/call", LISTING, session)).status_code
        if status != 502 or time.monotonic() > ends:
            return status


async def opened(client: httpx.AsyncClient) -> str:
    """The id of a new session."""
    reply = await speak(client, "initialize", HELLO)
    assert reply.status_code == 200, reply.text
    return str(reply.headers["mcp-session-id"])


async def list_holders(cluster: Cluster, token: str, session: str) -> list[str]:
    """The servers that know a session."""
    holders = []
    for url, process in cluster.servers.items():
        if process.poll() is None:
            async with cluster.as_person(token, url) as client:
                if (await speak(client, "tools/call", LISTING, session)).status_code == 200:
                    holders.append(url)
    return holders


async def until_well(client: httpx.AsyncClient) -> None:
    """Until so many requests in a row were answered; one that waits for a server that is gone is given up."""
    row = 0
    async with asyncio.timeout(PATIENCE):
        while row < IN_A_ROW:
            try:
                row = row + 1 if (await client.get("/tasks", timeout=2)).status_code == 200 else 0
            except httpx.TimeoutException:
                row = 0
