"""A document too long for one transaction: every passage is a slice of its text, and one that is broken off
leaves nothing."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import apsw
import pytest

from shisho.bootstrap.library import open_library
from shisho.corpus.ingest import PART
from shisho.domain.corpus import IntakeStage, Source
from tests.inside import builder_of


def long_text(parts: float) -> bytes:
    """Paragraphs that are all different, in a few words, so that they are soon analysed."""
    lines = (f"第{number}項。" + f"棚{number}の本{number * 7}を読む。" * 24 for number in range(100_000))
    text = []
    size = 0
    while size < parts * PART:
        text.append(next(lines))
        size += len(text[-1])
    return "\n\n".join(text).encode()


def counted(home: Path, table: str) -> int:
    return int(
        apsw.Connection(str(home / "shisho.db"), flags=apsw.SQLITE_OPEN_READONLY)
        .execute(f"SELECT count(*) FROM {table}")
        .get
    )


async def test_passages_of_all_parts_are_slices_of_one_text(tmp_path: Path) -> None:
    data = long_text(1.6)
    told: list[tuple[IntakeStage, int, int]] = []
    source = Source("long.txt", data, "text/plain", notify=lambda *progress: told.append(progress))
    async with open_library(home=tmp_path) as library:
        receipt = await library.documents.add_source(source)
        assert receipt.document_id is not None and receipt.outcome == "added", receipt
        assert await library.documents.read_text(receipt.document_id) == data.decode()
        passages = await builder_of(library).stores.shelf.list_passages_of(receipt.document_id)
        assert (
            len(passages)
            == receipt.passages
            == (await library.documents.get(receipt.document_id)).passage_count
        )
        assert [passage.ordinal for passage in passages] == list(range(len(passages)))
        text = data.decode()
        stored = [(done, total) for stage, done, total in told if stage is IntakeStage.STORING]
        begun, (half, whole), end = stored
        assert begun == (0, whole)
        assert PART <= half < whole <= len(text) and end == (whole, whole)
        assert all(text[passage.start : passage.end] == passage.text for passage in passages)
        assert all(before.end + 2 >= after.start for before, after in pairwise(passages)), (
            "a gap between passages"
        )
        assert counted(tmp_path, "blocks") > 100 and counted(tmp_path, "arrivals") == 0
        (best, *_) = await library.documents.search(["棚1300の本9100"])
        assert "棚1300の" in best.text


@pytest.mark.slow
async def test_an_arrival_that_is_broken_off_leaves_nothing_and_the_next_goes_on(tmp_path: Path) -> None:
    source = Source("long.txt", long_text(1.2), "text/plain")
    async with open_library(home=tmp_path) as library:
        adding = asyncio.create_task(library.documents.add_source(source))
        while not await asyncio.to_thread(counted, tmp_path, "blocks"):
            pass
        adding.cancel()
        await asyncio.wait([adding])
        assert [counted(tmp_path, table) for table in ("blocks", "passages", "documents", "arrivals")] == [
            0,
            0,
            0,
            0,
        ]
        assert (await library.documents.add_source(source)).outcome == "added"
