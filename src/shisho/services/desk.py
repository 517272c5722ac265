"""The verbs of a visitor. Every interface is a thin layer over them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from dataclasses import replace
from pathlib import Path

from shisho.domain.answer_news import ignore_news
from shisho.domain.audit import AuditVerb
from shisho.domain.corpus import (
    DEFAULT_CORPUS,
    LOCAL_OWNER,
    Check,
    Condition,
    Corpus,
    Document,
    DocumentId,
    PassageHit,
    Receipt,
    Scope,
    SearchRequest,
    Source,
)
from shisho.domain.figures import LibraryFigures
from shisho.domain.inquiry import Answer, Evidence, LoopStop
from shisho.domain.job import TaskId
from shisho.domain.metadata import MetadataField
from shisho.domain.replay import ReplayReport
from shisho.domain.setting import SettingValue
from shisho.domain.task import AnswerHandle
from shisho.errors import AccessDenied, NotFound, ShishoError
from shisho.messages.message import Message
from shisho.ports import Notifier
from shisho.services.adding import FileIntake, resolve_path, survey_once
from shisho.services.callbacks import Notify, Stop, never
from shisho.services.choosing import (
    check_filters,
    check_limit,
    check_listed,
    check_searchable,
    check_words,
    find_one_document,
    find_removable_document,
    find_removed_document,
    list_copies,
    read_room,
    to_request,
)
from shisho.services.coercion import coerce_paths, coerce_strings
from shisho.services.hits import to_hit
from shisho.services.news import FilesSurveyed
from shisho.services.pages import read_page
from shisho.services.replaying import replay_answer
from shisho.services.sections import DeskSections
from shisho.services.task_answers import follow_answer

# of documents' metadata
MOST_FIELDS = 20
MOST_VALUES = 20
STILL_READ = Message("purge.log_in_use")


class Desk(DeskSections):
    """One visitor's view of the library."""

    __slots__ = ()

    def working(
        self, slots: int | None = None, here: Notifier | None = None
    ) -> AbstractAsyncContextManager[None]:
        """Run jobs in this process during the block, `slots` at once (None: as configured).

        `here` is notified of challenges for a person.
        """
        return self._parts.working(slots, here)

    def count_tokens(self, text: str) -> int:
        """Return about how many tokens the text is for a language model."""
        return self._parts.tokens(text)

    def for_owner(self, owner: str) -> Desk:
        """Return another user's desk over the same stores and workers: neither sees the other's data."""
        return Desk(self._parts.for_owner(owner))

    async def close(self) -> None:
        """Release all resources. `async with` does it."""
        await self._parts.close()

    async def __aenter__(self) -> Desk:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def add(
        self,
        *paths: Path | str,
        corpus: str = DEFAULT_CORPUS,
        metadata: Mapping[str, str] | None = None,
        references: Path | str | Sequence[Path | str] = (),
        password: str | None = None,
        ocr: bool | None = None,
        notify: Notify = ignore_news,
    ) -> AsyncGenerator[Receipt, None]:
        """Add files and folders; yield a receipt for each as it is done, in the order found.

        Bibliographies (`references`, whatever their names) come last. `ocr`: None uses the setting. `notify`
        receives `FilesSurveyed` first; then, for slow files, `PagesRead`, `PageRecognised` and
        `TextPartStored`.

        Raises: InvalidParams for a path that does not exist, NotFound and AccessDenied for another user's
        corpus.
        """
        parts = self._parts
        bibliographies = frozenset(map(Path, coerce_paths(references)))
        survey = await asyncio.to_thread(survey_once, parts.files, coerce_paths(paths), bibliographies)
        notify(FilesSurveyed(survey))
        async with parts.access.recording_failure(AuditVerb.ADD, corpus) as act:
            target = await parts.access.find_writable(corpus)
            options = (target.name, target.owner, metadata or {}, password, ocr, notify, bibliographies)
            await parts.access.audit.record(act)
            adding = FileIntake(parts.files, parts.ingest, *options)
            async with aclosing(adding.take_in(survey.files)) as receipts:
                async for receipt in receipts:
                    yield receipt

    async def mirror(self, folder: Path | str, notify: Notify = ignore_news) -> AsyncGenerator[Receipt, None]:
        """Make the corpus named by this folder equal to its current content. Raises as `folders.sync`."""
        async with aclosing(self.folders.sync(folder, resolve_path(folder), notify=notify)) as receipts:
            async for receipt in receipts:
                yield receipt

    async def add_source(self, source: Source, corpus: str = DEFAULT_CORPUS) -> Receipt:
        """Add bytes without a file. Raises NotFound and AccessDenied for another user's corpus."""
        async with self._parts.access.recording(AuditVerb.ADD, corpus):
            target = await self._parts.access.find_writable(corpus)
            return await self._parts.ingest.add(source, target.name, target.owner)

    async def corpora(self) -> Sequence[Corpus]:
        """List the corpora that the visitor may search, their own first."""
        return await self._parts.access.mark_writable(await self._parts.shelf.list_corpora(self._parts.owner))

    async def metadata(self, *, corpora: str | Sequence[str] = ()) -> Sequence[MetadataField]:
        """Return the metadata to filter by: the most frequent names, with their most frequent values."""
        scope = Scope(self._parts.owner, coerce_strings(corpora))
        return await self._parts.shelf.count_metadata(scope, MOST_FIELDS, MOST_VALUES)

    @property
    def owner(self) -> str:
        """The visitor's name."""
        return self._parts.owner

    @property
    def is_host(self) -> bool:
        """True if the visitor runs this machine, and may see its settings and paths."""
        return self._parts.owner == LOCAL_OWNER

    def _check_host(self) -> None:
        if not self.is_host:
            raise AccessDenied("settings.owner_only")

    async def settings(self) -> Sequence[SettingValue]:
        """Return every setting with its value and origin. Raises AccessDenied for guests of a server."""
        self._check_host()
        return self._parts.settings()

    async def documents(
        self,
        *,
        corpora: str | Sequence[str] = (),
        filters: Mapping[str, Condition] | None = None,
        after: str = "",
        limit: int = 100,
        removed: bool = False,
    ) -> Sequence[Document]:
        """List documents in order of addition, after the one with id `after`.

        With `removed`, only those that `restore` can bring back; otherwise all others. Raises InvalidParams
        for wrong filters and an unknown `after`.
        """
        if after:
            await check_listed(self._parts.shelf, self._parts.owner, after)
        conditions = await check_filters(self._parts.shelf, self._parts.owner, filters or {})
        scope = Scope(self._parts.owner, coerce_strings(corpora), conditions)
        documents = await self._parts.shelf.list_documents(scope, after, limit, removed=removed)
        return [self._parts.access.name_corpus(document) for document in documents]

    async def document(self, prefix: str) -> Document:
        """Return a document by id, unique prefix, or the path or name of its file.

        Raises: NotFound, with the candidates if there are several.
        """
        return self._parts.access.name_corpus(await self._find_document(prefix))

    async def places(self, corpus: str = DEFAULT_CORPUS) -> Mapping[str, DocumentId]:
        target = await self._parts.access.find_writable(corpus)
        return await self._parts.shelf.list_places(target.name, target.owner)

    async def text(self, document_id: DocumentId) -> str:
        """Return the original text that citations' offsets refer to. Raises NotFound, SourceRemoved."""
        return await self._parts.shelf.read_text((await self._read_document(document_id)).id)

    async def page(self, prefix: str, number: int) -> str:
        """Return the text of one page (from 1); without pages, 1 is all of it.

        Raises NotFound, SourceRemoved.
        """
        return await read_page(self._parts.shelf, await self._read_document(prefix), number)

    async def _find_document(self, prefix: str) -> Document:
        return await find_one_document(self._parts.shelf, self._parts.owner, prefix)

    async def _read_document(self, prefix: str) -> Document:
        document = await self._find_document(prefix)
        await self._parts.access.record(AuditVerb.READ, document.id)
        return document

    async def find_removable(self, prefix: str, *, purge: bool = False) -> Document:
        """Return the document that `remove` would remove. Raises NotFound."""
        document = await find_removable_document(self._parts.shelf, self._parts.owner, prefix, purge)
        return self._parts.access.name_corpus(document)

    async def remove(self, prefix: str, *, purge: bool = False) -> Document:
        """Remove a document from search; with `purge`, erase it and all its quotations.

        A removed document can still be purged. Returns the document, with a warning if other files have its
        content, if its file is in another corpus too, or if an open reader of the database's log delays the
        erasure there.

        Raises: NotFound, AccessDenied for a document in another user's corpus that is granted read-only.
        """
        document = await find_removable_document(self._parts.shelf, self._parts.owner, prefix, purge)
        async with self._parts.access.recording(AuditVerb.PURGE if purge else AuditVerb.REMOVE, document.id):
            await self._parts.access.check_writable(document)
            others = await list_copies(self._parts.shelf, self._parts.access, document)
            gone = await self._parts.shelf.remove(document.id, purge=purge)
            if purge:
                await self.tasks.forget_bytes(document.sha256)
        warnings = (*document.warnings, *others, *(() if gone else (STILL_READ,)))
        return replace(self._parts.access.name_corpus(document), warnings=warnings)

    async def restore(self, name: str) -> Document:
        """Undo a removal, by id, unique prefix, or the path or name of the file.

        Raises: NotFound, SourceRemoved after a purge, Conflict if a newer version has replaced it,
        AccessDenied as `remove`.
        """
        document = await find_removed_document(self._parts.shelf, self._parts.owner, name)
        async with self._parts.access.recording(AuditVerb.RESTORE, document.id):
            await self._parts.access.check_writable(document)
            return self._parts.access.name_corpus(await self._parts.shelf.restore(document.id))

    async def search(
        self,
        query: str | Sequence[str] | SearchRequest,
        *,
        corpora: str | Sequence[str] = (),
        filters: Mapping[str, Condition] | None = None,
        limit: int | None = None,
        room_tokens: int | None = None,
    ) -> Sequence[PassageHit]:
        """Return passages with the parts of their scores, best first, without blocked or rejected sources.

        At most `limit` (1 to 1,000), by default as many as suit the library, and only those that fit
        `room_tokens`. Raises InvalidParams, EmptyCorpus.
        """
        request = to_request(query)
        room = read_room(room_tokens)
        check_limit(limit)
        corpora = coerce_strings(corpora)
        check_words(query, request)
        conditions = {**request.filter_conditions, **(filters or {})}
        if conditions:
            await check_searchable(self._parts.shelf, self._parts.owner, corpora)
        excluded = await self._parts.left_out(self._parts.owner)
        checked = await check_filters(self._parts.shelf, self._parts.owner, conditions)
        scope = Scope(self._parts.owner, corpora, checked, excluded.documents, excluded.passages)
        ranking = await self._parts.rankings.rank_top(request, scope, limit, room)
        if not ranking:
            await check_searchable(self._parts.shelf, self._parts.owner, corpora)
        hits = [to_hit(passage) for passage in ranking]
        await self._parts.access.record(AuditVerb.SEARCH, *(hit.document for hit in hits))
        return hits

    async def rank(self, query: str | Sequence[str], *, depth: int = 200) -> Sequence[PassageHit]:
        """Return the ranking before it is cut to the relevant passages, for measurements."""
        ranking = await self._parts.rankings.rank(
            SearchRequest(keyword_query=coerce_strings(query)), Scope(self._parts.owner), depth
        )
        return [to_hit(passage) for passage in ranking]

    async def rank_documents(self, query: str | Sequence[str], *, depth: int = 200) -> Sequence[DocumentId]:
        """Return the documents of `rank`, each at the rank of its best passage, without opening any."""
        request = SearchRequest(keyword_query=coerce_strings(query))
        return await self._parts.rankings.rank_documents(request, Scope(self._parts.owner), depth)

    async def resume(self, prefix: str = "last", notify: Notify = ignore_news, stop: Stop = never) -> Answer:
        """Resume a run that was stopped or died; a finished one returns its answer again.

        `last`: the latest unfinished one. Raises NotFound.
        """
        try:
            run_id = await self._parts.ledger.find_run(prefix, self._parts.owner)
        except NotFound:
            if prefix == "last":
                raise
            run_id = (await self.answer(prefix)).task_id
        task_id = (await self._parts.ledger.find_inquiry(run_id)).task_id
        if not task_id:
            return await self._inquire(run_id, notify, stop)
        with suppress(ShishoError):  # the cause of its failure may be gone
            handle = await self.tasks.wait_for_answer(run_id)
            if handle.answer is not None and handle.answer.loop_stop is not LoopStop.STOPPED:
                return handle.answer
        await self.tasks.resume_task(task_id)
        handle = AnswerHandle(TaskId(task_id), run_id, None, None)
        return await follow_answer(self._parts, handle, notify, stop)

    async def replay(self, prefix: str = "last") -> ReplayReport:
        """Run an answer again over the same passages, replies and pages, and compare the result.

        Nothing is searched for, fetched or asked. Raises NotFound, and SourceRemoved if a document that it
        read was purged.
        """
        return await replay_answer(self._parts, prefix)

    async def answer(self, prefix: str = "last") -> Answer:
        return await self._parts.ledger.answer(prefix, self._parts.owner)

    async def evidence(self, prefix: str) -> Evidence:
        return await self._parts.ledger.find_evidence(prefix, self._parts.owner)

    async def show(self, prefix: str = "last") -> Answer | Evidence | tuple[Document, str]:
        """Return an answer, evidence, or a document with its text, by id, unique prefix or name.

        Raises: NotFound.
        """
        for look in (self.answer, self.evidence):
            with suppress(NotFound):
                return await look(prefix)
        try:
            document = await self._read_document(prefix)
        except NotFound as error:
            if prefix == "last":
                raise NotFound("answer.none") from error
            raise
        return document, await self._parts.shelf.read_text(document.id)

    async def export(self, prefix: str, form: str, *, local_paths: bool = False) -> str:
        """Return an answer as md, html, jsonl, bibtex, ris, csl, apa, sist02 or proof.

        Files appear without their folders, unless `local_paths`. Raises InvalidParams for another form;
        `exports.file` supports PDF too.
        """
        return await self._parts.exports.text(prefix, form, local_paths=local_paths)

    async def backup(self, target: Path | str) -> None:
        """Write everything to one file, which opens as a home's `shisho.db`.

        Raises: Conflict if the file exists, InvalidParams if it cannot be created.
        """
        await self._parts.storage.backup(Path(target))

    async def figures(self) -> LibraryFigures:
        """Return figures of the whole library, for all owners."""
        return await self._parts.figures()

    async def ready(self) -> None:
        """Check that something could be read and stored now.

        Raises StorageUnusable, or Conflict with the lock's holder.
        """
        await self.corpora()
        await self._parts.storage.check_ready()

    async def doctor(self) -> Sequence[Check]:
        """Check what works here, and how to get the rest. Raises AccessDenied for guests of a server."""
        self._check_host()
        return await self._parts.checks()
