"""What all indexes of the shelf share, in every database and outside.

These are the words that select candidates, scopes as indexes apply them, the choice of the embedder, and the
feed from which an external index is derived. The progress of that index is recorded in the database, so that
both change in one transaction.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from shisho.domain.corpus import DefinitionMark, NamedPassage, NameLink, PassageId, Scope, TermVector
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.language.vectors import TERM_BYTES, encode_term
from shisho.records import dataclass
from shisho.stores.nouns import Row

WEIGHTS = {"terms": 1.0, "bigrams": 0.4}
HEADING = 3  # a heading term counts as much as this many in the text
EVERYWHERE = 0.9  # share of passages above which a word scores, but selects no candidates (docs/adr/0002)
Word = tuple[str, str]
"""A field, and a term or a pair of characters in it."""


def words_of(terms: Sequence[str], bigrams: Sequence[str]) -> list[Word]:
    """Return the distinct words of a query."""
    words = [("terms", term) for term in dict.fromkeys(terms)]
    return words + [("bigrams", pair) for pair in dict.fromkeys(bigrams)]


def select_informative(
    words: Sequence[Word], frequency: Callable[[Word], int], passages: int
) -> Sequence[Word]:
    """Leave out words that nearly every passage contains, unless there are no others."""
    informative = [word for word in words if frequency(word) <= EVERYWHERE * passages]
    return informative if any(frequency(word) for word in informative) else words


def rarity(frequency: int, passages: int) -> float:
    """Return BM25's IDF for a word in `frequency` of `passages` passages."""
    return math.log(1 + (max(passages, frequency) - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True, slots=True)
class IndexScope:
    """A scope as an index can test it; `None` means no restriction.

    A restriction can cost as much as the query: every passage with a query word is tested, not only the best
    ones.
    """

    corpora: tuple[int, ...] | None
    documents: tuple[str, ...] | None
    without: Sequence[str]
    pages: tuple[int | None, int | None] | None


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
class PassageRef:
    """The properties of a passage that filters test; `number` is its ID as a 60-bit number."""

    number: int
    document_id: str
    corpus: int
    page: int | None


@dataclass(frozen=True, slots=True)
class PassageEntry:
    """A passage as a word index stores it.

    The codes of its terms and of its heading's terms (`language.vectors.encode_terms`), and its character
    pairs, separated by spaces.
    """

    place: PassageRef
    ordinal: int
    terms: bytes
    heading: bytes
    pairs: str


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """A vector as a vector index stores it; `seq` is the order of arrival."""

    place: PassageRef
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

    def list_new_vectors(self, embedder: str, since: int, limit: int) -> tuple[Sequence[VectorEntry], int]:
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

    def measure_similarities(
        self, vector: Embedding, ids: Sequence[PassageId]
    ) -> Mapping[PassageId, float]: ...

    def read_embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]: ...

    def count(self, scope: Scope) -> int: ...

    def read_statistics(self, scope: Scope) -> Mapping[str, float]: ...

    def read_vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]: ...

    def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, NamedPassage]: ...

    def find_short_names(self, keys: Sequence[str], scope: Scope) -> Sequence[NameLink]: ...

    def find_definitions(self, keys: Sequence[str], scope: Scope, most: int) -> Sequence[DefinitionMark]: ...

    def read_texts(self, scope: Scope, most: int) -> Sequence[str]: ...


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

    async def acquire_lease(self, index: str, holder: str, seconds: float) -> bool:
        """Acquire the lease for applying changes; return False if another holder has it.

        The lease expires after `seconds`.
        """

    async def release_lease(self, index: str, holder: str) -> None:
        """Release the lease."""

    async def advance(
        self, index: str, before: IndexMark, after: IndexMark, words: Mapping[str, DocumentWords | None]
    ) -> bool:
        """Record progress from one mark to another; return False, unchanged, if the mark differs.

        `words` has the words of each reindexed document, and None for documents that are no longer live. The
        result is False if the index is no longer at `before`.
        """


PAIR = "\v"  # before a pair of characters, which must differ from a term with the same letters
CODE = "I"
assert array(CODE).itemsize == 4


def word_code(word: Word) -> int:
    """Return the code of a word.

    A word shares its code with one of ten million others once in four hundred times; our scoring, which reads
    the words themselves, ranks the candidates.
    """
    field, text = word
    return int.from_bytes(encode_term(text if field == "terms" else PAIR + text), "little")


def count_codes(terms: bytes, heading: bytes, pairs: str) -> tuple[Counter[int], Counter[int]]:
    """Count the terms and the pairs of a passage by code; terms of the heading have a higher weight.

    `terms` and `heading` are those of `language.vectors.encode_terms`.
    """
    counted = Counter(_list_codes(terms))
    for code in _list_codes(heading):
        counted[code] += HEADING
    return counted, Counter(word_code(("bigrams", pair)) for pair in pairs.split())


def _list_codes(codes: bytes) -> Iterator[int]:
    """Yield codes in order, without line ends."""
    numbers = (
        int.from_bytes(codes[at : at + TERM_BYTES], "little") for at in range(0, len(codes), TERM_BYTES)
    )
    return (number for number in numbers if number)


def pack_words(words: Mapping[int, int]) -> bytes:
    """Pack codes and counts into 8 bytes per word."""
    return array(CODE, [part for pair in sorted(words.items()) for part in pair]).tobytes()


def differences_of(
    before: Iterable[tuple[int, bytes]], after: Iterable[DocumentWords | None]
) -> list[tuple[int, int, int]]:
    """Return the changes of counts, from packed words before and words now, by corpus.

    Each change has the corpus, the word, and the difference in its number of passages. They are sorted, so
    that concurrent updates wait for each other without a deadlock.
    """
    differences: Counter[tuple[int, int]] = Counter()
    for corpus, packed in before:
        for code, count in unpack_words(packed).items():
            differences[corpus, code] -= count
    for words in after:
        if words is not None:
            for code, count in words.passages.items():
                differences[words.corpus, code] += count
    return sorted((*word, count) for word, count in differences.items() if count)


def unpack_words(packed: bytes) -> dict[int, int]:
    """Unpack the result of `pack_words`."""
    numbers = array(CODE, packed)
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


def choose_serving(
    candidates: Sequence[Row], about: EmbedderAbout, is_usable: Callable[[EmbedderAbout], bool]
) -> tuple[EmbedderAbout, bool]:
    """Return the embedder to use if `about` is configured, and whether it has vectors.

    A candidate has a `name`, a `choice`, `has_vectors`, and `is_whole` if it has embedded all passages. The
    most complete candidates come first.
    """
    current = next((row for row in candidates if row.name == about.name), None)
    has_vectors = current is not None and bool(current.has_vectors)
    if current is not None and current.is_whole:
        return about, has_vectors
    for row in candidates:
        other = EmbedderAbout(row.name, row.choice)
        if row is not current and row.has_vectors and is_usable(other):
            return other, True
    return about, has_vectors
