"""Documents, passages, searches over them, and their results.

Offsets count the characters of a text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, NamedTuple, NewType

from shisho.domain.reference import ReferenceMatch
from shisho.domain.time import Instant
from shisho.records import dataclass

DocumentId = NewType("DocumentId", str)
PassageId = NewType("PassageId", str)

LOCAL_OWNER = "local"
DEFAULT_CORPUS = "default"
WEB_CORPUS = "web"
"""The corpus of pages that web searches find. Users create all other corpora."""

FILTER_FIELDS = ("document", "title", "source", "media_type", "added_at", "page")
"""The fields that every document can be filtered by, in addition to its metadata."""


class BlockKind(StrEnum):
    """The kind of a block of a document.

    Paragraphs and lists may share a passage; a table, caption, note or piece of code has its own.
    """

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    TABLE = "table"
    LIST = "list"
    CAPTION = "caption"
    NOTE = "note"
    CODE = "code"


DEFINING_KINDS = frozenset((BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.TABLE))
"""Kinds of blocks that may define a term. Code, captions and notes do not."""


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """The position of one printed line.

    `start:end` of its text, its page (from 1), and its box in points from the page's top left.
    """

    start: int
    end: int
    page: int
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document as its reader parsed it.

    `text` is verbatim; `lines` count offsets inside it. `place`: its position in a document without pages
    (`domain.place`). `ocr`: its text was recognised in a picture and may have wrong letters.
    """

    text: str
    kind: BlockKind = BlockKind.PARAGRAPH
    page: int | None = None
    headings: tuple[str, ...] = ()
    lines: tuple[PrintedLine, ...] = ()
    place: str = ""
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The blocks that a reader parsed from a file.

    `needs_ocr` lists pages (from 1) without a text layer. `description`: the file's own metadata: author,
    year, publisher, container, doi, url, language.
    """

    blocks: tuple[Block, ...]
    title: str = ""
    page_count: int | None = None
    needs_ocr: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    description: Mapping[str, str] = field(default_factory=dict)


class IntakeStage(Enum):
    """The stages of a slow intake: pages are read or recognised, then characters are stored."""

    READING = "reading"
    RECOGNISING = "recognising"
    STORING = "storing"


def ignore_progress(stage: IntakeStage, done: int, total: int) -> None:
    """Drop the progress of an intake that nobody follows."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document to ingest: its bytes, its source, and its owner's metadata.

    `charset`: the encoding that a server reported with the bytes. `has_file`: its name is the path of a file
    with these bytes. `ocr`: whether to recognise text in pictures; None: as configured. `may_replace`: it may
    replace another document with its name. `notify`: called with the stage, the units done, and their total.
    """

    name: str
    data: bytes
    media_type: str | None = None
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    password: str | None = field(default=None, repr=False)
    charset: str | None = None
    has_file: bool = False
    ocr: bool | None = None
    may_replace: bool = True
    notify: Callable[[IntakeStage, int, int], None] = field(
        default=ignore_progress, repr=False, compare=False
    )


class DocumentState(StrEnum):
    """The state of a document.

    live: searchable · superseded: by a newer version · removed: tombstone · purged: text erased.
    """

    LIVE = "live"
    SUPERSEDED = "superseded"
    REMOVED = "removed"
    PURGED = "purged"


NO_LONGER: Mapping[DocumentState, str] = {
    DocumentState.REMOVED: "gone_source",
    DocumentState.SUPERSEDED: "older_source",
}
"""Keys of the words that mark a quotation whose document opens but is not searchable."""


@dataclass(frozen=True, slots=True)
class Document:
    """One immutable version of a document, named by the hash of its corpus and bytes."""

    id: DocumentId
    corpus: str
    owner: str
    source: str
    title: str
    media_type: str
    sha256: str
    size: int
    page_count: int | None
    passage_count: int
    state: DocumentState
    added_at: Instant
    metadata: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one document: `document text[start:end] == text`.

    `terms` holds the index terms, one sentence per line, separated by spaces; `bigrams` the character pairs
    likewise. Ingest makes them; a passage from a store has none. `cluster` names its group of
    near-duplicates; `bands` are the hashes that look up near-duplicates when it is stored. `place` and `ocr`
    are those of a `Block`.
    """

    id: PassageId
    document_id: DocumentId
    ordinal: int
    start: int
    end: int
    page: int | None
    heading: str
    kind: BlockKind
    text: str
    terms: str
    heading_terms: str
    bigrams: str
    cluster: str
    bands: tuple[int, ...] = ()
    place: str = ""
    ocr: bool = False


class TermVector(NamedTuple):
    """The data of a passage that searches score, computed during ingest.

    The codes of its terms and of its heading's terms (`language.vectors.encode_terms`), the characters of
    heading and text (`encode_characters`), and the counts of terms, heading terms and character pairs.
    `document_term_count`: terms in all passages of its document; 0 if unknown.
    """

    passage_id: PassageId
    document_id: DocumentId
    terms: bytes
    heading: bytes
    characters: bytes
    term_count: int
    heading_count: int
    pair_count: int
    document_term_count: int


class NameLink(NamedTuple):
    """A link from one name of a thing to another; each pair is stored in both directions.

    A key is the index terms of a name, so that a question finds it in any inflection.
    """

    key: str
    name: str
    other_key: str
    other: str


class DefinitionMark(NamedTuple):
    """A sentence that defines the thing of a key: `start:end` in the document's text.

    `is_stated`: its wording states the definition; otherwise it is the first sentence under a heading of that
    name.
    """

    key: str
    passage_id: PassageId
    start: int
    end: int
    is_stated: bool


@dataclass(frozen=True, slots=True)
class DocumentNames:
    """The names read from a document, or from a part of it."""

    links: tuple[NameLink, ...] = ()
    definitions: tuple[DefinitionMark, ...] = ()


@dataclass(frozen=True, slots=True)
class Intake:
    """A document, or a part of one, ready to be stored in one transaction.

    Offsets of lines and passages count from the beginning of the document; `start` is the offset of this
    text.
    """

    document: Document
    text: str
    lines: tuple[PrintedLine, ...]
    passages: tuple[Passage, ...]
    start: int = 0
    names: DocumentNames = field(default_factory=DocumentNames)


@dataclass(frozen=True, slots=True)
class FileSurvey:
    """The files below some paths in order of name, and the skipped ones.

    `left_out`: how many files were skipped, by name. `unreadable`: folders that cannot be listed; they are
    also in `files`, because reading them reports the reason.
    """

    files: tuple[Path, ...]
    left_out: Mapping[str, int]
    unreadable: tuple[Path, ...] = ()


class IntakeOutcome(StrEnum):
    """The outcome of ingesting a source.

    `added`: new. `known`: stored already. `moved`: known from another path that it has left.
    `replaced`: a new version of an older document. `described`: a bibliography whose entries describe
    documents. `failed`: unusable. `gone`: missing.
    """

    ADDED = "added"
    KNOWN = "known"
    MOVED = "moved"
    REPLACED = "replaced"
    DESCRIBED = "described"
    FAILED = "failed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The outcome for one source, as reported to its owner.

    `code` and `reason` are set if it failed; `references` holds the outcome of each entry of a bibliography.
    """

    source: str
    outcome: IntakeOutcome
    document_id: DocumentId | None = None
    title: str = ""
    pages: int | None = None
    passages: int = 0
    code: str = ""
    reason: str = ""
    warnings: tuple[str, ...] = ()
    references: tuple[ReferenceMatch, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A passage found outside a session, with its location and the parts of its score."""

    passage: PassageId
    document: DocumentId
    source: str
    title: str
    heading: str
    page: int | None
    start: int
    end: int
    text: str
    score: float
    parts: Mapping[str, float]
    place: str = ""
    ocr: bool = False
    code: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """The result of checking one feature, and its remedy if it does not work."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Corpus:
    """A collection of documents with one owner.

    `name` is the caller's name for it. `is_writable`: the caller may change it.
    """

    name: str
    owner: str
    documents: int
    passages: int
    is_writable: bool = True


@dataclass(frozen=True, slots=True)
class FilterRange:
    """An inclusive range in a filter; either end may be open.

    Values compare by the type of their field: number, date or text.
    """

    low: str | None = None
    high: str | None = None


Condition = str | tuple[str, ...] | FilterRange


@dataclass(frozen=True, slots=True)
class Scope:
    """The passages that a search may find.

    Those that `owner` may read (their own and granted ones), in some corpora (none named: all), under filters
    by metadata, page or date, without certain documents. Sessions skip `rejected` passages. A granted corpus
    is named `name@owner`.
    """

    owner: str = LOCAL_OWNER
    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)
    without: tuple[DocumentId, ...] = ()
    rejected: tuple[PassageId, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A caller's request to the searcher. It never names an algorithm and never passes k.

    Optional filters are dropped if they leave no passage. `read_around`: numbers of shown passages whose
    neighbours come first. `fills_room`: show passages beyond k while they fit the room.
    """

    search_intent: str = ""
    keyword_query: tuple[str, ...] = ()
    vector_query: str = ""
    filter_conditions: Mapping[str, Condition] = field(default_factory=dict)
    with_synonyms: bool = False  # synonyms of a keyword count as the keyword
    are_filters_optional: bool = False
    read_around: tuple[int, ...] = ()
    fills_room: bool = False


UNBOUNDED_ROOM = sys.maxsize  # tokens: a round shows all k passages


class Complexity(StrEnum):
    """The number of things that a question asks for. It decides how deep a round searches."""

    SINGLE = "single"
    SEVERAL = "several"
    COMPARISON = "comparison"


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage in a ranking: its score, the parts of the score, and its document's names."""

    passage: Passage
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class NumberedPassage:
    """A passage as the librarian sees it: number, text, heading and match. It has no id.

    `match`: the share of the query that it matches. `after`: the text that follows it under the same heading
    of the same page, with the white space between; a quotation that begins in the passage may continue there.
    `overleaf`: the text that follows at the top of the next page; a separate quotation may be there, but none
    across the page break. `code_after`: the code that directly follows and that the passage introduces; it
    may be quoted separately. `title`: of its document. `code`: source code or similar lines, quoted verbatim.
    `definition`: the span of the text that defines the requested thing; None if there is none. `is_stated`:
    its wording states the definition; it is not only the first sentence under a heading of that name.
    """

    temp_index: int
    text: str
    heading: str
    match: float
    ocr: bool = False
    after: str = ""
    title: str = ""
    overleaf: str = ""
    code: bool = False
    definition: tuple[int, int] | None = None
    is_stated: bool = False
    code_after: str = ""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a session: the shown passages, the number ranked (k) and in scope (N).

    `sources`: a citation that opens each shown passage as a whole, in the same order, without its text.
    `pending`: how many more passages of the round `show_more` shows.
    """

    shown: tuple[NumberedPassage, ...]
    ranked: int
    in_scope: int
    exhausted: bool
    sources: tuple[Citation, ...] = ()
    pending: int = 0


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """The passage behind a number of a session; the number is 0 if it is not shown yet."""

    number: int
    passage_id: PassageId
    document_id: DocumentId
    match: float


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round in the session's log. `pending`: passages for its next pages, in order."""

    round: int
    ranked: int
    in_scope: int
    exhausted: bool
    shown: tuple[ShownRecord, ...]
    pending: tuple[ShownRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A verbatim span with everything that opens it.

    `start:end` are offsets in the document's original text. `site`: the registered domain of a web page;
    empty otherwise. `place` and `ocr` are those of a `Block`; `code` is that of a `NumberedPassage`.
    `header`: the header rows of a table, if the span is in one.
    """

    document_id: DocumentId
    title: str
    source: str
    page: int | None
    start: int
    end: int
    snippet: str
    sha256: str
    passage_id: PassageId
    cluster: str
    site: str = ""
    place: str = ""
    ocr: bool = False
    code: bool = False
    header: str = ""


BULLET = "• "
_MARK = re.compile(r"^(?:•|\d{1,4}\.) ")


def write_mark(text: str, number: int) -> str:
    """Return the text after its number, or after a bullet if `number` is 0."""
    return f"{number}. {text}" if number > 0 else BULLET + text


def strip_mark(text: str) -> str:
    """Return the text without its mark."""
    return _MARK.sub("", text)


ALIASES = "aliases"
"""The metadata field for other names of the thing in a document's title, separated by semicolons."""
ALIAS_SEPARATOR = "; "


def make_names(links: Iterable[tuple[Any, ...]], marks: Iterable[tuple[Any, ...]]) -> DocumentNames:
    """Return the names built from the fields of each."""
    return DocumentNames(tuple(map(NameLink._make, links)), tuple(map(DefinitionMark._make, marks)))


def list_aliases(metadata: Mapping[str, str]) -> list[str]:
    """Return the other names of the thing in a document's title."""
    return [
        plain
        for alias in metadata.get(ALIASES, "").split(ALIAS_SEPARATOR.strip())
        if (plain := alias.strip())
    ]


class NamedPassage(NamedTuple):
    """A passage with the names of its document."""

    passage: Passage
    source: str
    title: str


class RankedCandidate(NamedTuple):
    """A passage in a ranking before it is loaded: its score, and the parts of that sum.

    A mapping of the parts is built only on access, because most candidates are never read.
    """

    passage_id: PassageId
    document_id: DocumentId
    score: float
    part_names: Sequence[str] = ()
    part_values: Sequence[float] = ()

    @property
    def parts(self) -> Mapping[str, float]:
        return dict(zip(self.part_names, self.part_values, strict=True))
