"""Damaged files beside the database: an index is made anew by itself and said so in one line, and the doctor
names what it finds, whatever that is."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.interfaces.cli.app import app
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.server import build
from shisho.services import Library
from shisho.stores.embedded import lexical_files
from tests.faults.children import LONG
from tests.making_homes import furnish, mount, mounted

# what stands in them means nothing, or no more than that nothing is known
UNIMPORTANT = ("lock", ".tantivy-meta.lock", ".tantivy-writer.lock")


def fill_with_noise(file: Path) -> None:
    file.write_bytes(random.Random(file.suffix).randbytes(max(64, file.stat().st_size)))


def spoil_the_middle(file: Path) -> None:
    """What tantivy looks at when it opens a file stands at its end."""
    data = bytearray(file.read_bytes())
    half = max(1, len(data) - 140)
    data[:half] = random.Random(file.suffix).randbytes(half)
    file.write_bytes(data)


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def remove(file: Path) -> None:
    file.unlink()


SPOILINGS: list[Callable[[Path], None]] = [fill_with_noise, spoil_the_middle, cut_in_half, remove]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    asyncio.run(furnish(folder))
    return folder


async def find(home: Path) -> list[tuple[str, float]]:
    async with open_library(home=home) as library:
        return [(hit.passage, hit.score) for hit in await library.documents.search(["灯台"])]


def list_files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [file.relative_to(folder) for file in files if file.name not in UNIMPORTANT]


@pytest.mark.slow
@pytest.mark.parametrize("spoil", SPOILINGS, ids=lambda spoil: spoil.__name__)
async def test_an_index_with_a_damaged_file_is_made_anew_and_says_so_once(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, spoil: Callable[[Path], None]
) -> None:
    wanted = await find(home)
    whole = tmp_path / "whole"
    shutil.copytree(home, whole)
    files = list_files(home / "lexical")
    assert len(files) >= 8
    for file in files:
        shutil.rmtree(home)
        shutil.copytree(whole, home)
        spoil(home / "lexical" / file)
        caplog.clear()
        assert await find(home) == wanted, file
        lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        is_begun_anew = file.name == "watermark" and spoil is remove
        assert len(lines) == (0 if is_begun_anew else 1), (file, lines)
        assert all(f"({file})" in line or f"({file.parent})" in line for line in lines), (file, lines)
        caplog.clear()
        assert await find(home) == wanted
        assert not [record for record in caplog.records if record.levelno >= logging.WARNING], file


async def test_damage_that_a_search_meets_is_mended_too(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a large index no checksum is looked at when it is opened."""
    wanted = await find(home)
    monkeypatch.setattr(lexical_files, "LOOKED_AT", 0)
    (words,) = (home / "lexical").rglob("*.term")
    spoil_the_middle(words)
    assert await find(home) == wanted
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(lines) == 1 and words.name in lines[0]


async def test_others_that_have_the_index_open_go_on(home: Path) -> None:
    async with open_library(home=home) as first, open_library(home=home) as second:
        before = len(await first.documents.search(["灯台"]))
        fill_with_noise(home / "lexical" / "watermark")
        async with open_library(home=home) as third:
            assert len(await third.documents.search(["灯台"])) == before
        for number, library in enumerate((first, second, first)):
            await library.documents.add_source(Source(f"新{number}.txt", f"新しい灯台{number}。".encode()))
            for other in (first, second):
                sources = {hit.source for hit in await other.documents.search(["新しい灯台"])}
                assert {f"新{earlier}.txt" for earlier in range(number + 1)} <= sources


@pytest.mark.slow
def test_an_index_that_cannot_be_written_is_made_in_memory_and_the_doctor_says_so(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wanted = asyncio.run(find(home))
    fill_with_noise(home / "lexical" / "watermark")
    with mounted(home, "bind", "--bind", str(home)):
        mount("-o", "remount,ro,bind", str(home))
        assert asyncio.run(find(home)) == wanted
        lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        assert len(lines) == 1 and "built in memory" in lines[0]
        check = examine(home)["index"]
        assert not check["ok"] and "lexical/watermark" in check["detail"] and "delete it" in check["remedy"]


def examine(home: Path) -> dict[str, dict[str, Any]]:
    """The checks of the doctor, by their names."""
    result = run_doctor(home, "en", "--json")
    return {check["name"]: check for check in json.loads(result.stdout)}


def run_doctor(home: Path, language: str, *words: str, **environment: str) -> Any:
    result = CliRunner().invoke(
        app, ["--home", str(home), "--language", language, "doctor", *words], env=environment
    )
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result


@pytest.mark.slow
def test_the_doctor_sees_damage_of_the_index_and_mends_it(home: Path) -> None:
    wanted = asyncio.run(find(home))
    spoil_the_middle(next((home / "lexical").rglob("*.fieldnorm")))
    check = examine(home)["index"]
    assert check["ok"] and "fieldnorm was damaged, and the index was rebuilt" in check["detail"]
    again = examine(home)["index"]
    assert again["ok"] and "damaged" not in again["detail"]
    assert asyncio.run(find(home)) == wanted


SETTINGS = {
    "noise": random.Random(1).randbytes(200),
    "no TOML": b"reader_seconds = = 5\n",
    "no setting": b"reader_secnods = 5\n",
    "no number": b'reader_seconds = "soon"\nworkers = "many"\n',
}


@pytest.mark.slow
@pytest.mark.parametrize("how", SETTINGS if LONG else ("noise", "no number"))
def test_the_doctor_survives_settings_that_cannot_be_read(tmp_path: Path, how: str) -> None:
    (tmp_path / "settings.toml").write_bytes(SETTINGS[how])
    for language, words in (
        ("en", "fix it, or move it away"),
        ("ja", "修正するか、別の場所へ移してください"),
    ):
        result = run_doctor(tmp_path, language)
        assert result.exit_code == 1 and words in result.stdout.replace("\n", ""), result.output
    result = run_doctor(tmp_path, "en", "--json")
    checks = {check["name"]: check for check in json.loads(result.stdout)}
    assert not checks["settings"]["ok"] and checks["database"]["ok"] and checks["index"]["ok"]
    if how == "no number":
        assert "reader_seconds" in checks["settings"]["detail"] and "workers" in checks["settings"]["detail"]
    other = CliRunner().invoke(app, ["--home", str(tmp_path), "list"])
    assert other.exit_code == 2 and other.stderr.startswith("INVALID_PARAMS")


@pytest.mark.slow
def test_the_doctor_survives_an_environment_that_cannot_be_read(tmp_path: Path) -> None:
    result = run_doctor(tmp_path, "en", "--json", SHISHO_WORKERS="many")
    checks = {check["name"]: check for check in json.loads(result.stdout)}
    assert result.exit_code == 1 and "workers" in checks["settings"]["detail"] and checks["database"]["ok"]


@pytest.mark.parametrize(
    "written",
    [random.Random(2).randbytes(99), b"top = 1\n", b"[nobody]\nx = 1\n"],
    ids=["noise", "no table", "no engine"],
)
def test_the_doctor_survives_engines_that_cannot_be_read(tmp_path: Path, written: bytes) -> None:
    (tmp_path / "engines.toml").write_bytes(written)
    result = run_doctor(tmp_path, "en", "--json")
    checks = {check["name"]: check for check in json.loads(result.stdout)}
    assert result.exit_code == 1 and not checks["engines"]["ok"] and checks["settings"]["ok"]
    assert "engines.toml" in checks["engines"]["detail"] + checks["engines"]["remedy"]


@pytest.mark.slow
def test_the_doctor_survives_noise_in_any_file_of_the_home(home: Path, tmp_path: Path) -> None:
    asyncio.run(make_key(home))
    for name in (
        "settings.toml",
        "engines.toml",
        "web_consent.local",
        "staging/x",
        "models/a/b/manifest.json",
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("", "utf-8")
    whole = tmp_path / "whole"
    shutil.copytree(home, whole)
    files = [file for file in list_files(home) if file.parts[0] != "lexical"]
    assert len(files) >= 8
    for file in files:
        shutil.rmtree(home)
        shutil.copytree(whole, home)
        fill_with_noise(home / file)
        checks = examine(home)
        assert checks["tokenizer"]["ok"], file
        if file.name == "shisho.db":
            assert not checks["database"]["ok"]


async def make_key(home: Path) -> None:
    async with open_library(home=home) as library:
        await library.proofs.make_key()


@pytest.mark.slow
async def test_what_stands_in_the_homes_files_is_told_to_its_owner_alone(
    library: Library, desk_home: Path
) -> None:
    (desk_home / "settings.toml").write_text('token = 5\nunknown = "geheim"\n', "utf-8")
    for owner, status in ((None, 200), ("hanako", 403)):
        their = library if owner is None else library.for_owner(owner)
        transport = httpx.ASGITransport(app=build(their, AccessRules()))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/v1") as client:
            reply = await client.get("/checks")
        assert reply.status_code == status
        assert ("unknown" in reply.text) == (owner is None)
