"""The visible side of a document: its pages as pictures, where lines and quoted characters stand on them,
what is found in its text. Boxes are (left, top, right, bottom) in points from the top left of the page as it
is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shisho.domain.corpus import Document, DocumentId

Box = tuple[float, float, float, float]
PageSize = tuple[float, float]
"""Width and height of a page as it is shown, in points."""

PDF_TYPE = "application/pdf"
PICTURE_TYPES = ("image/png", "image/jpeg", "image/tiff")
PAGED_TYPES = (PDF_TYPE, *PICTURE_TYPES)
"""The kinds of documents whose pages can be drawn."""

IMAGE_WIDTHS = (320, 800, 1200, 1600, 2400)
"""In pixels: pictures of pages are drawn in these widths alone, so that few of them are kept."""


class Viewable(StrEnum):
    """How a document can be looked at: pages as they were printed, its stored text, or not at all any
    more."""

    PAGES = "pages"
    TEXT = "text"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document and how it can be looked at; `why` where not by its pages."""

    document: Document
    viewable: Viewable
    why: str = ""


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """One line of a page: `start:end` of the document's text, and where it stands, as far as that is
    known."""

    start: int
    end: int
    text: str
    box: Box | None


@dataclass(frozen=True, slots=True)
class PageLayout:
    """One page as text: `text` is `start:end` of the document's text. Width and height are of the shown page,
    None where no page can be drawn. `page_start:page_end` is the whole page: of a very long one this is a
    part."""

    page: int
    width: float | None
    height: float | None
    start: int
    end: int
    page_start: int
    page_end: int
    text: str
    lines: tuple[LayoutLine, ...]


@dataclass(frozen=True, slots=True)
class PageImageKey:
    """Which picture of which page: of the document with these bytes, `width` pixels wide."""

    sha256: str
    page: int
    width: int


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as a WebP picture. `etag` changes when the picture would."""

    data: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class PageStrip:
    """A part of a page, as wide as the page, as a PNG picture of `width` × `height` pixels."""

    png: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """A stored line of which `text[first:last]` is quoted, and the box it was read from."""

    text: str
    box: Box
    first: int
    last: int


class PlacementDoubt(StrEnum):
    """Why it is not known where characters stand: the page gives another text now; a character has no box;
    others stand in the same place."""

    NONE = ""
    OTHER_TEXT = "other_text"
    NO_BOX = "no_box"
    OVERLAP = "overlap"


@dataclass(frozen=True, slots=True)
class CharacterPlacement:
    """Where quoted characters stand: one box for each run of neighbours; none where there is a doubt."""

    boxes: tuple[Box, ...]
    doubt: PlacementDoubt = PlacementDoubt.NONE


@dataclass(frozen=True, slots=True)
class SpanBoxes:
    """Where a stretch of a document's text stands on its page. `exact`: the boxes hold all of its characters
    and no others; if not, `why` says what is not known, and there are boxes of whole lines of it at most."""

    document_id: DocumentId
    page: int | None
    exact: bool
    why: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class EvidenceBoxes:
    """The same of a quotation."""

    evidence_id: str
    document_id: DocumentId
    page: int | None
    exact: bool
    why: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class TextMatch:
    """One place of what was looked for: `start:end` of the document's text, its page, and the text around
    it."""

    start: int
    end: int
    page: int | None
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class TextMatches:
    """The places in order; `more` where there are further ones."""

    matches: tuple[TextMatch, ...]
    more: bool
