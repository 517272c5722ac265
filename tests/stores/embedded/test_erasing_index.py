"""What a purge costs an index that is made anew: looks into the database by the thousand passages, not by the
document, and once for however many documents."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shisho.domain.corpus import DocumentId, Scope
from shisho.stores.embedded import lexical
from shisho.stores.embedded.connect import Database, T, Work
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.system.clock import SystemClock
from tests.making import intake


class CountingDatabase(Database):
    """It counts the looks of the threads that make an index."""

    looks = 0

    def snapshot(self, work: Work[T]) -> T:
        self.looks += 1
        return super().snapshot(work)


class Library:
    """A shelf with its index, which erases by making the index anew, as that of a home does."""

    def __init__(self, folder: Path) -> None:
        self.database = CountingDatabase(folder / "shisho.db")
        self.folder = folder / "lexical"
        self.index = LexicalIndex(self.folder, self.database)
        self.shelf = EmbeddedShelf(self.database, SystemClock(), self._erase)
        self.erasures = 0

    async def _erase(self) -> bool:
        self.erasures += 1
        await self.index.catch_up()
        return True

    async def put(self, *numbers: int, passages: int = 1) -> list[DocumentId]:
        documents = [
            intake(
                "\n\n".join(f"統計の第{number}回{part}。" for part in range(passages)), source=f"{number}.txt"
            )
            for number in numbers
        ]
        for document in documents:
            await self.shelf.put(document)
        await self.index.catch_up()
        return [document.document.id for document in documents]

    async def propose(self) -> list[str]:
        names = await self.index.view(lambda view: view.propose(("統計",), (), Scope(), 1_000, frozenset()))
        passages = await self.shelf.fetch_passages(names)
        return [passages[name].text.strip() for name in names]

    async def count_looks_of_a_purge(self, *names: DocumentId) -> int:
        before = self.database.looks
        await self.shelf.remove(*names, purge=True)
        return self.database.looks - before


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    library = Library(tmp_path)
    yield library
    await library.index.close()
    await library.database.close()


async def test_a_purge_looks_as_often_into_a_library_of_ten_times_as_many_documents(library: Library) -> None:
    few = await library.put(*range(12))
    of_few = await library.count_looks_of_a_purge(few[3])
    many = await library.put(*range(12, 120))
    assert await library.count_looks_of_a_purge(many[30]) == of_few
    assert len(await library.propose()) == 118


async def test_several_documents_are_erased_by_making_an_index_anew_once(library: Library) -> None:
    names = await library.put(*range(40))
    of_one = await library.count_looks_of_a_purge(names[0])
    assert await library.count_looks_of_a_purge(*names[1:30]) == of_one
    assert library.erasures == 2
    assert len(await library.propose()) == 10


async def test_an_index_that_is_made_anew_in_parts_has_each_passage_once_and_none_that_is_dead(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical, "ENTRIES", 4)  # some are read alone, some together
    names = [*await library.put(1, 2, passages=4), *await library.put(3, 4, passages=3)]
    (name,) = await library.put(5, passages=9)
    await library.shelf.remove(names[1], purge=False)
    before = await library.propose()
    await library.shelf.remove(name, purge=True)
    kept = [text for text in before if "第5回" not in text]
    assert sorted(await library.propose()) == sorted(kept) and len(kept) == 10
    segments = json.loads(next(library.folder.glob("*/meta.json")).read_text("utf-8"))["segments"]
    assert sum(segment["max_doc"] for segment in segments) == 10, "a deleted entry is no entry of a segment"
    assert not any(segment["deletes"] for segment in segments)
