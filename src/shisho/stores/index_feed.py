"""The feed that an index outside the database is derived from, and the book of how far each such index has
come. The book stands
beside the truth, so that both change in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from shisho.domain.corpus import DefinitionMark, NameLink, PassageId, Scope, TermVector
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.domain.ranking import NamedPassage
from shisho.stores.index_scope import IndexScope

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class IndexMark:
    """How far an index has come: the newest change of the shelf and the newest vector that it has taken in.
    An index that is made anew has another `generation`."""

    generation: str
    change: int
    vector: int


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document that has come, gone, or come back; `is_live` is as it is now."""

    seq: int
    document_id: str
    is_live: bool


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """The facts of a passage that filters test; `number` is its id as a number of 60 bits."""

    number: int
    document_id: str
    corpus: int
    page: int | None


@dataclass(frozen=True, slots=True)
class PassageEntry:
    """A passage as an index of words takes it in: its words with one space or line feed between two."""

    place: PassagePlace
    ordinal: int
    terms: str
    heading_terms: str
    bigrams: str


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """A vector as an index of vectors takes it in; `seq` is the order of arrival."""

    place: PassagePlace
    seq: int
    vector: Embedding


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """In how many passages of a document each word stands, by its code; and the corpus that it is in."""

    corpus: int
    passages: Mapping[int, int]


class IndexFeedView(Protocol):
    """One state of the truth: what changed in it, and the half of a `ports.SearchView` that needs no
    index."""

    def mark(self, index: str) -> IndexMark | None:
        """How far the index of this name has come; None where it was never begun."""

    def list_marks(self, beginning: str) -> Mapping[str, IndexMark]:
        """The indexes whose names begin so, and how far each has come."""

    def read_newest(self, embedder: str) -> tuple[int, int]:
        """The newest change of the shelf, and the newest vector of an embedder."""

    def list_changed(self, since: int, limit: int) -> Sequence[ChangedDocument]:
        """Changes after one, oldest first."""

    def list_entries(self, document_id: str, after: int, limit: int) -> Sequence[PassageEntry]:
        """Passages of a live document after an ordinal, in order."""

    def list_vectors_of(
        self, document_id: str, embedder: str, after: int, limit: int
    ) -> Sequence[VectorEntry]:
        """Vectors of a live document after a `seq`, in order."""

    def list_arrived_vectors(
        self, embedder: str, since: int, limit: int
    ) -> tuple[Sequence[VectorEntry], int]:
        """Of the next `limit` vectors after one those of live documents, and the `seq` of the last that was
        looked at; `since` where there is none."""

    def find_dimensions(self, embedder: str) -> int:
        """The length of an embedder's vectors; 0 before its first one."""

    def count_passages_with(self, index: str, codes: Sequence[int], scope: Scope) -> Mapping[int, int]:
        """In how many passages that an index has taken in, and that the scope's owner may search, each word
        stands, by its code; none is left out at 0."""

    def index_scope(self, scope: Scope) -> IndexScope: ...

    def find_serving(self) -> tuple[EmbedderAbout, bool] | None:
        """The embedder whose vectors serve, and whether it has any; None where there is none."""

    def similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]: ...

    def embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]: ...

    def count(self, scope: Scope) -> int: ...

    def statistics(self, scope: Scope) -> Mapping[str, float]: ...

    def vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]: ...

    def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, NamedPassage]: ...

    def find_short_names(self, keys: Sequence[str], scope: Scope) -> Sequence[NameLink]: ...

    def find_definitions(self, keys: Sequence[str], scope: Scope, most: int) -> Sequence[DefinitionMark]: ...

    def texts(self, scope: Scope, most: int) -> Sequence[str]: ...


class IndexFeed(Protocol):
    """The truth behind an index that stands elsewhere. The book's verbs name the index by a word of its
    own."""

    async def read(self, work: Callable[[IndexFeedView], T]) -> T:
        """Do `work` in a thread over one state of the truth."""

    async def begin(self, index: str, mark: IndexMark) -> None:
        """The index is made anew: whatever the book says of it before is forgotten."""

    async def forget(self, index: str) -> None:
        """The index is no more."""

    async def take_turn(self, index: str, holder: str, seconds: float) -> bool:
        """True where `holder` alone may take changes in for so long. A turn that its holder does not give
        back ends by itself."""

    async def give_back(self, index: str, holder: str) -> None:
        """The turn is over."""

    async def advance(
        self, index: str, before: IndexMark, after: IndexMark, words: Mapping[str, DocumentWords | None]
    ) -> bool:
        """The index has come from one mark to another. `words`: those of each document that was taken in
        anew; None for one that is live no more. False, and nothing is written, where the index was no longer
        at `before`."""
