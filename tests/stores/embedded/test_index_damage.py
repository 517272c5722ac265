"""An index of vectors whose files are damaged is made anew, and says so once."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import Embedding, NewEmbedding
from shisho.domain.library import IndexDamage
from shisho.stores.embedded import dense_files
from tests.contracts.conftest import embedded_store
from tests.making import intake

WIDTH = 16
PASSAGES = 60
QUERY = Embedding(np.eye(1, WIDTH, dtype=np.float16).tobytes())


async def stock(folder: Path) -> None:
    given = intake("\n\n".join(f"第{number}段落。" for number in range(PASSAGES)))
    vectors = np.random.default_rng(1).normal(size=(len(given.passages), WIDTH))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    async with embedded_store(folder) as store:
        await store.shelf.put(given)
        await store.embeddings.put(
            [
                NewEmbedding(
                    passage.id,
                    hashlib.sha256(passage.text.encode()).digest()[:16],
                    Embedding(vector.astype(np.float16).tobytes()),
                )
                for passage, vector in zip(given.passages, vectors, strict=True)
            ]
        )


async def find(folder: Path) -> dict[PassageId, float]:
    async with embedded_store(folder) as store:
        return dict(
            await store.index.view(lambda view: view.find_nearest(QUERY, Scope(), 10, frozenset[PassageId]()))
        )


def fill_with_noise(file: Path) -> None:
    file.write_bytes(random.Random(file.name).randbytes(max(64, file.stat().st_size)))


def change_a_byte(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x55
    file.write_bytes(data)


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def remove(file: Path) -> None:
    file.unlink()


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    folder = tmp_path / "whole"
    folder.mkdir()
    asyncio.run(stock(folder))
    asyncio.run(find(folder))
    return folder


# one byte more or less of a number in the watermark makes another watermark
SPOILINGS = [(name, spoil) for name in dense_files.FILES for spoil in (change_a_byte, cut_in_half, remove)]


@pytest.mark.parametrize(
    ("name", "spoil"),
    [*SPOILINGS, *((name, fill_with_noise) for name in (dense_files.WATERMARK, *dense_files.FILES))],
)
def test_a_damaged_file_of_vectors_is_made_anew_and_said_once(
    whole: Path, caplog: pytest.LogCaptureFixture, name: str, spoil: Callable[[Path], None]
) -> None:
    wanted = asyncio.run(find(whole))
    assert len(wanted) == 10
    (folder,) = (whole / "vectors").iterdir()
    spoil(folder / name)
    caplog.clear()
    assert asyncio.run(find(whole)) == wanted
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(lines) == 1 and f"({name})" in lines[0], lines
    caplog.clear()
    assert asyncio.run(find(whole)) == wanted
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_many_vectors_are_looked_at_by_who_examines_alone(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = asyncio.run(find(whole))
    monkeypatch.setattr(dense_files, "LOOKED_AT", 0)
    (folder,) = (whole / "vectors").iterdir()
    change_a_byte(folder / "vectors")
    spoilt = tmp_path / "spoilt"
    shutil.copytree(whole, spoilt)
    assert len(asyncio.run(find(spoilt))) == 10

    async def examine() -> list[list[IndexDamage]]:
        async with embedded_store(whole) as store:
            return [[*await store.index.examine()] for _ in range(2)]

    assert asyncio.run(examine()) == [[IndexDamage(folder.name, "vectors", is_remade=True)], []]
    assert asyncio.run(find(whole)) == wanted
