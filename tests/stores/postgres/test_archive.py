"""A backup that was damaged on its way: it is said so, and the database stays empty."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.copying import restore_archive
from shisho.bootstrap.library import open_library
from shisho.bootstrap.shared import build_stores
from shisho.domain.corpus import Scope, Source
from shisho.errors import InvalidParams
from shisho.settings import load
from shisho.stores.postgres.archive import MANIFEST
from shisho.system.clock import SystemClock
from tests.postgres import PostgresServer

LARGEST = 6  # members that are written over, one after another


async def back_up(home: Path, store: str) -> bytes:
    """A backup with a document in it."""
    async with open_library(home=home, store=store, embedder="none") as library:
        await library.documents.add_source(Source("氷.txt", "樹氷は気泡を多く含むので白い。".encode()))
        await library.backup(home / "all.zip")
    return (home / "all.zip").read_bytes()


async def check_refused(file: Path, home: Path, store: str) -> None:
    with pytest.raises(InvalidParams, match=r"not a backup|damaged"):
        await restore_archive(load(home=home), file, store)
    stores = build_stores(load(home=home, store=store), None, SystemClock)
    assert await stores.shelf.count(Scope()) == 0
    await stores.close()


async def test_wherever_a_backup_is_written_over_it_is_refused(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """What is packed is no longer to be unpacked, or the database takes no row of it."""
    whole = await back_up(tmp_path, postgres.new_database())
    target = postgres.new_database()
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        members = [*archive.infolist()]
    file = tmp_path / "damaged.zip"
    largest = sorted(members, key=lambda member: member.compress_size)[-LARGEST:]
    for member in [*largest, archive.getinfo(MANIFEST)]:
        start = member.header_offset + 30 + len(member.filename) + 20
        damaged = bytearray(whole)
        for place in range(start + 4, start + max(6, member.compress_size // 2), 7):
            damaged[place] ^= 0x55
        file.write_bytes(damaged)
        await check_refused(file, tmp_path, target)


@pytest.mark.parametrize(
    "changed",
    [
        {"migrations": []},
        {"format": "shisho postgres 0"},
        {"tables": [{"name": "nowhere", "columns": ["a"], "sha256": "", "rows": 0}]},
    ],
)
async def test_a_list_of_contents_that_cannot_be_is_refused(
    changed: dict[str, Any], tmp_path: Path, postgres: PostgresServer
) -> None:
    await back_up(tmp_path, postgres.new_database())
    file = tmp_path / "changed.zip"
    with zipfile.ZipFile(tmp_path / "all.zip") as archive, zipfile.ZipFile(file, "w") as written:
        written.writestr(MANIFEST, json.dumps(json.loads(archive.read(MANIFEST)) | changed))
        written.writestr("tables/nowhere", b"")
    await check_refused(file, tmp_path, postgres.new_database())
