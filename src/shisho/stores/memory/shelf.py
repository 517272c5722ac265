"""A shelf that keeps nothing: for tests, and for trying things out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count

from shisho.domain.corpus import (
    Corpus,
    Document,
    DocumentId,
    DocumentState,
    Intake,
    Passage,
    PassageId,
    PrintedLine,
    Scope,
)
from shisho.domain.metadata import MetadataField, MetadataValue
from shisho.domain.team import Access, CorpusKey
from shisho.errors import Conflict, NotFound, SourceRemoved
from shisho.stores.beginnings import check_beginning
from shisho.stores.memory.scope import is_on_page, matches
from shisho.stores.refusals import name_taken
from shisho.stores.restoring import check_restorable


class MemoryShelf:
    """`ports.Shelf` in dictionaries."""

    def __init__(self, erase: Callable[[DocumentId], None] | None = None) -> None:
        """`erase`: others erase with it what they hold of a purged document."""
        self._erase = erase
        self._corpora: dict[tuple[str, str], None] = {}
        self._documents: dict[DocumentId, Document] = {}
        self._intakes: dict[DocumentId, Intake] = {}
        self._places: dict[tuple[str, str, str], DocumentId] = {}
        self._arrivals: dict[DocumentId, tuple[str, list[Intake]]] = {}
        self._tokens = count()
        #: What a reader may do with a corpus: `MemoryGrants` puts its own in this place.
        self.access_of = _access_of_owner

    @property
    def corpus_keys(self) -> frozenset[CorpusKey]:
        """Every corpus there is."""
        return frozenset(CorpusKey(*key) for key in self._corpora)

    async def ensure_corpus(self, name: str, owner: str) -> Corpus:
        self._corpora[owner, name] = None
        return next(corpus for corpus in await self.list_corpora(owner) if corpus.name == name)

    async def list_corpora(self, owner: str) -> Sequence[Corpus]:
        keys = sorted(self.corpus_keys, key=lambda key: (key.owner != owner, key.name, key.owner))
        return [self._counted(key, owner) for key in keys if self.access_of(key, owner)]

    def _counted(self, key: CorpusKey, reader: str) -> Corpus:
        documents = self._live(Scope(reader, (key.address(reader),)))
        passages = sum(document.passage_count for document in documents)
        return Corpus(key.address(reader), key.owner, len(documents), passages)

    async def find_known(self, corpus: str, owner: str, sha256: str) -> Document | None:
        scope = Scope(owner, (corpus,))
        return next((document for document in self._live(scope) if document.sha256 == sha256), None)

    async def put(self, intake: Intake, *, may_replace: bool = True) -> DocumentId | None:
        document = intake.document
        self._check_free(document, document.source, may_replace)
        self._corpora[document.owner, document.corpus] = None
        held_document = self._documents.get(document.id)
        metadata = (
            document.metadata if held_document is None else {**held_document.metadata, **document.metadata}
        )
        if held_document is None or held_document.state is DocumentState.PURGED:
            self._intakes[document.id] = intake
        self._documents[document.id] = replace(
            document, metadata=metadata, passage_count=len(intake.passages)
        )
        return self._place(document, document.source)

    def _check_free(self, document: Document, source: str, may_replace: bool) -> None:
        """Raises NameConflict where another document stands at the source that this one must not replace."""
        earlier = self._places.get((document.owner, document.corpus, source))
        if earlier not in (None, document.id) and not may_replace:
            raise name_taken(source, str(earlier))

    def _place(self, document: Document, source: str) -> DocumentId | None:
        earlier = self._places.get((document.owner, document.corpus, source))
        self._places[document.owner, document.corpus, source] = document.id
        if earlier is None or earlier == document.id:
            return None
        return self._retire(earlier, source, DocumentState.SUPERSEDED)

    def _retire(self, name: DocumentId, source: str, state: DocumentState) -> DocumentId | None:
        document = self._documents[name]
        if document.state is not DocumentState.LIVE:
            return None
        sources = self.sources(name)
        if not sources:
            self._documents[name] = replace(document, state=state)
            return name
        if document.source not in sources:
            self._rename(document, source, min(sources))
        return None

    def _rename(self, document: Document, source: str, new: str) -> None:
        is_left = (document.owner, document.corpus, source) not in self._places
        older = (DocumentState.SUPERSEDED, DocumentState.REMOVED)
        for version in list(self._documents.values()):
            is_version = version.source == source and version.state in older and is_left
            same_corpus = (version.corpus, version.owner) == (document.corpus, document.owner)
            if version.id == document.id or (is_version and same_corpus):
                self._documents[version.id] = replace(version, source=new)

    async def begin(self, document: Document) -> str:
        held_document = self._documents.get(document.id)
        if held_document is not None and held_document.state is DocumentState.LIVE:
            raise Conflict("Another process has just taken this file in. Add it again.")
        token = f"{document.id} {next(self._tokens)}"
        self._arrivals[document.id] = (token, [])
        return token

    async def extend(self, token: str, part: Intake) -> None:
        self._arrived(token, part.document.id).append(part)

    async def finish(self, token: str, document: Document, *, may_replace: bool = True) -> DocumentId | None:
        parts = self._arrived(token, document.id)
        self._check_free(document, document.source, may_replace)
        del self._arrivals[document.id]
        lines = tuple(line for part in parts for line in part.lines)
        passages = tuple(passage for part in parts for passage in part.passages)
        self._documents.pop(document.id, None)
        return await self.put(Intake(document, "".join(part.text for part in parts), lines, passages))

    async def abandon(self, token: str, document_id: DocumentId) -> None:
        if self._arrivals.get(document_id, ("",))[0] == token:
            del self._arrivals[document_id]

    def _arrived(self, token: str, document_id: DocumentId) -> list[Intake]:
        arriving, parts = self._arrivals.get(document_id, ("", []))
        if arriving != token:
            raise Conflict("Another process takes the same file in. Add it again.")
        return parts

    async def record_seen(
        self, document: Document, source: str, metadata: Mapping[str, str], *, may_replace: bool = True
    ) -> bool:
        held_document = self._documents.get(document.id)
        if held_document is None or held_document.state is DocumentState.PURGED:
            return False
        self._check_free(document, source, may_replace)
        if held_document.state is not DocumentState.LIVE:
            held_document = replace(held_document, state=DocumentState.LIVE, source=source)
        self._documents[document.id] = replace(held_document, metadata={**held_document.metadata, **metadata})
        self._place(document, source)
        return True

    async def describe(self, facts: Mapping[DocumentId, Mapping[str, str]]) -> int:
        count = 0
        for document_id, description in facts.items():
            document = self._documents.get(document_id)
            if document is None or description.items() <= document.metadata.items():
                continue
            self._documents[document_id] = replace(document, metadata={**document.metadata, **description})
            count += 1
        return count

    async def find_document(self, document_id: DocumentId) -> Document:
        if document_id not in self._documents:
            raise NotFound("There is no document {document_id}.", document_id=document_id)
        return self._documents[document_id]

    async def fetch_documents(self, ids: Sequence[DocumentId]) -> Mapping[DocumentId, Document]:
        return {name: self._documents[name] for name in ids if name in self._documents}

    async def find_documents(self, prefix: str, owner: str, limit: int = 2) -> Sequence[Document]:
        check_beginning(prefix, "document")
        documents = [
            document
            for document in self._documents.values()
            if document.id.startswith(prefix) and self._is_readable(document, owner)
        ]
        return sorted(documents, key=lambda document: document.id)[:limit]

    async def find_by_source(self, name: str, owner: str) -> Sequence[Document]:
        document_ids = {
            document
            for (whose, corpus, place), document in self._places.items()
            if self.access_of(CorpusKey(whose, corpus), owner) and name in (place, place.split("/")[-1])
        }
        return [self._documents[document_id] for document_id in document_ids]

    async def find_removed(self, name: str, owner: str) -> Sequence[Document]:
        return [
            document
            for document in self._documents.values()
            if document.state is DocumentState.REMOVED
            and self._is_readable(document, owner)
            and name in (document.source, document.source.split("/")[-1])
        ]

    async def list_metadata_keys(self, owner: str) -> Sequence[str]:
        return sorted({key for document in self._live(Scope(owner)) for key in document.metadata})

    async def count_metadata(self, scope: Scope, fields: int, values: int) -> Sequence[MetadataField]:
        counts: dict[str, Counter[str]] = {}
        for document in self._live(scope):
            for name, value in document.metadata.items():
                counts.setdefault(name, Counter())[value] += 1
        names = sorted(counts, key=lambda name: (-counts[name].total(), name))
        return [_count_values(name, counts[name], values) for name in names[:fields]]

    async def list_documents(
        self, scope: Scope, after: str = "", limit: int = 100, *, removed: bool = False
    ) -> Sequence[Document]:
        state = DocumentState.REMOVED if removed else DocumentState.LIVE
        ordered = sorted(self._in_scope(scope, state), key=lambda document: (document.added_at, document.id))
        seen_count = next((at + 1 for at, document in enumerate(ordered) if document.id == after), 0)
        return ordered[seen_count : seen_count + limit]

    async def read_text(self, document_id: DocumentId) -> str:
        if (await self.find_document(document_id)).state is DocumentState.PURGED:
            raise SourceRemoved(
                "The text of this document was purged. Add the file again to read it.", document=document_id
            )
        return self._intakes[document_id].text

    async def read_lines(self, document_id: DocumentId) -> Sequence[PrintedLine]:
        intake = self._intakes.get(document_id)
        return () if intake is None else intake.lines

    async def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Passage]:
        passage_ids = set(ids)
        return {passage.id: passage for passage in self.list_searchable() if passage.id in passage_ids}

    async def find_following(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Sequence[Passage]]:
        passages = (await self.fetch_passages(ids)).values()
        after = {
            passage.id: self._intakes[passage.document_id].passages[passage.ordinal + 1 : passage.ordinal + 3]
            for passage in passages
        }
        return {passage_id: followers for passage_id, followers in after.items() if followers}

    async def list_passages_of(self, document_id: DocumentId) -> Sequence[Passage]:
        intake = self._intakes.get(document_id)
        return () if intake is None else intake.passages

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        wanted_bands = set(bands)
        # those that are not live too: a removal can be undone
        intakes = [intake for intake in self._intakes.values() if intake.document.owner == owner]
        passages = [passage for intake in intakes for passage in intake.passages]
        return [passage for passage in passages if wanted_bands.intersection(passage.bands)][:50]

    async def list_places(self, corpus: str, owner: str) -> Mapping[str, DocumentId]:
        return {
            place: name
            for (place_owner, within, place), name in self._places.items()
            if (place_owner, within) == (owner, corpus)
        }

    async def detach_source(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        name = self._places.pop((owner, corpus, source), None)
        return None if name is None else self._retire(name, source, DocumentState.REMOVED)

    async def count(self, scope: Scope) -> int:
        return len(self.list_searchable(scope))

    def states_of_bytes(self) -> Mapping[str, frozenset[DocumentState]]:
        """For each hash of bytes the states of its documents: what keeps the bytes asks."""
        states: dict[str, frozenset[DocumentState]] = {}
        for document in self._documents.values():
            states[document.sha256] = states.get(document.sha256, frozenset()) | {document.state}
        return states

    async def remove(self, *document_ids: DocumentId, purge: bool) -> bool:
        for document_id in document_ids:
            await self._remove(document_id, purge=purge)
        return True

    async def _remove(self, document_id: DocumentId, *, purge: bool) -> None:
        document = await self.find_document(document_id)
        if document.state is DocumentState.PURGED:
            raise NotFound("There is no document {document_id} to remove.", document_id=document_id)
        state = DocumentState.PURGED if purge else DocumentState.REMOVED
        self._documents[document_id] = replace(document, state=state)
        self._places = {place: name for place, name in self._places.items() if name != document_id}
        if purge:
            self._purge(document)

    async def restore(self, document_id: DocumentId) -> Document:
        document = self._documents.get(document_id)
        where = None if document is None else (document.owner, document.corpus, document.source)
        restored = check_restorable(document, document_id, self._places.get(where) if where else None)
        self._documents[document_id] = restored
        if document is not None and document.state is not DocumentState.LIVE:
            self._place(restored, restored.source)
        return restored

    def _purge(self, held_document: Document) -> None:
        same = [
            document
            for document in self._documents.values()
            if (document.corpus, document.owner) == (held_document.corpus, held_document.owner)
        ]
        gone_states = (DocumentState.SUPERSEDED, DocumentState.REMOVED)
        versions = [
            document
            for document in same
            if document.source == held_document.source and document.state in gone_states
        ]
        for document in (*versions, held_document):
            del self._intakes[document.id]
            bare = replace(
                document, state=DocumentState.PURGED, source="", title="", metadata={}, warnings=()
            )
            self._documents[document.id] = bare
            if self._erase is not None:
                self._erase(document.id)

    def sources(self, document_id: DocumentId) -> list[str]:
        """Where a document stands."""
        return [source for (_, _, source), name in self._places.items() if name == document_id]

    @property
    def known_documents(self) -> Mapping[DocumentId, Document]:
        """All documents there have been, by their ids."""
        return self._documents

    def list_searchable(self, scope: Scope | None = None) -> list[Passage]:
        """Passages of live documents, in scope where one is given."""
        live = (
            [document for document in self._documents.values() if document.state is DocumentState.LIVE]
            if scope is None
            else self._live(scope)
        )
        pages = None if scope is None else scope.filters.get("page")
        passages = [passage for document in live for passage in self._intakes[document.id].passages]
        return (
            passages
            if pages is None
            else [
                passage
                for passage in passages
                if passage.page is not None and is_on_page(passage.page, pages)
            ]
        )

    def _is_readable(self, document: Document, reader: str) -> bool:
        return self.access_of(_key(document), reader) is not None

    def _live(self, scope: Scope) -> list[Document]:
        return self._in_scope(scope, DocumentState.LIVE)

    def _in_scope(self, scope: Scope, state: DocumentState) -> list[Document]:
        readable = (
            document
            for document in self._documents.values()
            if document.state is state and self._is_readable(document, scope.owner)
        )
        within = (
            document
            for document in readable
            if (not scope.corpora or _key(document).address(scope.owner) in scope.corpora)
            and matches(document, scope)
        )
        return [document for document in within if document.id not in scope.without]


def _key(document: Document) -> CorpusKey:
    return CorpusKey(document.owner, document.corpus)


def _access_of_owner(corpus: CorpusKey, reader: str) -> Access | None:
    """Nothing is granted."""
    return Access.OWN if corpus.owner == reader else None


def _count_values(name: str, counts: Counter[str], most: int) -> MetadataField:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    values = tuple(MetadataValue(value, count) for value, count in ordered[:most])
    return MetadataField(name, counts.total(), len(counts), values)
