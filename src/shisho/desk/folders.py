"""Folders and the library: what was added, changed, moved and deleted on disk is so in the library
afterwards.

The folder is the truth: each time all of it is looked at, and only what looks changed is read. So it can be
broken off anywhere, and goes on where it was."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from shisho.desk import intake
from shisho.desk.access import CorpusAccess
from shisho.desk.adding import FileIntake, bibliographies_last
from shisho.desk.callbacks import Notify
from shisho.desk.following import FolderFollower
from shisho.desk.news import FilesSurveyed, FolderFailed, FolderUpToDate, News
from shisho.domain.answer_news import ignore_news
from shisho.domain.audit import AuditVerb
from shisho.domain.corpus import DEFAULT_CORPUS, LOCAL_OWNER, DocumentId, FileSurvey, IntakeOutcome, Receipt
from shisho.domain.folder import FileOnDisk, FolderState, FolderStatus, PlaceStamp, WatchedFolder
from shisho.domain.team import CorpusKey
from shisho.errors import DocumentUnreadable, InternalError, InvalidParams, NotFound, map_by_code
from shisho.ports import Files, FolderRegister, FolderWatcher, FollowerTurn, Ingester, Shelf

MOST_FAILED = 20  # files that a status names
STAMPED_AT_ONCE = 64  # a transaction each would cost as much as taking the files in


@dataclass(frozen=True, slots=True)
class FolderParts:
    """The parts that the verbs of folders are wired to. `roots`: the allowed folders; `seconds`: a clock that
    never runs back."""

    owner: str
    access: CorpusAccess
    roots: Sequence[Path]
    shelf: Shelf
    files: Files
    ingest: Ingester
    register: FolderRegister
    watcher: FolderWatcher
    turn: FollowerTurn
    seconds: Callable[[], float]


@dataclass(slots=True)
class _Comparison:
    """A folder and what the library has of it, side by side. `corpus`: as the visitor calls it, `target`:
    whose that is; `earlier`: its documents by source; `departed`: those of them whose source is not there
    now; `moved`: documents that stand at another place now; `has_vanished`: a file went while it was to be
    read."""

    root: Path
    corpus: str
    target: CorpusKey
    earlier: Mapping[str, DocumentId]
    survey: FileSurvey
    files: Sequence[FileOnDisk]
    departed: Mapping[str, DocumentId]
    departed_ids: frozenset[DocumentId]
    moved: set[DocumentId] = field(default_factory=set)
    has_vanished: bool = False


class FolderDesk:
    """The verbs of folders: bring the library up to date with one, and remember which it follows."""

    def __init__(self, parts: FolderParts) -> None:
        self._parts = parts
        # what cannot be taken in as it is, so that a follower does not read it again and again
        self._failures: dict[str, tuple[str, Receipt]] = {}
        self._news: dict[str, FolderState] = {}
        self._troubles: dict[str, str] = {}
        self._follows = False

    async def list_watched(self) -> Sequence[WatchedFolder]:
        """The folders that are remembered."""
        return await self._parts.register.list_watched(self._parts.owner)

    async def watch(self, folder: Path | str, corpus: str = DEFAULT_CORPUS) -> WatchedFolder:
        """Remember a folder: while `serve`, `worker` or `watch` run, what changes there is taken into the
        corpus. Raises InvalidParams where there is no such folder."""
        root = await asyncio.to_thread(intake.resolve_file, folder)
        if not await asyncio.to_thread(self._parts.files.is_folder, root):
            raise InvalidParams("folder.not_found", path=root)
        async with self._parts.access.recording(AuditVerb.FOLLOW, intake.check_corpus_name(corpus)):
            await self._parts.access.find_writable(corpus)
            return await self._parts.register.watch(str(root), corpus, self._parts.owner)

    async def watch_from_outside(self, folder: Path | str, corpus: str = DEFAULT_CORPUS) -> WatchedFolder:
        """As `watch`, for callers from outside. Raises ForbiddenPath for a folder that is not below
        `allowed_roots`, and InvalidParams for a person other than this machine's owner, whose folders nobody
        would follow."""
        if self._parts.owner != LOCAL_OWNER:
            raise InvalidParams("folder.owner_only")
        root = await asyncio.to_thread(intake.check_allowed, folder, self._parts.roots)
        return await self.watch(root, corpus)

    async def status(self) -> Sequence[FolderStatus]:
        """The folders that are remembered, and how each stands."""
        folders = await self.list_watched()
        return [await self._status(folder) for folder in folders]

    async def _status(self, folder: WatchedFolder) -> FolderStatus:
        root = Path(folder.path)
        target = await self._parts.access.find_reachable(folder.corpus)
        places = {} if target is None else await self._list_places(target.corpus)
        failures = {source: receipt for source, (_, receipt) in self._failures.items()}
        failed = [
            receipt for source, receipt in sorted(failures.items()) if Path(source).is_relative_to(root)
        ]
        return FolderStatus(
            path=folder.path,
            corpus=folder.corpus,
            since=folder.since,
            state=self._state(folder.path),
            documents=len(_below(root, places.items())),
            trouble=self._troubles.get(folder.path, ""),
            failed=tuple(failed[:MOST_FAILED]),
        )

    def _state(self, path: str) -> FolderState:
        holder = self._parts.turn.holder()
        if self._follows and holder == os.getpid():
            return self._news.get(path, FolderState.NEW)
        return FolderState.IDLE if holder is None else FolderState.ELSEWHERE

    async def forget(self, folder: Path | str) -> None:
        """Follow a folder no longer; its documents stay. Raises NotFound."""
        root = str(await asyncio.to_thread(intake.resolve_file, folder))
        corpora = [watched.corpus for watched in await self.list_watched() if watched.path == root]
        if not await self._parts.register.forget(root, self._parts.owner):
            raise NotFound("folder.not_followed", path=root)
        await self._parts.access.record(AuditVerb.UNFOLLOW, *corpora)

    async def follow(self, notify: Notify = ignore_news) -> None:
        """Keep the library equal to the folders that are remembered, until it is cancelled; as long as
        another process does, wait for it to end. `notify` hears `FileTakenIn` for each file, `FolderFailed`
        and `FolderUpToDate`."""
        parts = self._parts

        def hear(news: News) -> None:
            self._note(news)
            notify(news)

        self._follows = True
        try:
            await FolderFollower(self, parts.watcher, parts.turn, parts.seconds).follow(hear)
        finally:
            self._follows = False

    def _note(self, news: News) -> None:
        """Remember how a folder stands, for `status`."""
        if isinstance(news, FolderFailed):
            self._news[news.folder.path] = FolderState.TROUBLE
            self._troubles[news.folder.path] = news.error.message
        elif isinstance(news, FolderUpToDate):
            self._news[news.folder.path] = FolderState.EVEN
            self._troubles[news.folder.path] = ""

    def follower(self) -> int | None:
        """The id of another process that follows the folders already; None where this one can, which it does
        from now on."""
        return None if self._parts.turn.take() else self._parts.turn.holder() or 0

    async def sync(
        self,
        folder: Path | str,
        corpus: str = DEFAULT_CORPUS,
        *,
        is_emptied: bool = False,
        notify: Notify = ignore_news,
    ) -> AsyncGenerator[Receipt, None]:
        """Make what the corpus has from this folder equal to what is in it now.

        Yields a receipt for each file, unchanged ones first, and for each that is gone. A corpus of questions
        to this folder is brought up to date too; its receipts are yielded only if they differ.
        `is_emptied`: the folder is empty on purpose.

        Raises InvalidParams for a path that never was there, and, before anything is removed, NotFound for
        one that is not there or empty all of a sudden (a drive may be missing), DocumentUnreadable for one
        that cannot be looked into."""
        root = await asyncio.to_thread(intake.resolve_file, folder)
        corpus = intake.check_corpus_name(corpus)
        changed: set[str] = set()
        async with aclosing(self._brought_up(root, corpus, is_emptied, notify)) as receipts:
            async for receipt in receipts:
                if receipt.outcome is not IntakeOutcome.KNOWN:
                    changed.add(receipt.source)
                yield receipt
        if corpus == str(root) or not await self._list_mirrored(root):
            return
        async with aclosing(self._brought_up(root, str(root), is_emptied, _without_survey(notify))) as again:
            async for receipt in again:
                if receipt.outcome is not IntakeOutcome.KNOWN and receipt.source not in changed:
                    yield receipt

    async def _brought_up(
        self, root: Path, corpus: str, is_emptied: bool, notify: Notify
    ) -> AsyncGenerator[Receipt, None]:
        """One corpus, as `sync`."""
        comparison = await self._compared(root, corpus, is_emptied)
        notify(FilesSurveyed(comparison.survey))
        async with aclosing(self._taken_in(comparison, notify)) as receipts:
            async for receipt in receipts:
                yield receipt
        if comparison.departed or comparison.has_vanished:
            async with aclosing(self._left(comparison, is_emptied)) as receipts:
                async for receipt in receipts:
                    yield receipt

    async def _compared(self, root: Path, corpus: str, is_emptied: bool) -> _Comparison:
        target = await self._parts.access.find_writable(corpus)
        places = await self._list_places(target)
        # a corpus that bears a folder's name mirrors it, with what links lead to
        earlier = places if corpus == str(root) else dict(_below(root, places.items()))
        survey = await self._surveyed(root, len(earlier or await self._list_mirrored(root)), is_emptied)
        files = await asyncio.to_thread(self._parts.files.look, survey.files)
        sources = {file.source for file in files}
        departed = {source: name for source, name in earlier.items() if source not in sources}
        gone = frozenset(departed.values())
        return _Comparison(root, corpus, target, earlier, survey, files, departed, gone)

    async def _list_places(self, corpus: CorpusKey) -> Mapping[str, DocumentId]:
        return await self._parts.shelf.list_places(corpus.name, corpus.owner)

    async def _list_mirrored(self, root: Path) -> Mapping[str, DocumentId]:
        """The files of the folder's own corpus, which `Desk.mirror` makes."""
        return await self._list_places(CorpusKey(self._parts.owner, str(root)))

    async def _surveyed(self, root: Path, known: int, is_emptied: bool) -> FileSurvey:
        try:
            survey = await asyncio.to_thread(self._parts.files.survey, [root])
        except InvalidParams as error:
            # what the system refuses to look at is not gone
            if not known or isinstance(error.__cause__, OSError):
                raise
            if is_emptied:
                return FileSurvey((), {})
            raise NotFound(
                "folder.missing",
                path=root,
                count=known,
            ) from None
        if root in survey.unreadable:
            raise DocumentUnreadable("folder.unreadable", path=root)
        if known and not survey.files and not is_emptied:
            raise NotFound(
                "folder.empty",
                path=root,
                count=known,
            )
        return survey

    async def _taken_in(self, comparison: _Comparison, notify: Notify) -> AsyncGenerator[Receipt, None]:
        parts = self._parts
        target = comparison.target
        stamps = await parts.register.list_stamps(target.name, target.owner)
        unread = []
        for file in comparison.files:
            known_receipt = self._unchanged(file, comparison, stamps)
            if known_receipt is None:
                unread.append(file)
            else:
                yield known_receipt
        if unread:
            await parts.access.record(AuditVerb.ADD, comparison.corpus)
        taking = FileIntake(parts.files, parts.ingest, target.name, target.owner, {}, notify=notify)
        files_by_path = {file.path: file for file in unread}
        paths = bibliographies_last(list(files_by_path))
        files = (files_by_path[path] for path in paths)
        fresh: list[PlaceStamp] = []
        async with aclosing(taking.take_in(paths)) as receipts:
            async for receipt in receipts:
                file = next(files)
                if receipt.document_id is not None and file.stamp:
                    fresh.append(PlaceStamp(file.source, receipt.document_id, file.stamp))
                if len(fresh) >= STAMPED_AT_ONCE:
                    await parts.register.stamp(fresh, target.name, target.owner)
                    fresh = []
                if await self._has_vanished(file, receipt):
                    comparison.has_vanished = True
                else:
                    yield _with_move(receipt, comparison)
        if fresh:
            await parts.register.stamp(fresh, target.name, target.owner)

    async def _has_vanished(self, file: FileOnDisk, receipt: Receipt) -> bool:
        """True of a file that could not be taken in because it is no longer there."""
        if receipt.outcome is not IntakeOutcome.FAILED:
            return False
        if not map_by_code().get(receipt.code, InternalError).retry:
            self._failures[receipt.source] = (file.stamp, receipt)
        return not await asyncio.to_thread(self._parts.files.look, [file.path])

    def _unchanged(
        self, file: FileOnDisk, comparison: _Comparison, stamps: Mapping[str, str]
    ) -> Receipt | None:
        """Recall what is known of a file that looks as it did when it was read; None where it has to be
        read."""
        if not file.stamp:
            return None
        if stamps.get(file.source) == file.stamp and file.source in comparison.earlier:
            return Receipt(file.source, IntakeOutcome.KNOWN, comparison.earlier[file.source])
        stamp, failure = self._failures.get(file.source, ("", None))
        return failure if stamp == file.stamp else None

    async def _left(self, comparison: _Comparison, is_emptied: bool) -> AsyncGenerator[Receipt, None]:
        """The sources that are not there. The folder is looked at once more before: what comes and goes
        meanwhile, the folder itself above all, must not be taken for deleted."""
        again = await self._compared(comparison.root, comparison.corpus, is_emptied)
        target = again.target
        unread = (*comparison.survey.unreadable, *again.survey.unreadable)
        hidden = {source for folder in unread for source, _ in _below(folder, again.earlier.items())}
        for source in sorted(again.departed.keys() - hidden):
            document_id = again.departed[source]
            removed = await self._parts.shelf.detach_source(target.name, target.owner, source)
            await self._parts.access.record(AuditVerb.REMOVE, document_id)
            if document_id not in comparison.moved:
                yield Receipt(source, IntakeOutcome.GONE, removed)


def _below(root: Path, places: Iterable[tuple[str, DocumentId]]) -> list[tuple[str, DocumentId]]:
    """The places of a file or below a folder."""
    head = os.path.join(root, "")  # noqa: PTH118 a Path has no last separator
    return [(source, name) for source, name in places if source == str(root) or source.startswith(head)]


def _without_survey(notify: Notify) -> Notify:
    """The same files are surveyed a second time."""

    def hear(news: News) -> None:
        if not isinstance(news, FilesSurveyed):
            notify(news)

    return hear


def _with_move(receipt: Receipt, comparison: _Comparison) -> Receipt:
    """A known document at a new place, which is not at its old one any more, has moved."""
    is_new_place = receipt.outcome is IntakeOutcome.KNOWN and receipt.source not in comparison.earlier
    if receipt.document_id not in comparison.departed_ids or not is_new_place:
        return receipt
    comparison.moved.add(receipt.document_id)
    return replace(receipt, outcome=IntakeOutcome.MOVED)
