"""Synchronization of the library with folders: added, changed, moved and deleted files.

The folder is the truth: each sync looks at all of it, and reads only files that look changed. It can be
interrupted at any point and continues there.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import field, replace
from pathlib import Path

from shisho.domain.answer_news import ignore_news
from shisho.domain.corpus import DEFAULT_CORPUS, LOCAL_OWNER, DocumentId, FileSurvey, IntakeOutcome, Receipt
from shisho.domain.folder import FileOnDisk, FolderState, FolderStatus, SourceStamp, WatchedFolder
from shisho.domain.team import AuditVerb, CorpusKey
from shisho.errors import (
    DocumentUnreadable,
    InternalError,
    InvalidParams,
    NotFound,
    ShishoError,
    StorageUnusable,
    map_by_code,
)
from shisho.ports import Files, FolderRegister, FolderWatcher, FollowerTurn, Ingester, Shelf
from shisho.records import dataclass
from shisho.services import intake
from shisho.services.access import CorpusAccess
from shisho.services.adding import AddingOptions, FileIntake, move_bibliographies_last, resolve_path
from shisho.services.news import FilesSurveyed, FileTakenIn, FolderFailed, FolderUpToDate, News, Notify

TURN_S = 5.0  # between two attempts to get the lock
IDLE_S = 4.0  # between two checks for watched folders
# Interval of a full check without notifications: network shares send none, and notifications may be lost.
LOOK_S = 300.0


class FolderFollower:
    """A follower that keeps the library in sync with the watched folders while `follow` runs."""

    def __init__(
        self,
        folders: Folders,
        watcher: FolderWatcher,
        turn: FollowerTurn,
        seconds: Callable[[], float],
    ) -> None:
        self._folders = folders
        self._watcher = watcher
        self._turn = turn
        self._seconds = seconds
        self._troubles: dict[str, str] = {}

    async def follow(self, notify: Notify) -> None:
        """Follow until it is cancelled; `Folders.follow` documents the notifications."""
        try:
            while True:
                if not self._turn.take():
                    await asyncio.sleep(TURN_S)
                    continue
                folders = {folder.path: folder for folder in await self._folders.list()}
                if folders:
                    await self._follow(folders, notify)
                else:
                    await asyncio.sleep(IDLE_S)
        finally:
            self._turn.end()

    async def _follow(self, folders: Mapping[str, WatchedFolder], notify: Notify) -> None:
        """Follow these folders until the set or one of the folders themselves changes."""
        due = set(folders)  # changes while no process followed
        looked = self._seconds()
        async with aclosing(self._watcher.watch_changes([Path(path) for path in folders])) as batches:
            async for changed in batches:
                due |= {str(path) for path in changed}
                if self._seconds() - looked > LOOK_S:
                    looked = self._seconds()
                    due = set(folders)
                due = {path for path in sorted(due) if not await self._sync_folder(folders[path], notify)}
                if {folder.path: folder for folder in await self._folders.list()} != folders:
                    return

    async def _sync_folder(self, folder: WatchedFolder, notify: Notify) -> bool:
        """Sync one folder. Returns False if a retry makes sense."""
        try:
            async with aclosing(self._folders.sync(folder.path, folder.corpus, notify=notify)) as receipts:
                async for receipt in receipts:
                    notify(FileTakenIn(receipt))
        except StorageUnusable:  # affects all folders, not one
            raise
        except ShishoError as error:
            if self._troubles.get(folder.path) != error.message:
                self._troubles[folder.path] = error.message
                notify(FolderFailed(folder, error))
            return not error.retry
        self._troubles.pop(folder.path, None)
        notify(FolderUpToDate(folder))
        return True


MAX_FAILED = 20  # files listed in a status
STAMPED_AT_ONCE = 64  # a transaction for each would cost as much as adding the files


@dataclass(frozen=True, slots=True)
class FolderParts:
    """The dependencies of the folders. `roots`: the allowed folders; `seconds`: a monotonic clock."""

    access: CorpusAccess
    roots: Sequence[Path]
    shelf: Shelf
    files: Files
    find_ingest: Callable[[], Ingester]
    register: FolderRegister
    watcher: FolderWatcher
    turn: FollowerTurn
    seconds: Callable[[], float]


@dataclass(slots=True)
class _Comparison:
    """A folder compared with the library.

    `corpus`: the visitor's name for it, `target`: its key; `earlier`: its documents by source; `departed`:
    those whose source no longer exists; `moved`: documents with another path now; `has_vanished`: a file
    disappeared before it was read.
    """

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


class Folders:
    """Folders: sync one, and watch several."""

    def __init__(self, parts: FolderParts) -> None:
        self._parts = parts
        # failures of unchanged files, so that a follower does not read them again and again
        self._failures: dict[str, tuple[str, Receipt]] = {}
        self._news: dict[str, FolderState] = {}
        self._troubles: dict[str, str] = {}
        self._follows = False

    async def list(self) -> Sequence[WatchedFolder]:
        """List the watched folders."""
        return await self._parts.register.list_watched(self._parts.access.owner)

    async def watch(self, folder: Path | str, corpus: str = DEFAULT_CORPUS) -> WatchedFolder:
        """Watch a folder: its changes are applied to the corpus while `serve`, `worker` or `watch` run.

        Raises: InvalidParams if there is no such folder.
        """
        root = await asyncio.to_thread(intake.resolve_file, folder)
        if not await asyncio.to_thread(self._parts.files.is_folder, root):
            raise InvalidParams("folder.not_found", path=root)
        async with self._parts.access.record_outcome(AuditVerb.FOLLOW, intake.check_corpus_name(corpus)):
            await self._parts.access.find_writable(corpus)
            return await self._parts.register.watch(str(root), corpus, self._parts.access.owner)

    async def watch_from_outside(self, folder: Path | str, corpus: str = DEFAULT_CORPUS) -> WatchedFolder:
        """Watch a folder for a remote caller, as `watch`.

        Raises: ForbiddenPath for a folder that is not below `allowed_roots`; InvalidParams for a user other
        than this machine's owner, whose folders would not be followed.
        """
        if self._parts.access.owner != LOCAL_OWNER:
            raise InvalidParams("folder.owner_only")
        root = await asyncio.to_thread(intake.check_allowed, folder, self._parts.roots)
        return await self.watch(root, corpus)

    async def check(self, folder: Path | str) -> None:
        """Raise, as `sync` would, if the folder can't be read."""
        root = await asyncio.to_thread(intake.resolve_file, folder)
        await self._survey(root, len(await self._list_mirrored(root)), is_emptied=False)

    async def get_status(self) -> Sequence[FolderStatus]:
        """Return the state of each watched folder."""
        folders = await self.list()
        return [await self._describe(folder) for folder in folders]

    async def _describe(self, folder: WatchedFolder) -> FolderStatus:
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
            state=self._find_state(folder.path),
            documents=len(_select_below(root, places.items())),
            trouble=self._troubles.get(folder.path, ""),
            failed=tuple(failed[:MAX_FAILED]),
        )

    def _find_state(self, path: str) -> FolderState:
        holder = self._parts.turn.find_holder()
        if self._follows and holder == os.getpid():
            return self._news.get(path, FolderState.NEW)
        return FolderState.IDLE if holder is None else FolderState.ELSEWHERE

    async def unwatch(self, folder: Path | str) -> None:
        """Stop watching a folder; its documents stay. Raises NotFound."""
        root = str(await asyncio.to_thread(intake.resolve_file, folder))
        corpora = [watched.corpus for watched in await self.list() if watched.path == root]
        if not await self._parts.register.forget(root, self._parts.access.owner):
            raise NotFound("folder.not_followed", path=root)
        await self._parts.access.record(AuditVerb.UNFOLLOW, *corpora)

    async def follow(self, notify: Notify = ignore_news) -> None:
        """Keep the library in sync with the watched folders until it is cancelled.

        Waits while another process does so. `notify` receives `FileTakenIn` for each file, `FolderFailed` and
        `FolderUpToDate`.
        """
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
        """Record the state of a folder for `status`."""
        if isinstance(news, FolderFailed):
            self._news[news.folder.path] = FolderState.TROUBLE
            self._troubles[news.folder.path] = news.error.message
        elif isinstance(news, FolderUpToDate):
            self._news[news.folder.path] = FolderState.EVEN
            self._troubles[news.folder.path] = ""

    def find_follower(self) -> int | None:
        """Return the id of another process that already follows the folders.

        Returns None if this process can follow, and takes the lock.
        """
        return None if self._parts.turn.take() else self._parts.turn.find_holder() or 0

    async def sync(
        self,
        folder: Path | str,
        corpus: str = DEFAULT_CORPUS,
        *,
        is_emptied: bool = False,
        notify: Notify = ignore_news,
    ) -> AsyncGenerator[Receipt, None]:
        """Synchronize the corpus with the current content of this folder.

        Yields a receipt for each file, unchanged ones first, and for each deleted one. The folder's own
        corpus, used for questions about it, is synchronized too; its receipts are yielded only if they
        differ. `is_emptied`: the folder is empty on purpose.

        Raises: InvalidParams for a path that never existed; before anything is removed, NotFound for one that
        is suddenly missing or empty (a drive may be missing), DocumentUnreadable for one that cannot be read.
        """
        root = await asyncio.to_thread(intake.resolve_file, folder)
        corpus = intake.check_corpus_name(corpus)
        changed: set[str] = set()
        async with aclosing(self._sync_corpus(root, corpus, is_emptied, notify)) as receipts:
            async for receipt in receipts:
                if receipt.outcome is not IntakeOutcome.KNOWN:
                    changed.add(receipt.source)
                yield receipt
        if corpus == str(root) or not await self._list_mirrored(root):
            return
        async with aclosing(self._sync_corpus(root, str(root), is_emptied, _drop_survey(notify))) as again:
            async for receipt in again:
                if receipt.outcome is not IntakeOutcome.KNOWN and receipt.source not in changed:
                    yield receipt

    async def mirror(self, folder: Path | str, notify: Notify = ignore_news) -> AsyncGenerator[Receipt, None]:
        """Make the corpus named by this folder equal to its current content. Raises as `sync`."""
        async with aclosing(self.sync(folder, resolve_path(folder), notify=notify)) as receipts:
            async for receipt in receipts:
                yield receipt

    async def _sync_corpus(
        self, root: Path, corpus: str, is_emptied: bool, notify: Notify
    ) -> AsyncGenerator[Receipt, None]:
        """Synchronize one corpus, as `sync`."""
        comparison = await self._compare(root, corpus, is_emptied)
        notify(FilesSurveyed(comparison.survey))
        async with aclosing(self._add_files(comparison, notify)) as receipts:
            async for receipt in receipts:
                yield receipt
        if comparison.departed or comparison.has_vanished:
            async with aclosing(self._detach_missing(comparison, is_emptied)) as receipts:
                async for receipt in receipts:
                    yield receipt

    async def _compare(self, root: Path, corpus: str, is_emptied: bool) -> _Comparison:
        target = await self._parts.access.find_writable(corpus)
        places = await self._list_places(target)
        # a corpus named after a folder mirrors it, including the targets of links
        earlier = places if corpus == str(root) else dict(_select_below(root, places.items()))
        survey = await self._survey(root, len(earlier or await self._list_mirrored(root)), is_emptied)
        files = await asyncio.to_thread(self._parts.files.look, survey.files)
        sources = {file.source for file in files}
        departed = {source: name for source, name in earlier.items() if source not in sources}
        gone = frozenset(departed.values())
        return _Comparison(root, corpus, target, earlier, survey, files, departed, gone)

    async def _list_places(self, corpus: CorpusKey) -> Mapping[str, DocumentId]:
        return await self._parts.shelf.list_places(corpus.name, corpus.owner)

    async def _list_mirrored(self, root: Path) -> Mapping[str, DocumentId]:
        """Return the files of the folder's own corpus, which `mirror` creates."""
        return await self._list_places(CorpusKey(self._parts.access.owner, str(root)))

    async def _survey(self, root: Path, known: int, is_emptied: bool) -> FileSurvey:
        try:
            survey = await asyncio.to_thread(self._parts.files.survey, [root])
        except InvalidParams as error:
            # a path that the system refuses to examine is not gone
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

    async def _add_files(self, comparison: _Comparison, notify: Notify) -> AsyncGenerator[Receipt, None]:
        parts = self._parts
        target = comparison.target
        stamps = await parts.register.list_stamps(target.name, target.owner)
        unread = []
        for file in comparison.files:
            known_receipt = self._find_unchanged(file, comparison, stamps)
            if known_receipt is None:
                unread.append(file)
            else:
                yield known_receipt
        if unread:
            await parts.access.record(AuditVerb.ADD, comparison.corpus)
        taking = FileIntake(parts.files, parts.find_ingest(), target, AddingOptions(notify=notify))
        files_by_path = {file.path: file for file in unread}
        paths = move_bibliographies_last(list(files_by_path))
        files = (files_by_path[path] for path in paths)
        fresh: list[SourceStamp] = []
        async with aclosing(taking.add_files(paths)) as receipts:
            async for receipt in receipts:
                file = next(files)
                if receipt.document_id is not None and file.stamp:
                    fresh.append(SourceStamp(file.source, receipt.document_id, file.stamp))
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
        """Return True if a file could not be added because it no longer exists."""
        if receipt.outcome is not IntakeOutcome.FAILED:
            return False
        if not map_by_code().get(receipt.code, InternalError).retry:
            self._failures[receipt.source] = (file.stamp, receipt)
        return not await asyncio.to_thread(self._parts.files.look, [file.path])

    def _find_unchanged(
        self, file: FileOnDisk, comparison: _Comparison, stamps: Mapping[str, str]
    ) -> Receipt | None:
        """Return what is known of a file that is unchanged since it was read; None if it must be read."""
        if not file.stamp:
            return None
        if stamps.get(file.source) == file.stamp and file.source in comparison.earlier:
            return Receipt(file.source, IntakeOutcome.KNOWN, comparison.earlier[file.source])
        stamp, failure = self._failures.get(file.source, ("", None))
        return failure if stamp == file.stamp else None

    async def _detach_missing(
        self, comparison: _Comparison, is_emptied: bool
    ) -> AsyncGenerator[Receipt, None]:
        """Detach the sources that no longer exist.

        The folder is examined again first: files that come and go at the same time, and above all the folder
        itself, must not be taken for deleted.
        """
        again = await self._compare(comparison.root, comparison.corpus, is_emptied)
        target = again.target
        unread = (*comparison.survey.unreadable, *again.survey.unreadable)
        hidden = {source for folder in unread for source, _ in _select_below(folder, again.earlier.items())}
        for source in sorted(again.departed.keys() - hidden):
            document_id = again.departed[source]
            removed = await self._parts.shelf.detach_source(target.name, target.owner, source)
            await self._parts.access.record(AuditVerb.REMOVE, document_id)
            if document_id not in comparison.moved:
                yield Receipt(source, IntakeOutcome.GONE, removed)


def _select_below(root: Path, places: Iterable[tuple[str, DocumentId]]) -> list[tuple[str, DocumentId]]:
    """Return the sources that are this file or below this folder."""
    head = os.path.join(root, "")  # noqa: PTH118 a Path has no last separator
    return [(source, name) for source, name in places if source == str(root) or source.startswith(head)]


def _drop_survey(notify: Notify) -> Notify:
    """Return a callback without `FilesSurveyed`, because the same files are surveyed a second time."""

    def hear(news: News) -> None:
        if not isinstance(news, FilesSurveyed):
            notify(news)

    return hear


def _with_move(receipt: Receipt, comparison: _Comparison) -> Receipt:
    """Mark a known document as moved if it is at a new path and no longer at its old one."""
    is_new_place = receipt.outcome is IntakeOutcome.KNOWN and receipt.source not in comparison.earlier
    if receipt.document_id not in comparison.departed_ids or not is_new_place:
        return receipt
    comparison.moved.add(receipt.document_id)
    return replace(receipt, outcome=IntakeOutcome.MOVED)
