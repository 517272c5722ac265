"""What compose.yaml starts, started here as processes with the same settings: one PostgreSQL, two servers
behind one address, three workers. The three stories go through it, and one server is killed in the middle.

It starts six processes and a database, which takes most of its time; there is no shorter way to see them
together."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from shisho_box.server import Box
from tests.faults.children import LONG
from tests.flows.boxed import QUICK
from tests.interfaces.serving import SAMPLES, SHISHO, address, environment, started
from tests.machine import PATIENCE
from tests.postgres import PostgresServer

TOKEN = "a-word-of-the-team"
QUESTION = "決定係数とは何か"
ENGINES = "[mojeek]\n" + "".join(f"{key} = {value}\n" for key, value in QUICK["mojeek"].items())
ENDED = ("completed", "failed", "stopped", "waiting")
# How often each job was claimed, and how it ended.
JOBS = "SELECT kind, state, attempt FROM jobs"


class Alternating:
    """A proxy before servers: each connection goes to the next of them that takes one."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._ports = [int(url.rpartition(":")[2]) for url in addresses]
        self._turns = count()
        self._flows: set[asyncio.Task[None]] = set()
        self.taken: list[int] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = next(self._turns)
        for turn in range(len(self._ports)):
            port = self._ports[(first + turn) % len(self._ports)]
            with suppress(OSError):
                upstream = await asyncio.open_connection("127.0.0.1", port)
                self.taken.append(port)
                await asyncio.gather(_flow(reader, upstream[1]), _flow(upstream[0], writer))
                return
        writer.close()


async def _flow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    writer.close()


@contextmanager
def process_ended(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE)


@asynccontextmanager
async def one_address(addresses: Sequence[str]) -> AsyncIterator[tuple[httpx.AsyncClient, Alternating]]:
    """A client of the servers, which asks again what it may ask again when a connection breaks."""
    proxy = Alternating(addresses)
    server = await asyncio.start_server(proxy, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    headers = {"authorization": f"Bearer {TOKEN}", "connection": "close"}
    async with (
        server,
        httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}/api/v1", headers=headers, timeout=PATIENCE
        ) as client,
    ):
        yield client, proxy


async def read(client: httpx.AsyncClient, path: str, **query: Any) -> dict[str, Any]:
    """Ask until it is answered: reading may be repeated."""
    while True:
        with suppress(httpx.TransportError):
            reply = await client.get(path, params=query)
            if reply.status_code not in (502, 503):
                assert reply.status_code == 200, reply.text
                return dict(reply.json())
        await asyncio.sleep(0.1)


async def sent(client: httpx.AsyncClient, path: str, key: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send with an idempotency key, so that it may be repeated too."""
    while True:
        with suppress(httpx.TransportError):
            reply = await client.post(path, json=body | {"idempotency_key": key})
            assert reply.status_code == 200, reply.text
            return dict(reply.json())
        await asyncio.sleep(0.1)


async def task_ended(client: httpx.AsyncClient, task_id: str) -> dict[str, Any]:
    while (status := await read(client, f"/tasks/{task_id}", wait=20))["status"] not in ENDED:
        pass
    return status


def settings_of(store: str, folder: Path, box: Box) -> dict[str, str]:
    """What compose.yaml sets, as far as it is not of containers."""
    return {
        "SHISHO_STORE": store,
        "SHISHO_BLOBS": str(folder / "blobs"),
        "SHISHO_TOKEN": TOKEN,
        "SHISHO_LOG_FORMAT": "json",
        "SHISHO_BOX": str(box.folder),
        "SHISHO_ROBOTS": "off",
    }


def home_of(folder: Path, name: str) -> Path:
    """A machine's own folder, with the engines that all have."""
    home = folder / name
    home.mkdir()
    (home / "engines.toml").write_text(ENGINES, "utf-8")
    return home


def worker(home: Path, **settings: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *SHISHO, "worker", "-n", "2"],
        env=environment(home, **settings),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="two servers and three workers take minutes: make faults")
async def test_the_stories_go_on_when_one_of_two_servers_is_killed(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    async with Box(seed=1, folder=tmp_path / "box") as box:
        with postgres.fresh() as store:
            settings = settings_of(store, tmp_path, box)
            command = [sys.executable, *SHISHO, "migrate"]
            migration = await asyncio.to_thread(
                subprocess.run,
                command,
                env=environment(home_of(tmp_path, "migrate"), **settings),
                check=False,
            )
            assert migration.returncode == 0
            servers = [
                started(home_of(tmp_path, f"server-{number}"), **settings, SHISHO_WORKERS="1")
                for number in (1, 2)
            ]
            workers = [worker(home_of(tmp_path, f"worker-{number}"), **settings) for number in (1, 2, 3)]
            with ExitStack() as processes:
                for process in (*servers, *workers):
                    processes.enter_context(process_ended(process))
                addresses = await asyncio.gather(*(asyncio.to_thread(address, server) for server in servers))
                await run_stories(addresses, servers[0], box)
            with psycopg.connect(store) as connection:
                jobs = connection.execute(JOBS).fetchall()
            assert {state for _, state, _ in jobs} == {"completed"}, jobs


async def run_stories(addresses: Sequence[str], victim: subprocess.Popen[str], box: Box) -> None:
    async with one_address(addresses) as (client, proxy):
        lecture = (SAMPLES / "01-regression.pdf").read_bytes()
        reply = await client.post("/documents/upload", params={"name": "講義.pdf"}, content=lecture)
        documents = await task_ended(client, reply.json()["task_id"])
        assert documents["status"] == "completed", documents

        queries = list(dict.fromkeys(question.topic for question in box.questions))[:4]
        options = {"engines": ["mojeek"], "serp_max_pages": 2, "max_results_per_query": 3}
        search = await sent(client, "/searches", "search", {"queries": queries, **options})
        status = await read(client, f"/tasks/{search['task_id']}", wait=0)
        assert status["status"] == "running", "it was over before a server could be killed in the middle"
        waiting = asyncio.create_task(task_ended(client, search["task_id"]))
        os.killpg(victim.pid, signal.SIGKILL)
        searched = await waiting
        assert searched["status"] == "completed" and searched["results"], searched

        begun = len(proxy.taken)
        asked = await sent(client, "/answers", "question", {"question": QUESTION})
        answer = asked
        while not answer.get("answer"):
            answer = await read(client, f"/answers/{asked['answer_id']}", wait=20)
        (evidence, *_) = answer["answer"]["evidence"]
        opened = await read(client, f"/evidence/{evidence['id']}")
        assert "決定係数" in evidence["snippet"] and opened
        assert set(proxy.taken[begun:]) == {int(addresses[1].rpartition(":")[2])}
        assert {int(url.rpartition(":")[2]) for url in addresses} == set(proxy.taken)
