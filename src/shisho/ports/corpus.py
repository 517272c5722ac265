"""Ports of the corpus: what it needs from outside, and what is asked of it."""

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
    from shisho.domain.embedding import EmbedderAbout, Embedding
    from shisho.domain.index_damage import IndexDamage
    from shisho.domain.metadata import MetadataField
    from shisho.domain.ranking import NamedPassage
    from shisho.domain.reference import Reference

T = TypeVar("T")


class Reader(Protocol):
    """Bytes to blocks. Hostile bytes end in a typed error within the reader's time and memory limits, never
    in a crash."""

    async def read(self, source: Source) -> Reading:
        """Raises an `UnusableDocument` that says why these bytes cannot be taken in."""

    async def read_references(self, source: Source) -> Sequence[Reference]:
        """The entries of a bibliography, of a media type that is known. Raises as `read`."""

    async def close(self) -> None:
        """End what was started for reading."""


class Ingester(Protocol):
    """Takes sources into a corpus."""

    async def add(self, source: Source, corpus: str, owner: str) -> Receipt: ...


class Shelf(Protocol):
    """The documents and their passages: the truth from which every index is derived.

    Where a verb looks for something (a scope, or the `owner` of `corpora`, `find_documents`,
    `find_by_source`, `find_removed`, `metadata_keys`) it finds what that owner may read: their own corpora,
    and those that `ports.Grants` names as granted to them or to a group of theirs. They call those
    `name@owner`, in scopes too. Nothing else shows, not even in a count. Verbs that take an id open it for
    anybody: who passes one on has found it."""

    async def ensure_corpus(self, name: str, owner: str) -> Corpus: ...

    async def list_corpora(self, owner: str) -> Sequence[Corpus]:
        """Those that the owner may search, each under the name that they call it by, their own first."""

    async def find_known(self, corpus: str, owner: str, sha256: str) -> Document | None:
        """The live document of this corpus with these bytes."""

    async def put(self, intake: Intake, *, may_replace: bool = True) -> DocumentId | None:
        """Store a whole document in one transaction and return the version it superseded (same corpus, owner
        and source). Unless it `may_replace` that, raises NameConflict; so do `finish` and `record_seen`."""

    async def begin(self, document: Document) -> str:
        """Take in a document part by part, which is one too long for one transaction. Nobody sees it before
        `finish`. Returns the token of this arrival; whoever begins anew with the same document ends it.
        Raises Conflict where it is live."""

    async def extend(self, token: str, part: Intake) -> None:
        """The next part. Raises Conflict where the arrival was ended."""

    async def finish(self, token: str, document: Document, *, may_replace: bool = True) -> DocumentId | None:
        """Every part is there: as `put`. Raises Conflict where the arrival was ended."""

    async def abandon(self, token: str, document_id: DocumentId) -> None:
        """Forget the parts of an arrival."""

    async def record_seen(
        self, document: Document, source: str, metadata: Mapping[str, str], *, may_replace: bool = True
    ) -> bool:
        """A known document stands at this source too, and this is said of it. It is live again where it has
        been retired since it was looked up; False where its text is gone."""

    async def describe(self, facts: Mapping[DocumentId, Mapping[str, str]]) -> int:
        """This is said of documents, in place of what was said under the same names. Returns of how many it
        is news."""

    async def find_document(self, document_id: DocumentId) -> Document:
        """Raises NotFound."""

    async def fetch_documents(self, ids: Sequence[DocumentId]) -> Mapping[DocumentId, Document]: ...

    async def find_documents(self, prefix: str, owner: str, limit: int = 2) -> Sequence[Document]:
        """Those whose ids begin so. Raises InvalidParams for a blank, with which all do."""

    async def find_by_source(self, name: str, owner: str) -> Sequence[Document]:
        """Live documents whose source is this path, or a file of this name."""

    async def find_removed(self, name: str, owner: str) -> Sequence[Document]:
        """Removed documents whose source was this path, or a file of this name."""

    async def list_metadata_keys(self, owner: str) -> Sequence[str]:
        """The names of the metadata of the live documents that the owner may search, in order."""

    async def count_metadata(self, scope: Scope, fields: int, values: int) -> Sequence[MetadataField]:
        """Metadata of live documents in scope: the `fields` names that most of them have, and of each the
        `values` most frequent ones."""

    async def list_documents(
        self, scope: Scope, after: str = "", limit: int = 100, *, removed: bool = False
    ) -> Sequence[Document]:
        """Live documents in scope, or those that were removed, oldest first; `after` is the id of the last
        one seen."""

    async def read_text(self, document_id: DocumentId) -> str:
        """The original text. Raises NotFound, or SourceRemoved after a purge."""

    async def read_lines(self, document_id: DocumentId) -> Sequence[PrintedLine]:
        """Geometry of the printed lines, offsets in the original text; empty where the format has none."""

    async def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Passage]:
        """Those of `ids` whose document is live."""

    async def find_following(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Sequence[Passage]]:
        """For each of `ids` whose document is live, the two passages that come next in it, as far as there
        are any."""

    async def list_passages_of(self, document_id: DocumentId) -> Sequence[Passage]:
        """All passages of a document in order, live or not; none after a purge."""

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        """Passages that share one of these bands: candidates for the same cluster. Those of removed documents
        are among them, for a removal can be undone."""

    async def list_places(self, corpus: str, owner: str) -> Mapping[str, DocumentId]:
        """Every source of a corpus and the document that stands for it."""

    async def detach_source(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        """The source is no longer there: its document, returned, is removed if no other source holds it; one
        that stands elsewhere is called by that place from now on."""

    async def count(self, scope: Scope) -> int:
        """N: live passages in scope."""

    async def remove(self, *document_ids: DocumentId, purge: bool) -> bool:
        """Tombstones: found no more, citations still open. `purge` erases them and the older versions of
        their files: text, passages, names, what was said of them, snippets, ledger copies; an index is made
        anew once for all of them. False where a log still holds what was erased because somebody reads it; it
        goes by itself once they have done."""

    async def restore(self, document_id: DocumentId) -> Document:
        """Undo a removal: it is found again, and stands where it stood; one that is live stays as it is.
        Raises NotFound, SourceRemoved after a purge, Conflict where another version stands in its place
        now."""


class Index(Protocol):
    """An index derived from the shelf. It may be deleted at any time and catches up."""

    async def catch_up(self) -> None:
        """Take in what the shelf has changed since the last time."""

    async def view(self, work: Callable[[SearchView], T], *, current: bool = True) -> T:
        """Do `work` in a thread of the store and return what it returns. The index catches up before, unless
        it need not be `current`."""


class MeasuredIndex(Index, Protocol):
    """An index that knows how far it is behind, and is closed with its store."""

    async def count_behind(self) -> int:
        """How many changes of the shelf it has not taken in."""

    async def examine(self) -> Sequence[IndexDamage]:
        """Look through what it keeps in files, which takes a while. What is damaged is deleted where it can
        be, and made anew at the next use. Raises OSError."""

    async def close(self) -> None:
        """Let go of what it holds open. It is not used afterwards."""


class SearchView(Protocol):
    """One state of the shelf and of its index, for as long as one search looks at it."""

    def count(self, scope: Scope) -> int:
        """N: live passages in scope."""

    def propose(
        self,
        terms: Sequence[str],
        bigrams: Sequence[str],
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> Sequence[PassageId]:
        """The best `limit` passages in scope that are not in `passage_ids`, by the index's own score."""

    def frequencies(self, field: str, terms: Sequence[str], scope: Scope) -> Mapping[str, int]:
        """In how many passages each term stands, in the text or the heading; `field` is terms or bigrams. Of
        all that the scope's owner may search, whatever else the scope narrows, and of nothing else: what
        others keep to themselves changes no ranking."""

    def statistics(self, scope: Scope) -> Mapping[str, float]:
        """How many `passages` the scope's owner may search, and of a passage the mean number of `terms`,
        `bigrams` and `heading` terms. As with `frequencies`, the rest of the scope does not count."""

    def vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]:
        """What is weighed of those of `ids` that there are. Whether a document is still live says
        `passages`; what the index proposes is, where it is current."""

    def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, NamedPassage]:
        """Those of `ids` whose document is live."""

    def find_short_names(self, keys: Sequence[str], scope: Scope) -> Sequence[NameLink]:
        """The other names that documents in scope give to the names of some keys, at most three of each:
        those that most of them give."""

    def find_definitions(self, keys: Sequence[str], scope: Scope, most: int) -> Sequence[DefinitionMark]:
        """Passages in scope that say what the things of some keys are: at most so many, those that state it
        first."""

    def texts(self, scope: Scope, most: int) -> Sequence[str]:
        """Heading, an empty line and text of every passage in scope; none where there are more than
        `most`."""

    @property
    def serving(self) -> EmbedderAbout | None:
        """The embedder whose vectors stand in this view: the one that is set, or an earlier one until every
        passage has its new vector. None where no passage has one."""

    def find_nearest(
        self, vector: Embedding, scope: Scope, limit: int, passage_ids: frozenset[PassageId]
    ) -> Mapping[PassageId, float]:
        """The `limit` passages in scope that are not in `passage_ids` nearest to a vector of `serving`, and
        the cosine of each, nearest first: exact under any filter and any exclusion, but where a store has to
        go along a graph of very many. None where no passage has a vector."""

    def similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        """The cosine with the vector of those of `ids` that have one."""

    def embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]:
        """The vectors of `serving` of those of `ids` that have one."""


class SearchSession(Protocol):
    """One inquiry's way through the corpus. It alone knows ids, what was seen, N and k."""

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
        """Round `round_` (from 1): as many of its k passages as fit the room, the first page of them. Asked
        again for a round it has already given, it gives the same passages. `anew`: what was shown before may
        come again, under another number."""

    async def show_more(self, round_: int, after: int, page_tokens: int = ...) -> Round:
        """The page of a round that comes after this number; again the same if it was shown before. Raises
        InvalidParams where the round has not shown this number."""

    async def resolve(self, temp_index: int, start: int, end: int) -> Citation:
        """The span `start:end` of the shown passage's text, as it stands in the document now stored."""

    async def measure_rarity(self, terms: Sequence[str]) -> Mapping[str, float]:
        """idf of each term over the corpus, from 0 (everywhere) upward."""

    async def list_fields(self) -> Sequence[str]:
        """The fields that documents can be filtered by."""

    async def find_short_names(self, question: str) -> Mapping[str, frozenset[str]]:
        """For each name in a question that documents in scope call otherwise too, folded: its other names."""

    async def read_texts(self) -> Sequence[str]:
        """All that stands in scope; nothing where that is too much to look through."""


class SessionLog(Protocol):
    """The passages that each session has shown, kept so that they outlive its process."""

    async def list_rounds(self, session_id: str) -> Sequence[RoundRecord]: ...

    async def add(self, session_id: str, record: RoundRecord) -> None:
        """A whole round, or nothing."""

    async def update(self, session_id: str, record: RoundRecord, page: Sequence[ShownRecord]) -> None:
        """The round now shows this page too, and has what is still pending; all of it, or nothing."""


class Searcher(Protocol):
    """Opens sessions over a scope."""

    async def open(
        self, scope: Scope, complexity: Complexity, room_tokens: int, session_id: str | None = None
    ) -> SearchSession: ...
