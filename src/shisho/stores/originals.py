"""Files that have no path, and page images, as blobs.

Their names are hashes, which callers cannot choose.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from shisho.domain.viewing import PageImageKey
from shisho.errors import NotFound, ShishoError
from shisho.ports import Blobs
from shisho.stores.sql import QueryStore
from shisho.telemetry import log

ORIGINALS = "originals"
IMAGES = "page_images"
ORPHAN_S = 3_600.0  # age up to which a file without a document is kept: the document may be on its way
IMAGE_BYTES = 256 << 20  # total size of all page images
KEPT_SHARE = 0.8  # of that, after a cleanup
LOOK_AGAIN = 200  # images stored until all are counted again: other processes store some too
_HASH = re.compile(r"[0-9a-f]{64}")
_IMAGE = re.compile(rf"{IMAGES}/([0-9a-f]{{64}})-[0-9]{{1,6}}-[0-9]{{1,5}}\.webp")

# Select the hashes that any document has, and whether such a document has its text or is being added.
DOCUMENTS = """SELECT d.sha256, max(CASE WHEN d.state <> 'purged' OR a.document_id IS NOT NULL THEN 1 ELSE 0 END) AS has_text
    FROM documents d LEFT JOIN arrivals a ON a.document_id = d.id
    WHERE d.sha256 IN (SELECT value FROM json_each(:hashes)) GROUP BY d.sha256"""

HaveText = Callable[[Sequence[str]], Awaitable[Mapping[str, bool]]]
"""Select the hashes that any document has, and whether it has its text or is being added."""


async def have_text(store: QueryStore, hashes: Sequence[str]) -> Mapping[str, bool]:
    """Implement `HaveText` over a database."""
    rows = await store.read(lambda queries: queries.fetch(DOCUMENTS, {"hashes": [*hashes]}))
    return {row.sha256: bool(row.has_text) for row in rows}


class BlobOriginals:
    """`ports.Originals`: one blob for each file."""

    def __init__(self, blobs: Blobs, have_text: HaveText) -> None:
        self._blobs = blobs
        self._have_text = have_text

    async def put(self, sha256: str, data: bytes) -> None:
        await asyncio.to_thread(self._put, _format_original(sha256), data)

    async def has(self, sha256: str) -> bool:
        return await asyncio.to_thread(self._blobs.read_facts, _format_original(sha256)) is not None

    async def get(self, sha256: str) -> bytes:
        name = _format_original(sha256)
        with suppress(NotFound):
            return await asyncio.to_thread(self._blobs.get, name)
        raise NotFound("viewer.file_not_kept")

    async def measure_usage(self) -> tuple[int, int]:
        sizes = [blob.size for blob in await asyncio.to_thread(self._blobs.list, ORIGINALS)]
        return len(sizes), sum(sizes)

    async def erase_purged(self) -> None:
        blobs = await asyncio.to_thread(self._blobs.list, ORIGINALS)
        hashes = {blob.name: blob.name.rpartition("/")[2] for blob in blobs}
        have_text = await self._have_text([*hashes.values()]) if hashes else {}
        now = time.time()
        for blob in blobs:  # includes files that a crash left incomplete
            sha256 = hashes[blob.name]
            is_orphan = sha256 not in have_text and now - blob.at > ORPHAN_S
            if is_orphan or have_text.get(sha256) is False:
                await asyncio.to_thread(self._blobs.drop, blob.name)

    def _put(self, name: str, data: bytes) -> None:
        blob = self._blobs.read_facts(name)
        # its document is on its way: refresh its time, so that it does not count as an orphan
        if blob is not None and blob.size == len(data) and self._blobs.touch(name):
            return
        self._blobs.put(name, data)


class BlobPageImages:
    """`ports.PageImages` of about `most` bytes; the least recently used are deleted first."""

    def __init__(self, blobs: Blobs, have_text: HaveText, most: int = IMAGE_BYTES) -> None:
        self._blobs = blobs
        self._have_text = have_text
        self._most = most
        self._total = 0
        self._stored = 0

    async def get(self, key: PageImageKey) -> bytes | None:
        return await asyncio.to_thread(self._get, _format_image(key))

    async def put(self, key: PageImageKey, data: bytes) -> None:
        await asyncio.to_thread(self._put, _format_image(key), data)

    async def erase_purged(self) -> None:
        blobs = await asyncio.to_thread(self._blobs.list, IMAGES)
        images = {blob.name: match[1] for blob in blobs if (match := _IMAGE.fullmatch(blob.name))}
        have_text = await self._have_text(sorted(set(images.values()))) if images else {}
        for name, sha256 in images.items():
            if not have_text.get(sha256):
                await asyncio.to_thread(self._blobs.drop, name)

    def _get(self, name: str) -> bytes | None:
        try:
            data = self._blobs.get(name)
        except ShishoError:
            return None
        self._blobs.touch(name)
        return data

    def _put(self, name: str, data: bytes) -> None:
        try:
            self._make_room(len(data))
            self._blobs.put(name, data, durable=False)
        except ShishoError as error:
            log.debug("a picture of a page could not be kept: %r", error)

    def _make_room(self, size: int) -> None:
        """Delete old images if there are too many; count them rarely, because listing is slow."""
        self._total += size
        self._stored += 1
        if self._total <= self._most and self._stored % LOOK_AGAIN != 1:
            return
        blobs = self._blobs.list(IMAGES)
        self._total = sum(blob.size for blob in blobs) + size
        if self._total <= self._most:
            return
        for blob in sorted(blobs, key=lambda blob: blob.at):
            if self._total <= KEPT_SHARE * self._most:
                return
            self._blobs.drop(blob.name)
            self._total -= blob.size


def _format_original(sha256: str) -> str:
    return f"{ORIGINALS}/{_check_hash(sha256)}"


def _format_image(key: PageImageKey) -> str:
    return f"{IMAGES}/{_check_hash(key.sha256)}-{key.page}-{key.width}.webp"


def _check_hash(sha256: str) -> str:
    if not _HASH.fullmatch(sha256):
        raise NotFound("blobs.bad_key", key=sha256)
    return sha256
