"""Bytes that stand at no path, and pictures of pages, as files that only their owner can read. Their names are hashes,
never the caller's."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import apsw

from shisho.domain.viewing import PageImageKey
from shisho.errors import NotFound
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import ANY_OF, every, listed
from shisho.system.disk import file_trouble
from shisho.telemetry import log

# Of some hashes those that any document has, and whether one of these has its text or is just arriving.
DOCUMENTS = f"""SELECT d.sha256, max(d.state <> 'purged' OR a.document_id IS NOT NULL) AS has_text
    FROM documents d LEFT JOIN arrivals a ON a.document_id = d.id
    WHERE d.sha256 IN {ANY_OF} GROUP BY d.sha256"""
ORPHAN_S = 3_600.0  # bytes without a document are left alone for so long: it may be on its way
IMAGE_BYTES = 256 << 20  # of all pictures of pages
KEPT_SHARE = 0.8  # of these, once they are too many
_HASH = re.compile(r"[0-9a-f]{64}")
_IMAGE = re.compile(r"([0-9a-f]{64})-[0-9]{1,6}-[0-9]{1,5}\.webp")


class EmbeddedOriginals:
    """`ports.Originals` in a folder: one file for each, whole or not there at all."""

    def __init__(self, folder: Path, database: Database) -> None:
        self._folder = folder
        self._database = database

    async def put(self, sha256: str, data: bytes) -> None:
        try:
            await asyncio.to_thread(self._put, sha256, data)
        except OSError as error:
            raise file_trouble(error, self._folder) from error

    async def has(self, sha256: str) -> bool:
        return await asyncio.to_thread(self._path(sha256).is_file)

    async def get(self, sha256: str) -> bytes:
        try:
            return await asyncio.to_thread(self._path(sha256).read_bytes)
        except OSError as error:
            raise NotFound(
                "The file of this document was not kept. Add it again to see its pages."
            ) from error

    async def usage(self) -> tuple[int, int]:
        sizes = [size for _, size, _ in await asyncio.to_thread(_files, self._folder)]
        return len(sizes), sum(sizes)

    async def erase_purged(self) -> None:
        files = await asyncio.to_thread(_files, self._folder)
        have_text = await _having_text(self._database, [name for name, _, _ in files])
        now = time.time()
        for name, _, at in files:  # among them what a crash has left half written
            is_orphan = name not in have_text and now - at > ORPHAN_S
            if is_orphan or have_text.get(name) is False:
                await asyncio.to_thread((self._folder / name).unlink, True)

    def _put(self, sha256: str, data: bytes) -> None:
        path = self._path(sha256)
        with suppress(OSError):
            if path.stat().st_size == len(data):
                os.utime(path)  # its document is on its way: no orphan
                return
        _write(path, data, durable=True)

    def _path(self, sha256: str) -> Path:
        if not _HASH.fullmatch(sha256):
            raise NotFound("{key!r} is no key of ours.", key=sha256)
        return self._folder / sha256


class EmbeddedPageImages:
    """`ports.PageImages` in a folder of at most `most` bytes: those go first that were looked at longest ago."""

    def __init__(self, folder: Path, database: Database, most: int = IMAGE_BYTES) -> None:
        self._folder = folder
        self._database = database
        self._most = most

    async def get(self, key: PageImageKey) -> bytes | None:
        return await asyncio.to_thread(self._get, key)

    async def put(self, key: PageImageKey, data: bytes) -> None:
        await asyncio.to_thread(self._put, key, data)

    async def erase_purged(self) -> None:
        files = await asyncio.to_thread(_files, self._folder)
        images = {name: match[1] for name, _, _ in files if (match := _IMAGE.fullmatch(name))}
        have_text = await _having_text(self._database, sorted(set(images.values())))
        for name, sha256 in images.items():
            if not have_text.get(sha256):
                await asyncio.to_thread((self._folder / name).unlink, True)

    def _get(self, key: PageImageKey) -> bytes | None:
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(path)
        return data

    def _put(self, key: PageImageKey, data: bytes) -> None:
        try:
            self._make_room(len(data))
            _write(self._path(key), data, durable=False)
        except OSError as error:
            log.debug("a picture of a page could not be kept: %r", error)

    def _make_room(self, size: int) -> None:
        files = _files(self._folder)
        total = sum(file_size for _, file_size, _ in files) + size
        if total <= self._most:
            return
        for name, file_size, _ in sorted(files, key=lambda file: file[2]):
            if total <= KEPT_SHARE * self._most:
                return
            (self._folder / name).unlink(missing_ok=True)
            total -= file_size

    def _path(self, key: PageImageKey) -> Path:
        if not _HASH.fullmatch(key.sha256):
            raise NotFound("{key!r} is no key of ours.", key=key.sha256)
        return self._folder / f"{key.sha256}-{key.page}-{key.width}.webp"


async def _having_text(database: Database, hashes: Sequence[str]) -> dict[str, bool]:
    def work(connection: apsw.Connection) -> dict[str, bool]:
        rows = every(connection.execute(DOCUMENTS, (listed(hashes),)))
        return {row.sha256: bool(row.has_text) for row in rows}

    return await database.read(work) if hashes else {}


def _files(folder: Path) -> list[tuple[str, int, float]]:
    """Name, bytes and time of each file; none where there is no folder."""
    return list(_scanned(folder)) if folder.is_dir() else []


def _scanned(folder: Path) -> Iterator[tuple[str, int, float]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                yield entry.name, status.st_size, status.st_mtime


def _write(path: Path, data: bytes, *, durable: bool) -> None:
    """The whole file or none. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{secrets.token_hex(16)}.new")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    # The new name is durable only when its folder is; Windows cannot open one.
    if durable and hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
