"""A home that cannot be used: every way in says so in one typed sentence, nothing is taken into it, and what
can be read is."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from shisho.bootstrap.library import build_library, open_library
from shisho.errors import Conflict, ShishoError, StorageUnusable
from shisho.interfaces.cli.app import app
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.server import build
from shisho.interfaces.mcp.server import build as build_mcp
from shisho.services import Library
from shisho.settings import load
from tests.faults.children import LONG
from tests.flows.smallweb import small_web, way
from tests.interfaces.serving import empty_box
from tests.making_homes import SPOILT, TEXT, furnish, mount, mounted, scribble, spoilt

# Of so many pages one is spoilt, and of those so many the doctor looks at one: he starts processes.
ONE_PAGE_OF, ONE_LOOK_OF = (3, 3) if LONG else (13, 7)
TYPED = ("STORAGE_UNUSABLE", "CONFLICT")
READS = [["list"], ["search", "灯台"], ["show", "灯台.txt"]]
WRITES = [
    ["add", "{file}"],
    ["remove", "灯台.txt"],
    ["queue", "add", "灯台"],
    ["ask", "灯台の高さは何メートルか"],
    ["worker", "--drain"],
]
OTHERS = [["queue", "status"], ["jobs", "last"], ["auth", "list"], ["engines"], ["export"]]


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    await furnish(folder)
    return folder


def said(home: Path, *words: str) -> tuple[int, str]:
    """What a command of the shell ends with and prints."""
    outside = {"SHISHO_WEB": "on", "SHISHO_BOX": str(empty_box())}
    result = CliRunner().invoke(app, ["--home", str(home), "--language", "en", *words], env=outside)
    assert result.exception is None or isinstance(result.exception, SystemExit), (words, result.exception)
    assert "Traceback" not in result.output and "report" not in result.output
    return result.exit_code, result.output


@pytest.mark.slow
@pytest.mark.parametrize("how", SPOILT if LONG else SPOILT[::2])
def test_every_command_says_it_in_one_sentence(home: Path, tmp_path: Path, how: str) -> None:
    file = tmp_path / "new.txt"
    file.write_text(TEXT + "新しい。", "utf-8")
    with spoilt(home, how):
        for command in WRITES + ([] if how == "read-only" else READS):
            code, printed = said(home, *(word.format(file=file) for word in command))
            assert code == 1 and printed.startswith(TYPED), (command, code, printed)
            assert len(printed.splitlines()) == 1 and printed.rstrip().endswith((".", "more.")), printed
        for command in OTHERS:
            code, printed = said(home, *command)
            assert code in (0, 1), (command, printed)
        code, printed = said(home, "doctor", "--json")
        checks = {check["name"]: check for check in json.loads(printed)}
        assert code == 1 and not checks["database"]["ok"] and checks["tokenizer"]["ok"]
        if how == "read-only":
            for command in READS:
                code, printed = said(home, *command)
                assert code == 0 and "灯台" in printed


@asynccontextmanager
async def served(library: Library) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=build(library, AccessRules()), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


@pytest.mark.parametrize("how", SPOILT if LONG else SPOILT[1::2])
async def test_servers_are_not_ready_and_take_nothing(home: Path, how: str) -> None:
    with spoilt(home, how):
        opened = open_library(home=home, web_access=way(small_web()))
        async with opened as library, library.working(), served(library) as client:
            ready = await client.get("/readyz")
            assert (ready.status_code, ready.json()["code"]) == (503, "STORAGE_UNUSABLE")
            assert (await client.get("/livez")).status_code == 200
            handed = {"files": [{"name": "new.txt", "base64": "5paw44GX44GE44CC"}]}
            for path, body in (
                ("/api/v1/searches", {"queries": ["灯台"]}),
                ("/api/v1/tasks", {"question": "灯台は"}),
            ):
                reply = await client.post(path, json=body)
                assert (reply.status_code, reply.json()["code"]) == (503, "STORAGE_UNUSABLE"), reply.text
            searched = await client.post("/api/v1/passages/search", json={"keyword_query": ["灯台"]})
            assert searched.status_code == (200 if how == "read-only" else 503), searched.text
            server = build_mcp(library)
            for tool, arguments in (("add_documents", handed), ("queue_searches", {"queries": ["灯台"]})):
                said_ = await told_by(server, tool, arguments)
                assert said_["code"] == "STORAGE_UNUSABLE", said_


async def told_by(server: Any, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await server.call_tool(tool, arguments)
    body: dict[str, Any] = json.loads(result.content[0].text)
    return body


@pytest.mark.slow
async def test_noise_in_any_page_gives_typed_errors_and_no_job_is_taken(home: Path) -> None:
    """Page by page: each verb answers or says what is wrong, and once damage is known nothing is written."""
    whole = (home / "shisho.db").read_bytes()
    refused = 0
    answered = 0
    for page in range(0, len(whole) // 4096, ONE_PAGE_OF):
        for left in home.glob("shisho.db*"):  # noqa: ASYNC240
            left.unlink()
        (home / "shisho.db").write_bytes(whole)
        scribble(home / "shisho.db", page, seed=page)
        library = build_library(load(home=home))
        is_looked_at = page % (ONE_PAGE_OF * ONE_LOOK_OF) == 0
        verbs = (
            lambda library=library: library.documents.list(),
            lambda library=library: library.documents.search(["灯台"]),
            lambda library=library: library.show("灯台.txt"),
            *((lambda library=library: library.run_checks(),) if is_looked_at else ()),
        )
        for verb in verbs:
            try:
                await verb()
                answered += 1
            except ShishoError:
                refused += 1
        try:
            await library.tasks.create("灯台の高さは")
        except (StorageUnusable, Conflict):
            refused += 1
        else:
            assert not is_looked_at or "ok" in str(await library.run_checks()), page
            rows = await library.tasks.list()
            assert len(rows.tasks) == 1
        await library.close()
    print(f"{len(whole) // 4096} pages, one of {ONE_PAGE_OF} spoilt: {answered} answered, {refused} refused")
    assert answered and refused


async def test_damage_that_is_met_later_stops_all_writing(home: Path) -> None:
    async with open_library(home=home) as library:
        await library.tasks.create("前")
        database = home / "shisho.db"
        for page in range(1, database.stat().st_size // 4096):
            scribble(database, page, seed=page)
        async with open_library(home=home) as other:
            with pytest.raises(StorageUnusable, match=r"damaged.*backup"):
                await other.documents.search(["灯台"])
            with pytest.raises(StorageUnusable, match="damaged"):
                await other.tasks.create("後")
            with pytest.raises(StorageUnusable, match="damaged"):
                await other.check_ready()


async def test_a_home_that_can_be_written_again_is_used_again(home: Path) -> None:
    with mounted(home, "bind", "--bind", str(home)):
        mount("-o", "remount,ro,bind", str(home))
        async with open_library(home=home) as library:
            with pytest.raises(StorageUnusable, match="can't be written"):
                await library.tasks.create("前")
            assert len(await library.documents.search(["灯台"])) > 0
            mount("-o", "remount,rw,bind", str(home))
            await library.check_ready()
            await library.tasks.create("後")
            assert len(await library.documents.search(["灯台"])) > 0


async def test_a_full_disk_is_said_and_what_is_there_is_found(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with mounted(home, "-t", "tmpfs", "-o", "size=6m", "none"):
        await furnish(home)
        ballast = home / "staging"
        fill(ballast)
        async with open_library(home=home) as library:
            with pytest.raises(Conflict, match="disk is full"):
                await library.tasks.create("前")
            assert len(await library.documents.search(["灯台"])) > 0
            code = 0
            printed = str(await library.run_checks())
            assert "disk is full" in printed and code == 0
            ballast.unlink()
            await library.tasks.create("後")


async def test_a_server_on_a_full_disk_is_not_ready(tmp_path: Path) -> None:
    """A page of the database would still find room; what a visitor hands in would not."""
    home = tmp_path / "home"
    home.mkdir()
    with mounted(home, "-t", "tmpfs", "-o", "size=6m", "none"):
        await furnish(home)
        ballast = home / "staging"
        async with open_library(home=home) as library, served(library) as client:
            assert (await client.get("/readyz")).status_code == 200
            fill(ballast)
            with ballast.open("r+b") as file:
                file.truncate(ballast.stat().st_size - (1 << 19))
            ready = await client.get("/readyz")
            assert (ready.status_code, ready.json()["code"]) == (503, "CONFLICT"), ready.text
            assert "disk is full" in ready.json()["message"]
            assert (await client.get("/livez")).status_code == 200
            ballast.unlink()
            assert (await client.get("/readyz")).status_code == 200


@pytest.mark.parametrize("room", [0, 1, 2, 4, 8])
async def test_a_full_disk_is_searched_though_its_index_was_never_made(tmp_path: Path, room: int) -> None:
    """`room`: the pages of memory that are left, so that the index is broken off at one file or another."""
    home = tmp_path / "home"
    home.mkdir()
    with mounted(home, "-t", "tmpfs", "-o", "size=6m", "none"):
        await furnish(home)
        shutil.rmtree(home / "lexical")
        spare = home / "spare"
        spare.write_bytes(bytes(room << 12))
        fill(home / "staging")
        spare.unlink()
        async with open_library(home=home) as library:
            assert len(await library.documents.search(["灯台"])) > 0
            assert "delete it" not in str(await library.run_checks())


def fill(ballast: Path) -> None:
    """Leave no byte free."""
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue


@pytest.mark.parametrize(("mode", "expected"), [(0o755, "灯台"), (0o700, "STORAGE_UNUSABLE")])
def test_a_home_without_the_right_to_it_is_said(mode: int, expected: str) -> None:
    """As a user who may not write, and as one who may not look inside."""
    if sys.platform == "win32" or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with TemporaryDirectory() as outer:
        home = Path(outer, "home")
        asyncio.run(furnish(home))
        reveal(Path(outer))
        home.chmod(mode)
        code, printed = as_nobody(home, "list")
    assert expected in printed and (code == 0) == (mode == 0o755), printed


def reveal(folder: Path) -> None:
    """To everyone, whatever is in it."""
    for file in (folder, *folder.rglob("*")):
        file.chmod(0o755 if file.is_dir() else 0o644)


def as_nobody(home: Path, *words: str) -> tuple[int, str]:
    said(home, "settings")  # what is imported late is there then
    os.seteuid(65534)
    try:
        return said(home, *words)
    finally:
        os.seteuid(0)


async def test_a_home_is_its_owners_alone(home: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows keeps homes private by itself")

    def modes() -> dict[str, int]:
        files = [home, *home.glob("shisho.db*"), *(home / name for name in ("lexical", "staging", "workers"))]
        return {file.name: stat.S_IMODE(file.stat().st_mode) for file in files if file.exists()}

    for earlier in (None, 0o755):
        if earlier is not None:
            reveal(home)
        async with open_library(home=home) as library, library.working():
            await library.tasks.create("前")
            held = modes()
        assert {
            "shisho.db",
            "shisho.db-wal",
            "shisho.db-shm",
            "shisho.db.lock",
            "home",
            "lexical",
        } <= held.keys()
        wrong = {name: oct(mode) for name, mode in held.items() if mode & 0o077}
        assert not wrong


async def test_a_folder_that_holds_other_things_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o755)
    (folder / "report.txt").write_text("x")
    async with open_library(home=folder) as library:
        await library.tasks.create("前")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert stat.S_IMODE((folder / "shisho.db").stat().st_mode) == 0o600
