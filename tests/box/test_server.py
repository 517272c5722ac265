"""The box as a server: its log, its speed, its end, and how another process finds it."""

from __future__ import annotations

import asyncio
import os
import signal
import ssl
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from shisho.domain.web import Request
from shisho.errors import InvalidParams
from shisho_box.client import BoxClient, connect
from shisho_box.log import read
from shisho_box.server import Box
from tests.box.conftest import Visitor, fetcher
from tests.machine import PATIENCE

TOPIC = "霧ヶ丘灯台"


async def test_every_request_is_in_the_log(visitor: Visitor) -> None:
    before = time.monotonic()
    await visitor.serp("mojeek", TOPIC)
    second = await visitor.serp("duckduckgo", TOPIC)
    await visitor.get("http://www.ndc-hanashi.example/ndc.html?x=1", {"Accept-Language": "ja"})
    first, form, page = visitor.box.log.requests
    assert (first.engine, first.text, first.page, first.status, first.note) == ("mojeek", TOPIC, 1, 200, "")
    assert first.cookies == {"lb": "ja", "arc": "none"} and first.query == {"q": TOPIC} and second.hits
    assert (form.method, form.form["q"], form.engine, form.page) == ("POST", TOPIC, "duckduckgo", 1)
    assert (page.scheme, page.host, page.path, page.query) == (
        "http",
        "www.ndc-hanashi.example",
        "/ndc.html",
        {"x": "1"},
    )
    assert page.headers["accept-language"] == "ja" and page.headers["user-agent"] == "Shisho/test"
    times = [stamp for entry in (first, form, page) for stamp in (entry.at, entry.ended)]
    assert times == sorted(times) and before < times[0] and times[-1] < time.monotonic()
    assert len(visitor.box.log.connections) == 3 and not visitor.box.log.silent


async def test_who_only_knocks_is_in_the_log_too(visitor: Visitor) -> None:
    for port in (visitor.box.ports.http, visitor.box.ports.https):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        await writer.wait_closed()
    async with asyncio.timeout(PATIENCE):
        while len(visitor.box.log.silent) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert [entry.scheme for entry in visitor.box.log.silent] == [
        "http",
        "https",
    ] and not visitor.box.log.requests


async def test_a_request_is_logged_before_its_answer(tmp_path: Path) -> None:
    async with Box(topics=1, pages=4, folder=tmp_path) as box:
        asking = asyncio.create_task(fetcher(box).fetch(Request("https://status.example/hang")))
        async with asyncio.timeout(PATIENCE):
            while not read(tmp_path / "log.jsonl").requests:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert [(entry.path, entry.status) for entry in read(tmp_path / "log.jsonl").requests] == [
            ("/hang", 0)
        ]
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    (held,) = box.log.requests
    assert held.status == 0 and held.ended > held.at
    assert read(tmp_path / "log.jsonl").requests == box.log.requests and not (tmp_path / "box.json").exists()


async def test_several_requests_on_one_connection(visitor: Visitor) -> None:
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", visitor.box.ports.https, ssl=visitor.box.ssl_context, server_hostname="www.mojeek.com"
    )
    for _ in range(3):
        writer.write(b"GET /robots.txt HTTP/1.1\r\nHost: www.mojeek.com\r\n\r\n")
        assert (await reader.readuntil(b"Disallow:\n")).startswith(b"HTTP/1.1 200")
    writer.close()
    await writer.wait_closed()
    assert len(visitor.box.log.connections) == 1 and len(visitor.box.log.requests) == 3


async def test_only_its_own_authority_vouches_for_it(visitor: Visitor) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        await asyncio.open_connection(
            "127.0.0.1",
            visitor.box.ports.https,
            ssl=ssl.create_default_context(),
            server_hostname="www.mojeek.com",
        )


async def test_two_hundred_requests_cost_a_second_of_computing(visitor: Visitor) -> None:
    """Over kept connections, client and server in one process on one core."""

    async def ask(number: int) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1",
            visitor.box.ports.https,
            ssl=visitor.box.ssl_context,
            server_hostname="www.mojeek.com",
        )
        for _ in range(number):
            writer.write(f"GET /search?q={quote(TOPIC)} HTTP/1.1\r\nHost: www.mojeek.com\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
            )
            await reader.readexactly(length)
        writer.close()
        await writer.wait_closed()

    before = time.process_time()
    await asyncio.gather(*(ask(100) for _ in range(4)))
    assert 400 / (time.process_time() - before) >= 200


async def test_another_process_finds_it_and_tells_it_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "box"
    command = [
        sys.executable,
        "-c",
        "from shisho.interfaces.cli.app import main; main()",
        "box",
        "--folder",
        str(folder),
        "--seed",
        "3",
    ]
    process = subprocess.Popen(  # noqa: ASYNC220
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "SHISHO_HOME": str(tmp_path)}
    )
    try:
        client = await _found(folder, process)
        asking = fetcher(client)
        url = "https://www.mojeek.com/search?q=lamp"
        await client.behave(engine="mojeek", status=503, times=1)
        assert [(await asking.fetch(Request(url))).status for _ in range(2)] == [503, 200]
        with pytest.raises(InvalidParams, match="captcha"):
            await client.behave(do="dance")
        await client.behave(status=418)
        await client.calm_down()
        await client.expire("duckduckgo")
        assert (await asking.fetch(Request("https://script.example/plain"))).status == 200
        assert [entry.status for entry in client.log.select("mojeek")] == [503, 200]
        assert len(client.log.requests) == len(client.log.connections) == 3
    finally:
        process.send_signal(signal.SIGINT)
        told, _ = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    assert process.returncode == 0 and str(folder) in told and not (folder / "box.json").exists()
    with pytest.raises(InvalidParams, match="shisho box"):
        connect(folder)


def test_without_the_package_the_command_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['shisho_box'] = None; from shisho.interfaces.cli.app import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "box"],
        capture_output=True,
        text=True,
        env={**os.environ, "SHISHO_HOME": str(tmp_path), "SHISHO_LANGUAGE": "en"},
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    assert "pip install -e packages/box" in done.stderr


async def _found(folder: Path, process: subprocess.Popen[str]) -> BoxClient:
    async with asyncio.timeout(PATIENCE):
        while not (folder / "box.json").exists():
            assert process.poll() is None
            await asyncio.sleep(0.05)
    return connect(folder)
