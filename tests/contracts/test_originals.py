"""What every place promises where originals and pictures of pages are kept."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from shisho.domain.viewing import PageImageKey
from shisho.errors import NotFound
from shisho.ports import Blobs, Originals, PageImages, Shelf
from shisho.stores.blob_folder import FolderBlobs
from shisho.stores.embedded.connect import EmbeddedQueryStore
from shisho.stores.originals import BlobOriginals, BlobPageImages, HaveText, have_text
from shisho.stores.postgres.connect import PostgresQueryStore
from tests.contracts.conftest import embedded_store, fresh_postgres
from tests.making import intake

MOST = 1_000


@dataclass(frozen=True)
class Kept:
    shelf: Shelf
    originals: Originals
    images: PageImages
    folder: Path | None


@pytest.fixture(params=["embedded", "postgres"])
async def kept(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Kept]:
    if request.param == "postgres":
        async with fresh_postgres() as store:
            texts = partial(have_text, PostgresQueryStore(store.database))
            yield kept_in(FolderBlobs(tmp_path), store.shelf, texts, None)
        return
    async with embedded_store(tmp_path) as store:
        texts = partial(have_text, EmbeddedQueryStore(store.database))
        yield kept_in(FolderBlobs(tmp_path), store.shelf, texts, tmp_path)


def kept_in(blobs: Blobs, shelf: Shelf, texts: HaveText, folder: Path | None) -> Kept:
    return Kept(shelf, BlobOriginals(blobs, texts), BlobPageImages(blobs, texts, MOST), folder)


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_bytes_come_back_by_their_hash(kept: Kept) -> None:
    name = hash_of(b"%PDF")
    assert not await kept.originals.has(name)
    with pytest.raises(NotFound):
        await kept.originals.get(name)
    for _ in range(2):
        await kept.originals.put(name, b"%PDF")
    assert (await kept.originals.get(name), await kept.originals.has(name)) == (b"%PDF", True)
    assert await kept.originals.measure_usage() == (1, 4)


@pytest.mark.parametrize("name", ["", "../shisho.db", "0" * 63, "G" * 64])
async def test_name_that_is_no_hash_reaches_nothing(kept: Kept, name: str) -> None:
    with pytest.raises(NotFound):
        await kept.originals.get(name)
    with pytest.raises(NotFound):
        await kept.originals.put(name, b"")


async def test_purge_erases_what_no_document_with_text_needs(kept: Kept) -> None:
    """Of two corpora with the same bytes both must be purged; what is on its way stays."""
    here, there, other = (
        intake("同じ。", corpus="a"),
        intake("同じ。", corpus="b"),
        intake("別の。"),
    )
    arriving = hash_of(b"on its way")
    for document in (here, there, other):
        await kept.shelf.put(document)
    for name in (here.document.sha256, other.document.sha256, arriving):
        await kept.originals.put(name, b"bytes")
    image = PageImageKey(here.document.sha256, 1, 320)
    await kept.images.put(image, b"picture")
    await kept.shelf.remove(here.document.id, purge=True)
    await kept.originals.erase_purged()
    await kept.images.erase_purged()
    assert await kept.originals.has(here.document.sha256)
    assert await kept.images.get(image) == b"picture"
    await kept.shelf.remove(there.document.id, purge=True)
    await kept.originals.erase_purged()
    await kept.images.erase_purged()
    assert not await kept.originals.has(here.document.sha256)
    assert await kept.images.get(image) is None
    assert await kept.originals.has(other.document.sha256)
    assert await kept.originals.has(arriving)


async def test_removed_document_keeps_its_original(kept: Kept) -> None:
    document = intake("墓石。")
    await kept.shelf.put(document)
    await kept.originals.put(document.document.sha256, b"bytes")
    await kept.shelf.remove(document.document.id, purge=False)
    await kept.originals.erase_purged()
    assert await kept.originals.has(document.document.sha256)


async def test_document_that_arrives_in_parts_keeps_its_original(kept: Kept) -> None:
    document = intake("部分。").document
    await kept.shelf.begin(document)
    await kept.originals.put(document.sha256, b"bytes")
    await kept.originals.erase_purged()
    assert await kept.originals.has(document.sha256)


async def test_pictures_stay_below_their_bound_and_the_latest_stay(kept: Kept) -> None:
    keys = [PageImageKey(hash_of(bytes([number])), 1, 320) for number in range(30)]
    for number, key in enumerate(keys):
        await kept.images.put(key, bytes(100))
        if kept.folder is not None:  # times of files that are told apart on every disk
            path = kept.folder / "page_images" / f"{key.sha256}-1-320.webp"
            os.utime(path, (number, number))
    left = [key for key in keys if await kept.images.get(key) is not None]
    assert 100 * len(left) <= MOST
    assert left and left == keys[-len(left) :]


@pytest.mark.parametrize("kept", ["embedded"], indirect=True)
async def test_files_are_their_owners_alone_and_crash_litter_goes(kept: Kept) -> None:
    assert kept.folder is not None
    folder = kept.folder / "originals"
    name = hash_of(b"%PDF")
    await kept.originals.put(name, b"%PDF")
    await kept.images.put(PageImageKey(name, 1, 320), b"picture")
    for path in (folder / name, *(kept.folder / "page_images").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    (folder / "half.new").write_bytes(b"%P")
    long_ago = time.time() - 7_200
    for path in folder.iterdir():
        os.utime(path, (long_ago, long_ago))
    await kept.originals.erase_purged()
    assert not list(folder.iterdir())
