"""The order in which parallel work ends changes no result: each test holds back what comes first."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.corpus.ingest import Ingest
from shisho.domain.corpus import FileSurvey, IntakeOutcome, Receipt, Source
from shisho.domain.folder import FileOnDisk
from shisho.domain.team import CorpusKey
from shisho.ports import Shelf
from shisho.services import Library
from shisho.services.adding import LARGE, FileIntake
from shisho.system import files
from tests.flows.boxed import output
from tests.flows.smallweb import QUERY, address, ended, page, small_web, way
from tests.inside import builder_of
from tests.machine import PATIENCE

HELD_S = 0.3  # how long something is held back for others that may pass it
TEXT = (
    "決定係数は、回帰モデルの当てはまりの良さを表す指標である。1に近いほど説明変数が目的変数をよく説明する。"
)


@dataclass
class HeldFiles:
    """The files of this machine; the first one waits until another was added, or nobody passes it."""

    passed: threading.Event = field(default_factory=threading.Event)
    read_paths: list[Path] = field(default_factory=list)

    def survey(self, paths: Iterable[Path]) -> FileSurvey:
        return files.survey(paths)

    def is_folder(self, path: Path) -> bool:
        return files.is_folder(path)

    def look(self, paths: Sequence[Path]) -> Sequence[FileOnDisk]:
        return files.look(paths)

    def read(self, path: Path, within: Path | None = None) -> bytes:
        self.read_paths.append(path)
        if path.name.startswith("0"):
            self.passed.wait(HELD_S)
        return path.read_bytes()


@dataclass
class Passing:
    """The library's own way in, which tells the held file when it was passed."""

    ingest: Ingest
    passed: threading.Event

    async def add(self, source: Source, corpus: str, owner: str) -> Receipt:
        receipt = await self.ingest.add(source, corpus, owner)
        self.passed.set()
        return receipt


async def take_in(library: Library, paths: Sequence[Path]) -> list[Receipt]:
    disk = HeldFiles()
    ingest: Any = Passing(builder_of(library).shared.ingest, disk.passed)  # type: ignore[arg-type]
    adding = FileIntake(disk, ingest, CorpusKey("local", "default"))
    return [receipt async for receipt in adding.add_files(paths)]


@pytest.mark.parametrize("size", [0, LARGE + 1])
async def test_of_files_with_equal_content_the_first_is_added(
    library: Library, tmp_path: Path, size: int
) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(4)]
    for path in paths:
        path.write_text(TEXT + "\n" * size, "utf-8")
    receipts = await take_in(library, paths)
    assert [receipt.source for receipt in receipts] == [str(path) for path in paths]
    assert [receipt.outcome for receipt in receipts] == [IntakeOutcome.ADDED, *[IntakeOutcome.KNOWN] * 3]
    (document,) = await library.documents.list()
    assert document.source == str(paths[0])


async def test_files_of_other_sizes_pass_one_that_is_read_slowly(library: Library, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_text(TEXT + "甲" * number, "utf-8")
    receipts = await take_in(library, paths)
    assert [receipt.source for receipt in receipts] == [str(path) for path in paths]


async def test_of_two_bibliographies_the_later_describes_a_document(library: Library, tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text(TEXT, "utf-8")
    entry = "@article{{a, title = {{決定係数}}, author = {{{author}}}, file = {{a.txt}}}}"
    for name, author in (("0.bib", "前の人"), ("1.bib", "後の人")):
        (tmp_path / name).write_text(entry.format(author=author), "utf-8")
    await take_in(library, [text])
    await take_in(library, [tmp_path / "0.bib", tmp_path / "1.bib"])
    (document,) = await library.documents.list()
    assert document.metadata["author"] == "後の人"


class Together:
    """The library's shelf, on which two look for near-duplicates before either stores anything."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._looked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shelf, name)

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Any]:
        found = await self._shelf.find_near_duplicates(owner, bands)
        self._looked += 1
        if self._looked == 1:
            await asyncio.sleep(HELD_S)
        return found


async def test_near_duplicates_that_come_at_once_share_a_cluster(library: Library) -> None:
    parts = builder_of(library)
    made: Any = parts.shared.ingest
    await made.add(Source("z.txt", "別の話である。".encode()), "default", "local")
    ingest = replace(made, shelf=Together(parts.stores.shelf))
    receipts = await asyncio.gather(
        *(
            ingest.add(Source(f"{number}.txt", (TEXT + "。" * number).encode()), "default", "local")
            for number in range(2)
        )
    )
    passages = [
        passage
        for receipt in receipts
        if receipt.document_id is not None
        for passage in await parts.stores.shelf.list_passages_of(receipt.document_id)
    ]
    assert len(passages) == 2
    assert len({passage.cluster for passage in passages}) == 1


@pytest.mark.parametrize("slow", [1, 2])
async def test_of_hits_with_equal_content_the_best_is_useful(tmp_path: Path, slow: int) -> None:
    web = small_web([1, 2, 3])
    web.pages = {**web.pages, address(2): page(1)}
    web.held = {address(slow): asyncio.Event()}

    async def release_the_slow_one(library: Library, task_id: str) -> None:
        async with asyncio.timeout(2 * PATIENCE):
            status = await library.tasks.get_status(task_id, wait=0)
            stored = {row.url for row in status.results if row.document_id}
            while len(stored) < 2:  # each status has only the results that are new
                status = await library.tasks.get_status(task_id, since_revision=status.revision)
                stored |= {row.url for row in status.results if row.document_id}
        web.held[address(slow)].set()

    async with open_library(home=tmp_path, web_access=way(web)) as library, library.working(1):
        queued = await library.tasks.queue_searches([QUERY])
        await release_the_slow_one(library, queued.task_id)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
    assert [hit["useful"] for hit in done["hits"]] == [True, False, True]
