"""A backup that is put back beside indexes of a later state: everything in it is found, and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.services import Library
from tests.faults.children import LONG

LIGHT = Source("灯台.txt", "灯台とは、光で船を導く塔である。".encode())
WHALE = Source("鯨.txt", "鯨とは、海にすむ哺乳類である。".encode())
FOX = Source("狐.txt", "狐とは、野にすむ獣である。".encode())
ADDED = ((), (FOX,), (FOX, WHALE), (WHALE,))
TRIED = [("none", added) for added in ADDED] + [("use", added) for added in (ADDED if LONG else ADDED[2:3])]


async def found(library: Library, query: str) -> list[str]:
    return [Path(hit.source).name for hit in await library.documents.search(query)]


async def build(home: Path, embedder: str, backup: Path) -> None:
    """A backup that knows the light alone, of a home that goes on: the light is removed, a whale comes."""
    async with open_library(home=home, embedder=embedder) as library:
        light = await library.documents.add_source(LIGHT)
        await library.embeddings.embed()
        await library.documents.search("灯台")
        await library.backup(backup)
        await library.documents.remove(light.document_id)
        await library.documents.add_source(WHALE)
        await library.embeddings.embed()
        assert "鯨.txt" in await found(library, "鯨")


def put_back(home: Path, backup: Path) -> None:
    for old in home.glob("shisho.db*"):
        old.unlink()
    shutil.copyfile(backup, home / "shisho.db")


@pytest.mark.slow
@pytest.mark.parametrize(("embedder", "added"), TRIED)
async def test_all_that_a_backup_holds_is_found_when_it_is_put_back(
    tmp_path: Path, embedder: str, added: Sequence[Source], caplog: pytest.LogCaptureFixture
) -> None:
    home = tmp_path / "home"
    await build(home, embedder, tmp_path / "backup.db")
    put_back(home, tmp_path / "backup.db")
    async with open_library(home=home, embedder=embedder) as library:
        for source in added:  # with the numbers that the indexes have seen
            await library.documents.add_source(source)
        await library.embeddings.embed()
        names = {"灯台.txt", *(source.name for source in added)}
        for name in ("灯台.txt", "鯨.txt", "狐.txt"):
            assert (name in await found(library, name.removesuffix(".txt"))) is (name in names), name
    told = [record.getMessage() for record in caplog.records if "another state" in record.getMessage()]
    assert len(told) == 1
    caplog.clear()
    async with open_library(home=home, embedder=embedder) as library:
        assert "灯台.txt" in await found(library, "灯台")
    assert not caplog.records, "it is made anew once"


async def test_a_backup_knows_of_no_index_that_stands_elsewhere(tmp_path: Path) -> None:
    """It has gone on since, and would be taken for one that has come as far as the backup says."""
    home = tmp_path / "home"
    async with open_library(home=home, embedder="none") as library:
        await library.documents.add_source(LIGHT)
    with closing(apsw.Connection(str(home / "shisho.db"))) as connection:
        connection.execute(
            "INSERT INTO outer_indexes(name, generation, change, vector) VALUES ('words', 'g', 1, 0)"
        )
        connection.execute("INSERT INTO outer_words VALUES ('words', 1, 7, 1)")
    async with open_library(home=home, embedder="none") as library:
        await library.backup(tmp_path / "backup.db")
    for path, count in ((home / "shisho.db", 1), (tmp_path / "backup.db", 0)):
        with closing(apsw.Connection(str(path))) as connection:
            for table in ("outer_indexes", "outer_words"):
                assert connection.execute(f"SELECT count(*) FROM {table}").get == count
    for end in ("-wal", "-shm"):
        assert not (tmp_path / f"backup.db{end}").exists()
