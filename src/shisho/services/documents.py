"""The documents of a library: added, listed, read, searched, removed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shisho.domain.answer_news import ignore_news
from shisho.domain.corpus import (
    DEFAULT_CORPUS,
    BlockKind,
    Condition,
    Corpus,
    Document,
    DocumentId,
    PassageHit,
    RankedPassage,
    Receipt,
    Scope,
    SearchRequest,
    Source,
)
from shisho.domain.library import MetadataField
from shisho.domain.team import AuditVerb
from shisho.errors import NotFound
from shisho.messages import Message
from shisho.ports import Files, Ingester, Opinions, Shelf
from shisho.services.access import CorpusAccess
from shisho.services.adding import AddingOptions, FileIntake, survey_once
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
from shisho.services.news import FilesSurveyed, Notify

if TYPE_CHECKING:
    from shisho.corpus.session import CorpusSearcher


async def read_page_spans(shelf: Shelf, document_id: DocumentId) -> Mapping[int, tuple[int, int]]:
    """Return start and end of each page, by its number.

    From the printed lines; for pages without lines, such as slides, from the passages, where each page begins
    at the end of the previous one: headings are not part of passages.
    """
    spans: dict[int, tuple[int, int]] = {}
    for line in await shelf.read_lines(document_id):
        start, _ = spans.get(line.page, (line.start, 0))
        spans[line.page] = (start, line.end)
    if spans:
        return spans
    reached = 0
    for passage in await shelf.list_passages_of(document_id):
        if passage.page is not None:
            start, _ = spans.get(passage.page, (reached, 0))
            spans[passage.page] = (start, passage.end)
            reached = passage.end
    return spans


async def read_document_page(shelf: Shelf, document: Document, number: int) -> str:
    """Return the text of one page (from 1); page 1 of a document without pages is all of it.

    Raises: NotFound, SourceRemoved.
    """
    text = await shelf.read_text(document.id)
    if not 1 <= number <= (document.page_count or 1):
        raise NotFound(
            "document.no_page",
            source=document.source,
            number=number,
            pages=document.page_count or 1,
        )
    if document.page_count is None:
        return text
    spans = await read_page_spans(shelf, document.id)
    return text[slice(*spans[number])].strip("\n") if number in spans else ""


# of documents' metadata
MAX_FIELDS = 20
MAX_VALUES = 20
STILL_READ = Message("purge.log_in_use")


class DocumentTools(Protocol):
    """The tools that read and rank documents."""

    @property
    def disk(self) -> Files: ...
    @property
    def ingest(self) -> Ingester: ...
    @property
    def searcher(self) -> CorpusSearcher: ...


class Documents:
    """The documents that the visitor may read: added, listed, read, searched, removed."""

    def __init__(
        self,
        access: CorpusAccess,
        shelf: Shelf,
        opinions: Opinions,
        tools: DocumentTools,
        drop_staged: Callable[[str], Awaitable[None]],
    ) -> None:
        self._drop_staged = drop_staged
        self._access = access
        self._shelf = shelf
        self._opinions = opinions
        self._tools = tools

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
        bibliographies = frozenset(map(Path, coerce_paths(references)))
        survey = await asyncio.to_thread(survey_once, self._tools.disk, coerce_paths(paths), bibliographies)
        notify(FilesSurveyed(survey))
        async with self._access.record_failure(AuditVerb.ADD, corpus) as act:
            target = await self._access.find_writable(corpus)
            options = AddingOptions(metadata or {}, password, ocr, bibliographies, notify)
            await self._access.audit.record(act)
            adding = FileIntake(self._tools.disk, self._tools.ingest, target, options)
            async with aclosing(adding.add_files(survey.files)) as receipts:
                async for receipt in receipts:
                    yield receipt

    async def add_source(self, source: Source, corpus: str = DEFAULT_CORPUS) -> Receipt:
        """Add bytes without a file. Raises NotFound and AccessDenied for another user's corpus."""
        async with self._access.record_outcome(AuditVerb.ADD, corpus):
            target = await self._access.find_writable(corpus)
            return await self._tools.ingest.add(source, target.name, target.owner)

    async def list_corpora(self) -> Sequence[Corpus]:
        """List the corpora that the visitor may search, their own first."""
        return await self._access.mark_writable(await self._shelf.list_corpora(self._access.owner))

    async def list_metadata(self, *, corpora: str | Sequence[str] = ()) -> Sequence[MetadataField]:
        """Return the metadata to filter by: the most frequent names, with their most frequent values."""
        scope = Scope(self._access.owner, coerce_strings(corpora))
        return await self._shelf.count_metadata(scope, MAX_FIELDS, MAX_VALUES)

    async def list(
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
            await check_listed(self._shelf, self._access.owner, after)
        conditions = await check_filters(self._shelf, self._access.owner, filters or {})
        scope = Scope(self._access.owner, coerce_strings(corpora), conditions)
        documents = await self._shelf.list_documents(scope, after, limit, removed=removed)
        return [self._access.replace_corpus_name(document) for document in documents]

    async def get(self, prefix: str) -> Document:
        """Return a document by id, unique prefix, or the path or name of its file.

        Raises: NotFound, with the candidates if there are several.
        """
        return self._access.replace_corpus_name(await self._find_document(prefix))

    async def list_sources(self, corpus: str = DEFAULT_CORPUS) -> Mapping[str, DocumentId]:
        target = await self._access.find_writable(corpus)
        return await self._shelf.list_places(target.name, target.owner)

    async def read_text(self, document_id: DocumentId) -> str:
        """Return the original text that citations' offsets refer to. Raises NotFound, SourceRemoved."""
        return (await self.read(document_id))[1]

    async def read(self, prefix: str) -> tuple[Document, str]:
        """Return a document, found as by `get`, with its original text. Raises NotFound, SourceRemoved."""
        document = await self._read_document(prefix)
        return self._access.replace_corpus_name(document), await self._shelf.read_text(document.id)

    async def read_page(self, prefix: str, number: int) -> str:
        """Return the text of one page (from 1); without pages, 1 is all of it.

        Raises NotFound, SourceRemoved.
        """
        return await read_document_page(self._shelf, await self._read_document(prefix), number)

    async def find_removable(self, prefix: str, *, purge: bool = False) -> Document:
        """Return the document that `remove` would remove. Raises NotFound."""
        document = await find_removable_document(self._shelf, self._access.owner, prefix, purge)
        return self._access.replace_corpus_name(document)

    async def remove(self, prefix: str, *, purge: bool = False) -> Document:
        """Remove a document from search; with `purge`, erase it and all its quotations.

        A removed document can still be purged. Returns the document, with a warning if other files have its
        content, if its file is in another corpus too, or if an open reader of the database's log delays the
        erasure there.

        Raises: NotFound, AccessDenied for a document in another user's corpus that is granted read-only.
        """
        document = await find_removable_document(self._shelf, self._access.owner, prefix, purge)
        async with self._access.record_outcome(AuditVerb.PURGE if purge else AuditVerb.REMOVE, document.id):
            await self._access.check_writable(document)
            others = await list_copies(self._shelf, self._access, document)
            gone = await self._shelf.remove(document.id, purge=purge)
            if purge:
                await self._drop_staged(document.sha256)
        warnings = (*document.warnings, *others, *(() if gone else (STILL_READ,)))
        return replace(self._access.replace_corpus_name(document), warnings=warnings)

    async def restore(self, name: str) -> Document:
        """Undo a removal, by id, unique prefix, or the path or name of the file.

        Raises: NotFound, SourceRemoved after a purge, Conflict if a newer version has replaced it,
        AccessDenied as `remove`.
        """
        document = await find_removed_document(self._shelf, self._access.owner, name)
        async with self._access.record_outcome(AuditVerb.RESTORE, document.id):
            await self._access.check_writable(document)
            return self._access.replace_corpus_name(await self._shelf.restore(document.id))

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
            await check_searchable(self._shelf, self._access.owner, corpora)
        excluded = await self._opinions.list_left_out(self._access.owner)
        checked = await check_filters(self._shelf, self._access.owner, conditions)
        scope = Scope(self._access.owner, corpora, checked, excluded.documents, excluded.passages)
        ranking = await self._tools.searcher.rank_top(request, scope, limit, room)
        if not ranking:
            await check_searchable(self._shelf, self._access.owner, corpora)
        hits = [to_hit(passage) for passage in ranking]
        await self._access.record(AuditVerb.SEARCH, *(hit.document for hit in hits))
        return hits

    async def rank(self, query: str | Sequence[str], *, depth: int = 200) -> Sequence[PassageHit]:
        """Return the ranking before it is cut to the relevant passages, for measurements."""
        ranking = await self._tools.searcher.rank(
            SearchRequest(keyword_query=coerce_strings(query)), Scope(self._access.owner), depth
        )
        return [to_hit(passage) for passage in ranking]

    async def rank_documents(self, query: str | Sequence[str], *, depth: int = 200) -> Sequence[DocumentId]:
        """Return the documents of `rank`, each at the rank of its best passage, without opening any."""
        request = SearchRequest(keyword_query=coerce_strings(query))
        return await self._tools.searcher.rank_documents(request, Scope(self._access.owner), depth)

    async def _find_document(self, prefix: str) -> Document:
        return await find_one_document(self._shelf, self._access.owner, prefix)

    async def _read_document(self, prefix: str) -> Document:
        document = await self._find_document(prefix)
        await self._access.record(AuditVerb.READ, document.id)
        return document


def link_to(document: DocumentId, page: int | None) -> str:
    return f"document://{document}" + (f"/page/{page}" if page is not None else "")


def to_hit(hit: RankedPassage) -> PassageHit:
    """Return a ranked passage with everything needed to open it."""
    passage = hit.passage
    return PassageHit(
        passage=passage.id,
        document=passage.document_id,
        source=hit.source,
        title=hit.title,
        heading=passage.heading,
        page=passage.page,
        start=passage.start,
        end=passage.end,
        text=passage.text,
        score=hit.score,
        parts=hit.parts,
        place=passage.place,
        ocr=passage.ocr,
        code=passage.kind is BlockKind.CODE,
    )
