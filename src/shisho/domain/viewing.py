"""Views of a document: page images, positions of lines and quotations, text matches.

Boxes are (left, top, right, bottom) in points from the top left of the page as displayed.
"""

from __future__ import annotations

from enum import StrEnum

from shisho.domain.corpus import Document, DocumentId
from shisho.records import dataclass

Box = tuple[float, float, float, float]
PageSize = tuple[float, float]
"""Width and height of a page as displayed, in points."""

PDF_TYPE = "application/pdf"
PICTURE_TYPES = ("image/png", "image/jpeg", "image/tiff")
PAGED_TYPES = (PDF_TYPE, *PICTURE_TYPES)
"""The media types whose pages can be rendered."""

IMAGE_WIDTHS = (320, 800, 1200, 1600, 2400)
"""In pixels. Page images are rendered in these widths only, so that few of them are cached."""


class Viewable(StrEnum):
    """How a document can be viewed: its printed pages, its stored text, or no longer."""

    PAGES = "pages"
    TEXT = "text"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document and how it can be viewed; `why` if not by its pages."""

    document: Document
    viewable: Viewable
    why: str = ""


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """One line of a page: `start:end` of the document's text, and its box if known."""

    start: int
    end: int
    text: str
    box: Box | None


@dataclass(frozen=True, slots=True)
class PageLayout:
    """One page as text: `text` is `start:end` of the document's text.

    Width and height are those of the displayed page, None if it cannot be rendered. `page_start:page_end` is
    the whole page; a very long page is returned in parts.
    """

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
    """The key of a page image: the page of the document with these bytes, `width` pixels wide."""

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


class BoxDoubt(StrEnum):
    """The reason why the positions of characters are uncertain.

    The page's text has changed; a character has no box; other characters overlap the position.
    """

    NONE = ""
    OTHER_TEXT = "other_text"
    NO_BOX = "no_box"
    OVERLAP = "overlap"


@dataclass(frozen=True, slots=True)
class CharacterBoxes:
    """The boxes of quoted characters, one for each run of neighbours; none if there is a doubt."""

    boxes: tuple[Box, ...]
    doubt: BoxDoubt = BoxDoubt.NONE


@dataclass(frozen=True, slots=True)
class SpanBoxes:
    """The boxes of a stretch of a document's text on its page.

    `exact`: the boxes contain all of its characters and no others. Otherwise `why` gives the reason, and the
    boxes are those of whole lines, if any.
    """

    document_id: DocumentId
    page: int | None
    exact: bool
    why: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class EvidenceBoxes:
    """The boxes of a quotation; see `SpanBoxes`."""

    evidence_id: str
    document_id: DocumentId
    page: int | None
    exact: bool
    why: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class TextMatch:
    """One match in a document: `start:end` of its text, its page, and the text around it."""

    start: int
    end: int
    page: int | None
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class TextMatches:
    """The matches in order; `more` if there are further ones."""

    matches: tuple[TextMatch, ...]
    more: bool
