"""Files to receipts: each file gives one, whatever happens to it, and the others go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from shisho.desk.callbacks import Notify, silent
from shisho.domain.corpus import IntakeOutcome, Receipt, Source
from shisho.errors import ShishoError, StorageUnusable
from shisho.ports import Files, Ingester

AT_ONCE = 4  # files under way together: one is read in the child while another is cut and a third is stored

LARGE = 16 << 20  # bytes


@dataclass(frozen=True, slots=True)
class FileIntake:
    """Takes files into one corpus, and says this of each."""

    disk: Files
    intakes: Ingester
    corpus: str
    owner: str
    metadata: Mapping[str, str]
    password: str | None = None
    ocr: bool | None = None
    notify: Notify = silent
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # of large files one at a time is held in memory

    async def receipts(self, paths: Sequence[Path]) -> AsyncGenerator[Receipt, None]:
        """One for each file as it is done, in the order of the paths."""
        async for receipt in _in_order(paths, self._taken_in):
            yield receipt

    async def _taken_in(self, path: Path) -> Receipt:
        name = full_path(path)
        try:
            async with self._room(await asyncio.to_thread(_size, path)):
                data = await asyncio.to_thread(self.disk.read, path)
                source = Source(
                    name,
                    data,
                    metadata=self.metadata,
                    password=self.password,
                    ocr=self.ocr,
                    notify_page=lambda done, total: self.notify(
                        "recognised", source=name, page=done, pages=total
                    ),
                )
                return await self.intakes.add(source, self.corpus, self.owner)
        except StorageUnusable:  # of no file, but of them all
            raise
        except ShishoError as error:
            return Receipt(name, IntakeOutcome.FAILED, code=error.code, reason=error.message)

    def _room(self, size: int) -> AbstractAsyncContextManager[object]:
        return self.turn if size > LARGE else nullcontext()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # reading it says why
        return 0


def full_path(folder: Path | str) -> str:
    """The full path: the name of a file as a source, and of the corpus that mirrors a folder."""
    return str(Path(folder).expanduser().resolve())


async def _in_order(
    paths: Sequence[Path], work: Callable[[Path], Awaitable[Receipt]]
) -> AsyncGenerator[Receipt, None]:
    """Receipts in the order of the paths, a few files under way at a time."""
    under_way: list[asyncio.Future[Receipt]] = []
    try:
        for path in paths:
            under_way.append(asyncio.ensure_future(work(path)))
            if len(under_way) >= AT_ONCE:
                yield await under_way.pop(0)
        while under_way:
            yield await under_way.pop(0)
    finally:
        for future in under_way:
            future.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
