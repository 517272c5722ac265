"""A copy into a place where something is already: another library, or a copy whose source has gone on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shisho.bootstrap.copying import CopyReport, copy_library
from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.domain.task import Bytes
from shisho.errors import Conflict, InvalidParams, NotFound, SourceRemoved
from tests.flows.conftest import SAMPLES
from tests.flows.smallweb import finished
from tests.postgres import PostgresServer


async def copy_to(source: Path | str, target: Path | str) -> CopyReport:
    return await copy_library(str(source), str(target), lambda what, count: None)


@pytest.mark.parametrize("kind", ["embedded", "postgres"])
async def test_another_library_is_left_as_it_is(kind: str, tmp_path: Path, postgres: PostgresServer) -> None:
    """All of the source came among its documents, and of its own it forgot where they stand."""
    target = postgres.new_database() if kind == "postgres" else str(tmp_path / "target")
    place = {"store": target} if kind == "postgres" else {}
    note = tmp_path / "猫.txt"
    note.write_text("猫は眠る。", "utf-8")
    async with open_library(home=tmp_path / "source", embedder="none") as library:
        await library.documents.add_source(Source("犬.txt", "犬は走る。".encode()))
    async with open_library(home=tmp_path / "target", embedder="none", **place) as library:
        assert [receipt.outcome async for receipt in library.documents.add(note)] == ["added"]
    with pytest.raises(Conflict, match="documents of the target has rows that the source doesn't have"):
        await copy_to(tmp_path / "source", target)
    note.write_text("猫は駆ける。", "utf-8")
    async with open_library(home=tmp_path / "target", embedder="none", **place) as library:
        assert [document.title for document in await library.documents.list()] == ["猫"]
        assert [receipt.outcome async for receipt in library.documents.add(note)] == ["replaced"]
        assert [hit.text for hit in await library.documents.search("猫")] == ["猫は駆ける。"]


async def test_people_of_another_library_do_not_meet_its_documents(tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "source", embedder="none") as library:
        await library.documents.add_source(Source("犬.txt", "犬は走る。".encode()))
    async with open_library(home=tmp_path / "target", embedder="none") as library:
        await library.team.add_user("花子")
    with pytest.raises(Conflict, match="users of the target has rows"):
        await copy_to(tmp_path / "source", tmp_path / "target")
    async with open_library(home=tmp_path / "target", embedder="none") as library:
        assert await library.documents.list() == []


async def test_what_the_source_has_purged_removed_and_restored_since_is_so_in_the_copy(
    tmp_path: Path,
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    lecture = Bytes("回帰.pdf", (SAMPLES / "01-regression.pdf").read_bytes())
    notes = [Bytes(f"{name}.txt", f"{name}は第七書庫へ来る。".encode()) for name in ("兎", "狐")]
    async with open_library(home=source, embedder="none") as library, library.working(1):
        queued = await library.tasks.queue_documents(files=[lecture, *notes])
        await finished(library, queued.task_id)
        await library.tasks.remove(queued.task_id)
        ids = {document.source: document.id for document in await library.documents.list()}
        await library.documents.remove(ids["狐.txt"])
        await copy_to(source, target)
        assert files_of(target / "originals") == [lecture.data]
        await library.documents.remove(ids["回帰.pdf"], purge=True)
        await library.documents.remove(ids["兎.txt"])
        await library.documents.restore(ids["狐.txt"])
    await copy_to(source, target)
    async with open_library(home=target, embedder="none") as library:
        assert [document.title for document in await library.documents.list()] == ["狐"]
        assert [hit.text for hit in await library.documents.search("書庫")] == ["狐は第七書庫へ来る。"]
        with pytest.raises(SourceRemoved):
            await library.documents.read_text(ids["回帰.pdf"])
        assert (await library.documents.restore(ids["兎.txt"])).title == "兎"
    assert files_of(target / "originals") == []
    assert "決定係数" not in (target / "shisho.db").read_bytes().decode("utf-8", "replace")


def files_of(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.iterdir()]


async def test_a_grant_that_was_taken_back_since_is_none_in_the_copy(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    async with open_library(home=source, embedder="none") as library:
        await library.documents.add_source(Source("犬.txt", "犬は走る。".encode()))
        for name in ("花子", "太郎"):
            await library.team.add_user(name)
            await library.team.grant("default", name)
        await copy_to(source, target)
        await library.team.revoke("default", "花子")
        await copy_to(source, target)
    async with open_library(home=target, embedder="none") as library:
        assert [grant.grantee.name for grant in await library.team.list_grants()] == ["太郎"]


async def test_what_was_said_of_a_document_since_is_no_silent_difference(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    note = tmp_path / "犬.txt"
    note.write_text("犬は走る。", "utf-8")
    async with open_library(home=source, embedder="none") as library:
        assert [receipt.outcome async for receipt in library.documents.add(note)] == ["added"]
        await copy_to(source, target)
        async for _ in library.documents.add(note, metadata={"year": "2024"}):
            pass
        assert (await library.documents.list())[0].metadata["year"] == "2024"
    with pytest.raises(Conflict, match="document_meta"):
        await copy_to(source, target)


async def test_names_with_a_character_that_postgres_has_no_place_for_come_along(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    async with open_library(home=tmp_path, embedder="none") as library:
        await library.documents.add_source(Source("犬\0.txt", "犬とは走る動物である。".encode()), "動\0物")
        assert (await library.questions.ask("犬とは\0何か")).evidence
    store = postgres.new_database()
    for _ in range(2):
        assert (await copy_to(tmp_path, store)).copied["answers"] == 1
    async with open_library(home=tmp_path / "other", store=store, embedder="none") as library:
        assert [corpus.name for corpus in await library.documents.list_corpora()] == [
            "動\N{REPLACEMENT CHARACTER}物"
        ]
        assert (await library.questions.get("last")).evidence
        with pytest.raises(NotFound):
            await library.questions.get("nope")


@pytest.mark.parametrize("typed", ["Postgresql", "postgre", "mysql"])
async def test_a_mistyped_address_makes_no_folder(
    typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was taken for a path, the password in it too, and the library stood there."""
    monkeypatch.chdir(tmp_path)
    async with open_library(home=tmp_path / "home", embedder="none") as library:
        await library.documents.add_source(Source("犬.txt", "犬は走る。".encode()))
    address = f"{typed}://shisho:canary@db/shisho"
    for source, target in ((tmp_path / "home", address), (address, tmp_path / "home")):
        with pytest.raises(InvalidParams, match="begins with postgresql://") as refused:
            await copy_to(source, target)
        assert "canary" not in f"{refused.value} {dict(refused.value.details)}"
    assert os.listdir(tmp_path) == ["home"]  # noqa: PTH208
