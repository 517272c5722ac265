"""Documents, passages, and what is asked of them and found in them. Offsets count a text's characters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, NewType

from shisho.domain.reference import ReferenceMatch
from shisho.domain.time import Instant

DocumentId = NewType("DocumentId", str)
PassageId = NewType("PassageId", str)

LOCAL_OWNER = "local"
DEFAULT_CORPUS = "default"
WEB_CORPUS = "web"
"""Where pages go that searches bring. All other corpora are of the user's own making."""

FILTER_FIELDS = ("document", "title", "source", "media_type", "added_at", "page")
"""What every document can be filtered by, beside what its owner says of it."""


class BlockKind(StrEnum):
    """The kind of a block of a document. Paragraphs and lists may share a passage; a table, caption, note or
    piece of code has its own."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    TABLE = "table"
    LIST = "list"
    CAPTION = "caption"
    NOTE = "note"
    CODE = "code"


DEFINING_KINDS = frozenset((BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.TABLE))
"""Blocks in which a thing may be defined: code, captions and notes define nothing."""


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """Where one printed line stands: `start:end` of its text, its page (from 1), its box in points from the
    page's top left."""

    start: int
    end: int
    page: int
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document as its reader saw it. `text` is verbatim; `lines` count offsets inside it.

    `place` says where it stands in what has no pages (`domain.place`); `ocr`: its text was recognised in a
    picture and may have wrong letters."""

    text: str
    kind: BlockKind = BlockKind.PARAGRAPH
    page: int | None = None
    headings: tuple[str, ...] = ()
    lines: tuple[PrintedLine, ...] = ()
    place: str = ""
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The blocks that a reader made of some bytes. `needs_ocr` lists pages (from 1) that hold no text layer;
    `description` is what the file says of itself: author, year, publisher, container, doi, url, language."""

    blocks: tuple[Block, ...]
    title: str = ""
    page_count: int | None = None
    needs_ocr: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    description: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """Something to take in: its bytes, where they came from, and what its owner says of it. `charset`: what a
    server named beside the bytes. `has_file`: its name is the path of a file that holds them. `ocr`: may text
    in pictures be recognised, None: as it is set. `may_replace`: it may take the place of another document of
    its name. `notify_…`: told of pages or characters, of how many."""

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
    notify_read: Callable[[int, int], None] | None = field(default=None, repr=False, compare=False)
    notify_page: Callable[[int, int], None] | None = field(default=None, repr=False, compare=False)
    notify_stored: Callable[[int, int], None] | None = field(default=None, repr=False, compare=False)


class DocumentState(StrEnum):
    """live: searchable · superseded: by a newer version · removed: tombstone · purged: text erased."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    REMOVED = "removed"
    PURGED = "purged"


NO_LONGER: Mapping[DocumentState, str] = {
    DocumentState.REMOVED: "gone_source",
    DocumentState.SUPERSEDED: "older_source",
}
"""The words that a quotation is marked with where its document is found no more but still opens."""


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

    `terms` holds the index terms, one sentence a line, separated by spaces; `bigrams` the character pairs
    likewise; `cluster` names the group of near-duplicates it belongs to; `bands` are the hashes by which such
    are looked up when it is stored. `place` and `ocr` as of a `Block`."""

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
    """What a search weighs of a passage, made when it was taken in: the codes of its terms and of its
    heading's (`language.vectors.term_codes`), the characters of heading and text (`character_codes`), and how
    many terms, heading terms and character pairs it has. `document_term_count`: of all passages of its
    document together; 0 if unknown."""

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
    """One way from a name to another of the same thing; each pair has both. A key is the index terms of a
    name, by which a question finds it however it is inflected."""

    key: str
    name: str
    other_key: str
    other: str


class DefinitionMark(NamedTuple):
    """A sentence that says what the thing of a key is: `start:end` in the document's text. `is_stated`: by
    what it says; else it stands first under a heading of that name."""

    key: str
    passage_id: PassageId
    start: int
    end: int
    is_stated: bool


@dataclass(frozen=True, slots=True)
class DocumentNames:
    """The names that are read in a document, or in a part of it."""

    links: tuple[NameLink, ...] = ()
    definitions: tuple[DefinitionMark, ...] = ()


@dataclass(frozen=True, slots=True)
class Intake:
    """A document, or a part of one, ready for the shelf: everything that one transaction stores. Offsets of
    lines and passages count from the beginning of the document, `start` is where this text begins in it."""

    document: Document
    text: str
    lines: tuple[PrintedLine, ...]
    passages: tuple[Passage, ...]
    start: int = 0
    names: DocumentNames = field(default_factory=DocumentNames)


@dataclass(frozen=True, slots=True)
class FileSurvey:
    """The files below some paths, in order of name, and what was passed over there: how many by each name.
    `unreadable` are folders that cannot be looked into; they stand among the files, since reading them says
    why."""

    files: tuple[Path, ...]
    left_out: Mapping[str, int]
    unreadable: tuple[Path, ...] = ()


class IntakeOutcome(StrEnum):
    """The outcome for a source: new, known already, known from another place that it has left, new in an
    older version's place, a bibliography whose entries describe documents, unusable, or no longer there."""

    ADDED = "added"
    KNOWN = "known"
    MOVED = "moved"
    REPLACED = "replaced"
    DESCRIBED = "described"
    FAILED = "failed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The outcome for one source, as its owner is told. `code` and `reason` are set when it failed;
    `references` for a bibliography: what became of each entry."""

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
    """A passage found outside a session, with everything that opens it and the parts of its score."""

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
    """One thing that works here or does not, and how to get it."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents of one owner. `name` is what whoever asked calls it; `is_writable`: they may change it."""

    name: str
    owner: str
    documents: int
    passages: int
    is_writable: bool = True


@dataclass(frozen=True, slots=True)
class FilterRange:
    """An inclusive range in a filter; either end may be open. Values compare as their field does: number,
    date or text."""

    low: str | None = None
    high: str | None = None


Condition = str | tuple[str, ...] | FilterRange


@dataclass(frozen=True, slots=True)
class Scope:
    """Which passages may be found: those that `owner` may read, their own and those granted to them, in some
    corpora (none named: all), under filters by metadata, page or date, without certain documents; `rejected`
    passages are passed over by sessions. A corpus that is granted is called `name@owner`."""

    owner: str = LOCAL_OWNER
    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)
    without: tuple[DocumentId, ...] = ()
    rejected: tuple[PassageId, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A caller's request to the searcher. It never names an algorithm and never passes k. Optional filters
    are left out if they leave nothing. `read_around`: numbers of shown passages whose neighbours come first;
    `fills_room`: passages beyond k are shown as long as they fit the room."""

    search_intent: str = ""
    keyword_query: tuple[str, ...] = ()
    vector_query: str = ""
    filter_conditions: Mapping[str, Condition] = field(default_factory=dict)
    with_synonyms: bool = False  # what means the same as a keyword counts as the keyword
    are_filters_optional: bool = False
    read_around: tuple[int, ...] = ()
    fills_room: bool = False


UNBOUNDED_ROOM = sys.maxsize  # tokens: a round shows all k passages


class Complexity(StrEnum):
    """How many things the question wants; decides how deep a round looks."""

    SINGLE = "single"
    SEVERAL = "several"
    COMPARISON = "comparison"


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """One place in a ranking: the passage, its score, the parts of that, and what its document is called."""

    passage: Passage
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class NumberedPassage:
    """A passage as the librarian sees it: a number, its text, its heading, and the share of the query it
    matched. No id. `after`: what follows it under the same heading of the same page, white space between
    included; a quotation that begins in the passage may go on there. `overleaf`: what follows that at the top
    of the next page; a quotation of its own may stand there, but none over the page's end. `code_after`:
    the code that follows directly, which the passage leads in; it may be quoted by itself. `title`: of its
    document. `code`: lines for a machine, which are quoted as they stand. `definition`: the span in the text
    that says what the thing is that was asked for, None where none does; `is_stated`: it states that, and
    does not only stand first under a heading of the name."""

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
    """One round of a session: what is shown, how many passages were ranked (k), and how many are in scope
    (N). `sources`: what opens each shown passage as a whole, in the same order, without its text. `pending`:
    how many more passages of the round `show_more` shows."""

    shown: tuple[NumberedPassage, ...]
    ranked: int
    in_scope: int
    exhausted: bool
    sources: tuple[Citation, ...] = ()
    pending: int = 0


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """Which passage stands behind a number of a session; 0 where it is not shown yet."""

    number: int
    passage_id: PassageId
    document_id: DocumentId
    match: float


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round as the session's log keeps it. `pending`: passages for its next pages, in order."""

    round: int
    ranked: int
    in_scope: int
    exhausted: bool
    shown: tuple[ShownRecord, ...]
    pending: tuple[ShownRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A verbatim span with everything that opens it. `start:end` are offsets of the document's original text.
    `site` is whose web page it is (the registered domain), empty for what is none; `place` and `ocr` as of a
    `Block`; `code` as of a `NumberedPassage`. `header`: the rows over it where it is of a table."""

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
