"""The feed from which an external index is derived, and the records of its progress.

The records are in the database that the index is derived from, so that both change in one transaction.
"""

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
    """The progress of an index: the newest change and the newest vector that it includes.

    A rebuilt index has another `generation`.
    """

    generation: str
    change: int
    vector: int


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document that was added, removed or restored; `is_live` is its current state."""

    seq: int
    document_id: str
    is_live: bool


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """The properties of a passage that filters test; `number` is its ID as a 60-bit number."""

    number: int
    document_id: str
    corpus: int
    page: int | None


@dataclass(frozen=True, slots=True)
class PassageEntry:
    """A passage as a word index stores it.

    The codes of its terms and of its heading's terms (`language.vectors.term_codes`), and its character
    pairs, separated by spaces.
    """

    place: PassagePlace
    ordinal: int
    terms: bytes
    heading: bytes
    pairs: str


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """A vector as a vector index stores it; `seq` is the order of arrival."""

    place: PassagePlace
    seq: int
    vector: Embedding


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """The number of a document's passages that contain each word, by code, and its corpus."""

    corpus: int
    passages: Mapping[int, int]


class IndexFeedView(Protocol):
    """A snapshot of the database: its changes, and a `ports.SearchView` without an index."""

    def mark(self, index: str) -> IndexMark | None:
        """Return the progress of an index; None if it was never created."""

    def list_marks(self, beginning: str) -> Mapping[str, IndexMark]:
        """Return the progress of all indexes whose names begin with a prefix."""

    def read_newest(self, embedder: str) -> tuple[int, int]:
        """Return the newest change of the shelf, and the newest vector of an embedder."""

    def list_changed(self, since: int, limit: int) -> Sequence[ChangedDocument]:
        """List the changes after a given one, oldest first."""

    def list_entries(self, document_id: str, after: int, limit: int) -> Sequence[PassageEntry]:
        """List passages of a live document after an ordinal, in order."""

    def list_vectors_of(
        self, document_id: str, embedder: str, after: int, limit: int
    ) -> Sequence[VectorEntry]:
        """List vectors of a live document after a `seq`, in order."""

    def list_arrived_vectors(
        self, embedder: str, since: int, limit: int
    ) -> tuple[Sequence[VectorEntry], int]:
        """Return those of the next `limit` vectors whose documents are live, and the last `seq`.

        It is the `seq` of the last vector examined, or `since` if there was none.
        """

    def find_dimensions(self, embedder: str) -> int:
        """Return the dimensions of an embedder's vectors; 0 before its first one."""

    def count_passages_with(self, index: str, codes: Sequence[int], scope: Scope) -> Mapping[int, int]:
        """Count the indexed passages that contain each word, by code, including zeros.

        Only passages that the scope's owner may search are counted.
        """

    def index_scope(self, scope: Scope) -> IndexScope: ...

    def find_serving(self) -> tuple[EmbedderAbout, bool] | None:
        """Return the embedder that searches use, and whether it has vectors; None without one."""

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
    """The database as the source of an external index, and the records of such indexes.

    `index` is the name of an index in these records.
    """

    async def read(self, work: Callable[[IndexFeedView], T]) -> T:
        """Run `work` in a thread, on one snapshot of the database."""

    async def begin(self, index: str, mark: IndexMark) -> None:
        """Record a new or rebuilt index; earlier records of it are deleted."""

    async def forget(self, index: str) -> None:
        """Delete the records of an index."""

    async def take_turn(self, index: str, holder: str, seconds: float) -> bool:
        """Acquire the lease for applying changes; return False if another holder has it.

        The lease expires after `seconds`.
        """

    async def give_back(self, index: str, holder: str) -> None:
        """Release the lease."""

    async def advance(
        self, index: str, before: IndexMark, after: IndexMark, words: Mapping[str, DocumentWords | None]
    ) -> bool:
        """Record progress from one mark to another; return False, unchanged, if the mark differs.

        `words` has the words of each reindexed document, and None for documents that are no longer live. The
        result is False if the index is no longer at `before`.
        """
