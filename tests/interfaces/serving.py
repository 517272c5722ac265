"""Servers as processes of their own, and the official MCP client at their door."""

from __future__ import annotations

import asyncio
import atexit
import functools
import json
import os
import re
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import trustme
from mcp import Client, StdioServerParameters, stdio_client

from shisho.system.box import BoxPorts, announce_box
from tests import forkserver
from tests.machine import PATIENCE

SAMPLES = Path(__file__).parents[2] / "samples" / "lectures"
SHISHO = ("-m", "shisho")
Call = Callable[..., Awaitable[dict[str, Any]]]


class Refused(Exception):
    """A tool said no. `body` is what it said."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(f"{body['code']}: {body['message']}")
        self.body = body
        self.code = body["code"]


@functools.cache
def empty_box() -> Path:
    """The folder of a box that has no names: what is searched or fetched may be queued, and leads nowhere."""
    folder = Path(tempfile.mkdtemp(prefix="shisho-empty-box-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    announce_box(folder, BoxPorts(9, 9), (), trustme.CA().cert_pem.bytes().decode("ascii"))
    return folder


def environment(home: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "SHISHO_WEB": "on",
        "SHISHO_BOX": str(empty_box()),
        "SHISHO_MODELS_URL": "http://127.0.0.1:9",  # nobody: no made-up name of a model is asked of a hub
        "SHISHO_HOME": str(home),
        "SHISHO_LANGUAGE": "en",
        "SHISHO_ALLOWED_ROOTS": os.pathsep.join([str(SAMPLES), str(home.parent)]),
        "PYTHONUTF8": "1",
        **more,
    }


@contextmanager
def serving(home: Path, *words: str, **more: str) -> Iterator[str]:
    """`shisho serve` on a port the system chooses; gives its address, and ends it as Ctrl-C does."""
    process = started(home, *words, **more)
    try:
        yield address(process)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def started(home: Path, *words: str, **more: str) -> forkserver.ForkedCommand:
    return forkserver.start(["serve", "--port", "0", *words], environment(home, **more))


def address(process: forkserver.ForkedCommand) -> str:
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    if found is None:
        _, said = process.communicate(timeout=PATIENCE)
        raise AssertionError(f"the server did not start: {line}{said}")
    return found[0].rstrip("/")


def stdio(home: Path, **more: str) -> Any:
    """A transport that starts `shisho mcp` and ends it with the client."""
    program, *words = forkserver.command_line("mcp")
    return stdio_client(StdioServerParameters(command=program, args=words, env=environment(home, **more)))


@asynccontextmanager
async def calling(server: Any, mode: str = "auto") -> AsyncIterator[Call]:
    """Call tools by name. Gives their data, after checking that the text says the same; raises Refused."""
    async with Client(server, mode=mode) as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return data_of(await client.call_tool(tool, arguments))

        yield call


def data_of(result: Any) -> dict[str, Any]:
    said = json.loads(result.content[0].text)
    if result.is_error:
        assert said["ok"] is False and said["message"] and said["error_id"] and "details" in said
        raise Refused(said)
    assert said == result.structured_content
    return dict(said)


async def until_done(call: Call, task_id: str, seconds: float = 120) -> Mapping[str, Any]:
    """Poll as the prompt teaches, until the task has ended; gives the last status with all results."""
    results: dict[tuple[str, str], Any] = {}
    status = await call("get_status", task_id=task_id, wait=0)
    while True:
        results |= {(row.get("query", ""), row["url"]): row for row in status["results"]}
        if status["status"] in ("completed", "failed", "stopped", "waiting") and not status["more"]:
            return {**status, "results": list(results.values())}
        since = {} if status["more"] else {"since_revision": status["revision"]}
        status = await call("get_status", task_id=task_id, wait=20, cursor=status["cursor"], **since)


async def until_answered(call: Call, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Poll as the prompt teaches, until a question has its answer; gives the reply that has it."""
    async with asyncio.timeout(2 * PATIENCE):
        while not asked.get("answer"):
            asked = await call("get_answer", answer_id=asked["answer_id"], wait=20)
    return dict(asked)


def answered_over_http(client: httpx.Client, question: str, **more: Any) -> dict[str, Any]:
    """Ask and poll until the answer is there; gives the reply that has it."""
    asked = client.post("/answers", json={"question": question, **more}).raise_for_status().json()
    ends = time.monotonic() + 2 * PATIENCE
    while not asked.get("answer"):
        assert time.monotonic() < ends, "no answer has come"
        query = {"wait": 20}
        asked = client.get(f"/answers/{asked['answer_id']}", params=query).raise_for_status().json()
    return dict(asked)


def paper(folder: Path, number: int) -> Path:
    """A text of our own that takes a moment to take in."""
    folder.mkdir(exist_ok=True)
    lines = [
        f"第{number}巻{each}節。決定係数{each}は、{number * each}件の標本から求める。" for each in range(1500)
    ]
    path = folder / f"{number:02}.txt"
    path.write_text("\n\n".join(lines), "utf-8")
    return path
