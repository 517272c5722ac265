"""Ports of the corpus: its dependencies and its interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from shisho.domain.corpus import (
        Citation,
        Complexity,
        Corpus,
        DefinitionMark,
        Document,
        DocumentId,
        Intake,
        NamedPassage,
        NameLink,
        Passage,
        PassageId,
        PrintedLine,
        Reading,
        Receipt,
        Round,
        RoundRecord,
        Scope,
        SearchRequest,
        ShownRecord,
        Source,
        TermVector,
    )
    from shisho.domain.embedding import (
        EmbedderAbout,
        Embedding,
        EmbeddingProgress,
        NewEmbedding,
    )
    from shisho.domain.library import IndexDamage, MetadataField
    from shisho.domain.reference import Reference

T = TypeVar("T")


class Reader(Protocol):
    """A parser from bytes to blocks.

    Hostile bytes end in a typed error within the reader's time and memory limits, never in a crash.
    """

    async def read(self, source: Source) -> Reading:
        """Parse a source. Raises an `UnusableDocument` with the reason if the bytes cannot be read."""

    async def read_references(self, source: Source) -> Sequence[Reference]:
        """Return the entries of a bibliography of a supported media type. Raises as `read`."""

    async def close(self) -> None:
        """Stop the processes that were started for reading."""


class Ingester(Protocol):
    """A service that adds sources to a corpus."""

    async def add(self, source: Source, corpus: str, owner: str) -> Receipt: ...


class Shelf(Protocol):
    """The documents and their passages: the source of truth from which every index is derived.

    Methods that search (with a scope, or the `owner` of `corpora`, `find_documents`, `find_by_source`,
    `find_removed`, `metadata_keys`) find the documents that the owner may read: those of their own corpora,
    and of corpora that `ports.Grants` grants to them or to a group of theirs. These are named `name@owner`,
    in scopes too. Nothing else is visible, not even in a count. Methods that take an id do not check access:
    the caller has found that id.
    """

    async def ensure_corpus(self, name: str, owner: str) -> Corpus: ...

    async def list_corpora(self, owner: str) -> Sequence[Corpus]:
        """List the corpora that the owner may search, their own first, each under the owner's name for it."""

    async def find_known(self, corpus: str, owner: str, sha256: str) -> Document | None:
        """Return the live document of this corpus with these bytes."""

    async def put(self, intake: Intake, *, may_replace: bool = True) -> DocumentId | None:
        """Store a complete document in one transaction and return the version that it superseded.

        A version has the same corpus, owner and source. Raises NameConflict if there is one and `may_replace`
        is false; so do `finish` and `record_seen`.
        """

    async def begin(self, document: Document) -> str:
        """Start storing a document in parts, because it is too long for one transaction.

        The document is invisible until `finish`. Returns the token of this upload; a new upload of the same
        document ends the earlier one. Raises Conflict if the document is live.
        """

    async def extend(self, token: str, part: Intake) -> None:
        """Store the next part. Raises Conflict if the upload was ended."""

    async def finish(self, token: str, document: Document, *, may_replace: bool = True) -> DocumentId | None:
        """Complete an upload, as `put`. Raises Conflict if the upload was ended."""

    async def abandon(self, token: str, document_id: DocumentId) -> None:
        """Delete the parts of an upload."""

    async def record_seen(
        self, document: Document, source: str, metadata: Mapping[str, str], *, may_replace: bool = True
    ) -> bool:
        """Add a source and metadata to a known document.

        A document that was removed since it was looked up becomes live again. Returns False if its text is
        gone.
        """

    async def describe(self, facts: Mapping[DocumentId, Mapping[str, str]]) -> int:
        """Set metadata of documents, replacing the values of the same names.

        Returns the number of documents that changed.
        """

    async def find_document(self, document_id: DocumentId) -> Document:
        """Return a document. Raises NotFound."""

    async def fetch_documents(self, ids: Sequence[DocumentId]) -> Mapping[DocumentId, Document]: ...

    async def find_documents(self, prefix: str, owner: str, limit: int = 2) -> Sequence[Document]:
        """Return documents whose ids begin with a prefix.

        Raises InvalidParams for a blank one, which all ids match.
        """

    async def find_by_source(self, name: str, owner: str) -> Sequence[Document]:
        """Return live documents whose source is this path, or a file of this name."""

    async def find_removed(self, name: str, owner: str) -> Sequence[Document]:
        """Return removed documents whose source was this path, or a file of this name."""

    async def list_metadata_keys(self, owner: str) -> Sequence[str]:
        """Return the metadata names of live documents that the owner may search, in order."""

    async def count_metadata(self, scope: Scope, fields: int, values: int) -> Sequence[MetadataField]:
        """Return the `fields` most frequent metadata names of live documents in scope.

        Each with its `values` most frequent values.
        """

    async def list_documents(
        self, scope: Scope, after: str = "", limit: int = 100, *, removed: bool = False
    ) -> Sequence[Document]:
        """List live or removed documents in scope, oldest first; `after` is the id of the last one seen."""

    async def read_text(self, document_id: DocumentId) -> str:
        """Return the original text. Raises NotFound, or SourceRemoved after a purge."""

    async def read_lines(self, document_id: DocumentId) -> Sequence[PrintedLine]:
        """Return the printed lines with their geometry; empty if the format has none.

        Offsets are those of the original text.
        """

    async def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Passage]:
        """Return the passages among `ids` whose documents are live."""

    async def find_following(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Sequence[Passage]]:
        """Return up to two following passages of the same document for each id whose document is live."""

    async def list_passages_of(self, document_id: DocumentId) -> Sequence[Passage]:
        """Return all passages of a document in order, live or not; none after a purge."""

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        """Return passages that share one of these bands: candidates for the same cluster.

        Passages of removed documents are included, because a removal can be undone.
        """

    async def list_places(self, corpus: str, owner: str) -> Mapping[str, DocumentId]:
        """Return every source of a corpus with its document."""

    async def detach_source(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        """Detach a source that no longer exists and return its document.

        The document is removed if it has no other source; otherwise it takes the name of another source.
        """

    async def count(self, scope: Scope) -> int:
        """Return N, the number of live passages in scope."""

    async def remove(self, *document_ids: DocumentId, purge: bool) -> bool:
        """Remove documents from search, leaving tombstones that citations still open.

        `purge` erases them and the older versions of their files: text, passages, names, metadata, snippets,
        ledger copies; indexes are rebuilt once for all of them. Returns False if a log still contains erased
        data because of an open reader; it disappears when that reader finishes.
        """

    async def restore(self, document_id: DocumentId) -> Document:
        """Undo a removal: the document is found again, at its former sources.

        A live document stays unchanged.

        Raises: NotFound; SourceRemoved after a purge; Conflict if another version has replaced it.
        """


class Index(Protocol):
    """An index derived from the shelf. It can be deleted at any time and rebuilds itself."""

    async def catch_up(self) -> None:
        """Apply the changes of the shelf since the last call."""

    async def view(self, work: Callable[[SearchView], T], *, current: bool = True) -> T:
        """Call `work` in a thread of the store and return its result.

        The index catches up first unless `current` is false.
        """


class MeasuredIndex(Index, Protocol):
    """An index that knows how far it is behind and is closed with its store."""

    async def count_behind(self) -> int:
        """Return the number of shelf changes that the index has not applied."""

    async def examine(self) -> Sequence[IndexDamage]:
        """Check the index's files for damage, which takes a while.

        Damaged files are deleted if possible and rebuilt at the next use. Raises OSError.
        """

    async def close(self) -> None:
        """Close the index's resources; it cannot be used afterwards."""


class SearchView(Protocol):
    """A consistent view of the shelf and its index for one search."""

    def count(self, scope: Scope) -> int:
        """Return N, the number of live passages in scope."""

    def propose(
        self,
        terms: Sequence[str],
        bigrams: Sequence[str],
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> Sequence[PassageId]:
        """Return the best `limit` passages in scope outside `passage_ids`, by the index's own score."""

    def read_frequencies(self, field: str, terms: Sequence[str], scope: Scope) -> Mapping[str, int]:
        """Return the number of passages with each term in their text or heading.

        `field` is terms or bigrams. All passages that the scope's owner may search count, regardless of the
        scope's other filters, and no others: documents that the owner cannot read change no ranking.
        """

    def read_statistics(self, scope: Scope) -> Mapping[str, float]:
        """Return the number of `passages`, and mean numbers of terms in each.

        These are `terms`, `bigrams` and `heading` terms. All passages that the scope's owner may search
        count, as in `read_frequencies`.
        """

    def read_vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]:
        """Return the term vectors of those of `ids` that exist.

        Only `fetch_passages` checks that a document is still live; the proposals of a current index always
        are.
        """

    def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, NamedPassage]:
        """Return the passages among `ids` whose documents are live."""

    def find_short_names(self, keys: Sequence[str], scope: Scope) -> Sequence[NameLink]:
        """Return up to three other names of each key, the ones that most documents in scope use."""

    def find_definitions(self, keys: Sequence[str], scope: Scope, most: int) -> Sequence[DefinitionMark]:
        """Return up to `most` passages in scope that define the keys, those that do so earliest first."""

    def read_texts(self, scope: Scope, most: int) -> Sequence[str]:
        """Return heading, empty line and text of every passage in scope.

        None if there are more than `most` passages.
        """

    @property
    def serving(self) -> EmbedderAbout | None:
        """The embedder whose vectors this view uses, or None if no passage has a vector.

        The configured one, or an earlier one until every passage has its new vector.
        """

    def find_nearest(
        self, vector: Embedding, scope: Scope, limit: int, passage_ids: frozenset[PassageId]
    ) -> Mapping[PassageId, float]:
        """Return the `limit` nearest passages and their cosines, nearest first.

        Only passages in scope outside `passage_ids` count; `vector` is from the embedder `serving`. Exact
        under any filter and exclusion, unless the store has to search a graph of very many vectors. Empty if
        no passage has a vector.
        """

    def measure_similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        """Return the cosine with the vector of each of `ids` that has one."""

    def read_embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]:
        """Return the vectors of `serving` of those of `ids` that have one."""


class SearchSession(Protocol):
    """The searches of one inquiry. Only it knows ids, shown passages, N and k."""

    @property
    def id(self) -> str: ...

    async def search(
        self,
        request: SearchRequest,
        round_: int,
        room_tokens: int = ...,
        page_tokens: int = ...,
        *,
        anew: bool = False,
    ) -> Round:
        """Return the first page of round `round_` (from 1): as many of its k passages as fit the room.

        A repeated call for the same round returns the same passages. `anew`: passages that were shown before
        may appear again, under another number.
        """

    async def show_more(self, round_: int, after: int, page_tokens: int = ...) -> Round:
        """Return the page of a round after this number; repeatable.

        Raises InvalidParams for a number not shown.
        """

    async def resolve(self, temp_index: int, start: int, end: int) -> Citation:
        """Return the span `start:end` of the shown passage's text, as in the stored document."""

    async def measure_rarity(self, terms: Sequence[str]) -> Mapping[str, float]:
        """Return the idf of each term over the corpus, from 0 (everywhere) upward."""

    async def list_fields(self) -> Sequence[str]:
        """Return the fields that documents can be filtered by."""

    async def find_short_names(self, question: str) -> Mapping[str, frozenset[str]]:
        """Map each name of the question that has other names in the scope, folded, to those names."""

    async def read_texts(self) -> Sequence[str]:
        """Return all texts in scope; none if there are too many to scan."""


class SessionLog(Protocol):
    """The passages that each session has shown, stored so that they outlive its process."""

    async def list_rounds(self, session_id: str) -> Sequence[RoundRecord]: ...

    async def add(self, session_id: str, record: RoundRecord) -> None:
        """Add a complete round in one transaction."""

    async def update(self, session_id: str, record: RoundRecord, page: Sequence[ShownRecord]) -> None:
        """Add this page to the round and store its remaining passages, in one transaction."""


class Searcher(Protocol):
    """A factory of search sessions over a scope."""

    async def open(
        self, scope: Scope, complexity: Complexity, room_tokens: int, session_id: str | None = None
    ) -> SearchSession: ...


class Embedder(Protocol):
    """A model that turns text into vectors, outside the event loop.

    It has two methods because queries and passages get different prefixes.

    Raises: ModelFailed if the server did not answer; ExtraMissing or InvalidParams if the model's files
    cannot be used.
    """

    @property
    def about(self) -> EmbedderAbout: ...

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return one vector per text."""

    async def embed_query(self, text: str) -> Embedding: ...


class Embedders(Protocol):
    """The configured embedder, and the available embedders of vectors that are still stored."""

    @property
    def current(self) -> Embedder: ...

    def find(self, about: EmbedderAbout) -> Embedder | None:
        """Return the embedder of this name, or None if its `choice` would now produce different vectors."""


class EmbeddingStore(Protocol):
    """The vectors of passages by one embedder, stored with the shelf.

    Vectors of other embedders stay until every passage has one of this embedder.
    """

    async def list_pending(self, limit: int) -> Sequence[Passage]:
        """Return the next live passages without a vector.

        In the order in which their documents were added.
        """

    async def find_known(self, contents: Sequence[bytes]) -> Mapping[bytes, Embedding]:
        """Return the vectors that passages with these contents already have."""

    async def put(self, embeddings: Sequence[NewEmbedding]) -> None:
        """Store vectors in one transaction.

        Passages that are no longer live, or have a vector, are skipped.
        """

    async def remove_other_vectors(self) -> None:
        """Remove other embedders' vectors if nothing is pending. Searches no longer use them."""

    async def measure_progress(self) -> EmbeddingProgress: ...


class Reranker(Protocol):
    """A model that scores a question and a passage together, outside the event loop.

    Raises: ExtraMissing or InvalidParams if the model's files cannot be used.
    """

    @property
    def name(self) -> str: ...

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Score how well each text fits the question.

        Higher is better; scores are only comparable within one call.
        """
