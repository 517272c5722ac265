"""Files to receipts: each file gives one, whatever happens to it, and the others go on."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from shisho.desk.callbacks import Notify
from shisho.desk.coercion import check_no_address
from shisho.desk.intake import resolve_file
from shisho.desk.news import PageRecognised, PagesRead, TextPartStored
from shisho.domain.answer_news import ignore_news
from shisho.domain.corpus import FileSurvey, IntakeOutcome, Receipt, Source
from shisho.domain.reference import ANY_REFERENCES, REFERENCE_SUFFIXES
from shisho.errors import InvalidParams, ShishoError, StorageUnusable
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
    notify: Notify = ignore_news
    bibliographies: frozenset[Path] = frozenset()  # files that are one by their owner's word
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # of large files one at a time is held in memory

    async def take_in(self, paths: Sequence[Path]) -> AsyncGenerator[Receipt, None]:
        """One for each file as it is done, in the order of the paths, but what may be a bibliography when all
        that it may describe is there."""
        for share in _shares(paths):
            async with aclosing(_in_order(share, self._taken_in)) as receipts:
                async for receipt in receipts:
                    yield receipt

    async def _taken_in(self, path: Path) -> Receipt:
        name = resolve_path(path)
        try:
            async with self._room(await asyncio.to_thread(_size, path)):
                data = await asyncio.to_thread(self.disk.read, path)
                source = Source(
                    name,
                    data,
                    ANY_REFERENCES if path in self.bibliographies else None,
                    metadata=self.metadata,
                    password=self.password,
                    has_file=True,
                    ocr=self.ocr,
                    notify_read=lambda done, total: self.notify(PagesRead(name, done, total)),
                    notify_page=lambda done, total: self.notify(PageRecognised(name, done, total)),
                    notify_stored=lambda done, total: self.notify(TextPartStored(name, done, total)),
                )
                return await self.intakes.add(source, self.corpus, self.owner)
        except StorageUnusable:  # of no file, but of them all
            raise
        except ShishoError as error:
            return Receipt(name, IntakeOutcome.FAILED, code=error.code, reason=error.message)

    def _room(self, size: int) -> AbstractAsyncContextManager[object]:
        return self.turn if size > LARGE else nullcontext()


def survey_once(files: Files, paths: Collection[Path | str], bibliographies: Collection[Path]) -> FileSurvey:
    """List what lies below the paths, and the bibliographies, which may lie there too. Raises
    InvalidParams."""
    if not (paths or bibliographies):
        raise InvalidParams("There is nothing to add. Name files or folders, or --references FILE.")
    for path in (*paths, *bibliographies):
        check_no_address(path)
    survey = files.survey(map(Path, paths))
    named = files.survey(bibliographies).files
    full_paths = {resolve_path(path) for path in named}
    others = (
        [path for path in survey.files if resolve_path(path) not in full_paths] if named else survey.files
    )
    return replace(survey, files=(*others, *named))


def bibliographies_last(paths: Sequence[Path]) -> list[Path]:
    """The order in which `FileIntake` takes files in."""
    documents, late = _shares(paths)
    return [*documents, *late]


def _shares(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    late = [path for path in paths if path.suffix.lower() in REFERENCE_SUFFIXES]
    return [path for path in paths if path.suffix.lower() not in REFERENCE_SUFFIXES], late


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # reading it says why
        return 0


def resolve_path(folder: Path | str) -> str:
    """The full path: the name of a file as a source, and of the corpus that mirrors a folder. Raises
    InvalidParams."""
    return str(resolve_file(folder))


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
