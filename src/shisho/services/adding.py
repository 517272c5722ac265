"""Adding files: each file gives one receipt whatever happens to it, and the others continue."""

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
from contextlib import AsyncExitStack, aclosing
from dataclasses import field, replace
from pathlib import Path
from weakref import WeakValueDictionary

from shisho.domain.answer_news import ignore_news
from shisho.domain.corpus import FileSurvey, IntakeOutcome, IntakeStage, Receipt, Source
from shisho.domain.reference import ANY_REFERENCES, REFERENCE_SUFFIXES
from shisho.domain.team import CorpusKey
from shisho.errors import InvalidParams, ShishoError, StorageUnusable
from shisho.ports import Files, Ingester
from shisho.records import dataclass
from shisho.services.coercion import check_no_address
from shisho.services.intake import resolve_file
from shisho.services.news import FileNews, Notify, PageRecognised, PagesRead, TextPartStored

MAX_CONCURRENT_FILES = (
    4  # concurrent files: one is parsed in a child while another is chunked and a third is stored
)

LARGE = 16 << 20  # bytes

NEWS_OF_STAGE: Mapping[IntakeStage, type[FileNews]] = {
    IntakeStage.READING: PagesRead,
    IntakeStage.RECOGNISING: PageRecognised,
    IntakeStage.STORING: TextPartStored,
}


@dataclass(frozen=True, slots=True)
class AddingOptions:
    """The options of added files, the same for each. `bibliographies`: files declared as such."""

    metadata: Mapping[str, str] = field(default_factory=dict)
    password: str | None = None
    ocr: bool | None = None
    bibliographies: frozenset[Path] = frozenset()
    notify: Notify = ignore_news

    def build_source(self, path: Path, data: bytes) -> Source:
        """Return a file's bytes as a source that reports the progress of reading."""
        name = resolve_path(path)
        return Source(
            name,
            data,
            ANY_REFERENCES if path in self.bibliographies else None,
            metadata=self.metadata,
            password=self.password,
            has_file=True,
            ocr=self.ocr,
            notify=lambda stage, done, total: self.notify(NEWS_OF_STAGE[stage](name, done, total)),
        )


@dataclass(frozen=True, slots=True)
class FileIntake:
    """An intake of files into one corpus.

    Only files of equal size can have equal content. They are read one after the other, in the given order, so
    that the first is added and the others are known, whichever is read faster.
    """

    disk: Files
    ingester: Ingester
    target: CorpusKey
    options: AddingOptions = field(default_factory=AddingOptions)
    large_file: asyncio.Lock = field(default_factory=asyncio.Lock)  # only one is in memory at a time
    reading: WeakValueDictionary[int, asyncio.Lock] = field(default_factory=WeakValueDictionary)  # by size

    async def add_files(self, paths: Sequence[Path]) -> AsyncGenerator[Receipt, None]:
        """Yield a receipt for each file in the order of the paths.

        Bibliographies come last, one at a time: of two that describe one document, the later counts.
        """
        documents, late = _split_off_bibliographies(paths)
        for share, at_once in ((documents, MAX_CONCURRENT_FILES), (late, 1)):
            async with aclosing(_process_in_order(share, self._add_file, at_once)) as receipts:
                async for receipt in receipts:
                    yield receipt

    async def _add_file(self, path: Path, size: int) -> Receipt:
        try:
            async with AsyncExitStack() as held:
                # The size comes first: the holder of the lock for large files must not wait for another file.
                async with self.reading.setdefault(size, asyncio.Lock()):
                    if size > LARGE:
                        await held.enter_async_context(self.large_file)
                    data = await asyncio.to_thread(self.disk.read, path)
                source = self.options.build_source(path, data)
                return await self.ingester.add(source, self.target.name, self.target.owner)
        except StorageUnusable:  # affects all files, not one
            raise
        except ShishoError as error:
            return Receipt(resolve_path(path), IntakeOutcome.FAILED, code=error.code, reason=error.message)


def survey_once(files: Files, paths: Collection[Path | str], bibliographies: Collection[Path]) -> FileSurvey:
    """List the files below the paths, and the bibliographies, which may be there too.

    Raises InvalidParams.
    """
    if not (paths or bibliographies):
        raise InvalidParams("adding.nothing_named")
    for path in (*paths, *bibliographies):
        check_no_address(path)
    survey = files.survey(map(Path, paths))
    named = files.survey(bibliographies).files
    full_paths = {resolve_path(path) for path in named}
    others = (
        [path for path in survey.files if resolve_path(path) not in full_paths] if named else survey.files
    )
    return replace(survey, files=(*others, *named))


def move_bibliographies_last(paths: Sequence[Path]) -> list[Path]:
    """Return the order in which `FileIntake` adds files."""
    documents, late = _split_off_bibliographies(paths)
    return [*documents, *late]


def _split_off_bibliographies(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    late = [path for path in paths if path.suffix.lower() in REFERENCE_SUFFIXES]
    return [path for path in paths if path.suffix.lower() not in REFERENCE_SUFFIXES], late


def measure_size(path: Path) -> int:
    """Return the size of a file in bytes; 0 if it cannot be read."""
    try:
        return path.stat().st_size
    except OSError:  # reading it reports the reason
        return 0


def resolve_path(folder: Path | str) -> str:
    """Return the full path: the name of a file as a source, or of the corpus that mirrors a folder.

    Raises: InvalidParams.
    """
    return str(resolve_file(folder))


async def _process_in_order(
    paths: Sequence[Path], work: Callable[[Path, int], Awaitable[Receipt]], at_once: int
) -> AsyncGenerator[Receipt, None]:
    """Yield receipts in the order of the paths; `work`, with the file's size, runs for a few at a time."""
    under_way: list[asyncio.Future[Receipt]] = []
    try:
        for path in paths:
            under_way.append(asyncio.ensure_future(work(path, await asyncio.to_thread(measure_size, path))))
            if len(under_way) >= at_once:
                yield await under_way.pop(0)
        while under_way:
            yield await under_way.pop(0)
    finally:
        for future in under_way:
            future.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
