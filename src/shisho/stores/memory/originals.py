"""Bytes that stand at no path, and pictures of pages, in one process."""

from __future__ import annotations

from shisho.domain.corpus import DocumentState
from shisho.domain.viewing import PageImageKey
from shisho.errors import NotFound
from shisho.stores.memory.shelf import MemoryShelf


class MemoryOriginals:
    """`ports.Originals` in a dictionary."""

    def __init__(self, shelf: MemoryShelf) -> None:
        self._shelf = shelf
        self._originals: dict[str, bytes] = {}

    async def put(self, sha256: str, data: bytes) -> None:
        self._originals[_checked(sha256)] = bytes(data)

    async def has(self, sha256: str) -> bool:
        return _checked(sha256) in self._originals

    async def get(self, sha256: str) -> bytes:
        if _checked(sha256) not in self._originals:
            raise NotFound("The file of this document was not kept. Add it again to see its pages.")
        return self._originals[sha256]

    async def usage(self) -> tuple[int, int]:
        return len(self._originals), sum(map(len, self._originals.values()))

    async def erase_purged(self) -> None:
        states = self._shelf.states_of_bytes()
        self._originals = {
            sha256: data for sha256, data in self._originals.items() if not _is_purged(states.get(sha256))
        }


class MemoryPageImages:
    """`ports.PageImages` in a dictionary of at most `most` bytes, in the order of their last use."""

    def __init__(self, shelf: MemoryShelf, most: int = 64 << 20) -> None:
        self._shelf = shelf
        self._most = most
        self._images: dict[PageImageKey, bytes] = {}

    async def get(self, key: PageImageKey) -> bytes | None:
        data = self._images.pop(key, None)
        if data is not None:
            self._images[key] = data
        return data

    async def put(self, key: PageImageKey, data: bytes) -> None:
        self._images.pop(key, None)
        self._images[key] = bytes(data)
        while sum(map(len, self._images.values())) > self._most:
            self._images.pop(next(iter(self._images)))

    async def erase_purged(self) -> None:
        states = self._shelf.states_of_bytes()
        self._images = {
            key: data for key, data in self._images.items() if not _is_purged(states.get(key.sha256))
        }


def _is_purged(states: frozenset[DocumentState] | None) -> bool:
    return states == frozenset({DocumentState.PURGED})


def _checked(sha256: str) -> str:
    if len(sha256) != 64 or set(sha256) - set("0123456789abcdef"):
        raise NotFound("{key!r} is no key of ours.", key=sha256)
    return sha256
