"""Viewing of a document: pages, positions of lines and quotations, search in the text."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from shisho.domain.corpus import Document, DocumentId, DocumentState, PrintedLine
from shisho.domain.viewing import (
    IMAGE_WIDTHS,
    PAGED_TYPES,
    PDF_TYPE,
    BoxDoubt,
    DocumentView,
    EvidenceBoxes,
    LayoutLine,
    PageImage,
    PageImageKey,
    PageLayout,
    PageSize,
    PageStrip,
    QuotedLine,
    SpanBoxes,
    TextMatch,
    TextMatches,
    Viewable,
)
from shisho.errors import InvalidParams, NotFound, ShishoError, SourceRemoved, UnusableDocument
from shisho.language.normalise import find_in_text
from shisho.messages import Message
from shisho.ports import Files, Ledger, Originals, PageImages, PageRenderer, Shelf
from shisho.records import dataclass
from shisho.services.access import CorpusAccess
from shisho.services.choosing import find_one_document
from shisho.services.documents import read_page_spans

K = TypeVar("K")
V = TypeVar("V")

TEXTS_CHARS = 20_000_000  # total size of cached texts
TEXTS = 8
SIZES = 64  # documents with cached page sizes
STAMPS = 1_000  # files with a cached hash
PART = 200_000  # characters per reply
AROUND = 60  # characters before and after a match
MAX_MATCHES = 500
MAX_QUERY = 200  # characters
STRIP_WIDTH = 1_200  # pixel width of the page that a strip is cut from
DRAWING = 1  # increased when the same page renders to another image
MAX_QUOTED = 20_000  # maximum length of a span for boxes

NO_PAGES = Message("viewer.no_printed_pages")
MOVED = "viewer.file_gone"
CHANGED = "viewer.file_changed"
FILE_NOT_STORED = Message("viewer.file_not_kept")
PURGED = Message("proof.text_purged")
DOUBTS: Mapping[BoxDoubt, Message] = {
    BoxDoubt.OTHER_TEXT: Message("viewer.text_differs"),
    BoxDoubt.NO_BOX: Message("viewer.place_unknown"),
    BoxDoubt.OVERLAP: Message("viewer.other_characters"),
}
RECOGNISED = Message("viewer.lines_only")
NO_LINES = Message("viewer.place_not_stored")


@dataclass(frozen=True, slots=True)
class ViewerParts:
    """The dependencies of the viewer.

    `roots`: the allowed folders; files below one are opened through no link.
    """

    access: CorpusAccess
    shelf: Shelf
    ledger: Ledger
    files: Files
    roots: Sequence[Path]
    originals: Originals
    images: PageImages
    renderer: PageRenderer


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document's text, its printed lines in order, and the span of each page."""

    text: str
    lines: Sequence[PrintedLine]
    spans: Mapping[int, tuple[int, int]]


class Viewer:
    """A viewer of documents. Only data of immutable versions is cached."""

    def __init__(self, parts: ViewerParts) -> None:
        self._parts = parts
        self._texts: OrderedDict[DocumentId, DocumentText] = OrderedDict()
        self._sizes: OrderedDict[str, Sequence[PageSize]] = OrderedDict()
        self._stamps: OrderedDict[str, tuple[str, str]] = OrderedDict()
        # Only one file is rendered, and one searched, at a time: a text search does not wait for images.
        self._drawing = asyncio.Lock()
        self._finding = asyncio.Lock()

    async def view(self, prefix: str) -> DocumentView:
        """Return the document and how it can be viewed. Raises NotFound."""
        document = await find_one_document(self._parts.shelf, self._parts.access.owner, prefix)
        await self._parts.access.record_reading(document.id)
        named_document = self._parts.access.replace_corpus_name(document)
        if document.state is DocumentState.PURGED:
            return DocumentView(named_document, Viewable.GONE, PURGED)
        try:
            await self._measure_pages(document)
        except (NotFound, UnusableDocument) as error:
            return DocumentView(named_document, Viewable.TEXT, error.message)
        return DocumentView(named_document, Viewable.PAGES)

    async def list_page_starts(self, document_id: DocumentId) -> Mapping[int, int]:
        """Return the start of each page (from 1) in the text; none without pages. Raises NotFound."""
        document = await self._find_document(document_id)
        spans = await read_page_spans(self._parts.shelf, document.id)
        return {page: start for page, (start, _) in spans.items()}

    async def get_layout(self, prefix: str, page: int, at: int = 0) -> PageLayout:
        """Return one page as text, with the positions of its lines.

        For a very long page, the part around `at`, an offset of the document's text. A document without pages
        has page 1. Raises NotFound, SourceRemoved.
        """
        document = await self._find_document(prefix)
        _check_page(document, page)
        stored = await self._read_text(document)
        try:
            size = (await self._measure_pages(document))[page - 1]
        except (NotFound, UnusableDocument, IndexError):
            size = None
        first, last = _find_page_span(stored, document, page)
        start, end = _cut_window(stored.text, first, last, at)
        return PageLayout(
            page,
            size and size[0],
            size and size[1],
            start,
            end,
            first,
            last,
            stored.text[start:end],
            tuple(_list_layout_lines(stored, page, start, end)),
        )

    async def get_image(self, prefix: str, page: int, width: int) -> PageImage:
        """Return an image of a page, at least `width` pixels wide up to the maximum width.

        Raises: NotFound (no such page, or no file to render), SourceRemoved, an `UnusableDocument`.
        """
        document = await self._find_document(prefix)
        _check_page(document, page)
        drawn_width = next((step for step in IMAGE_WIDTHS if step >= width), IMAGE_WIDTHS[-1])
        key = PageImageKey(document.sha256, page, drawn_width)
        data = await self._parts.images.get(key)
        if data is None:
            async with self._drawing:
                data = await self._parts.images.get(key) or await self._draw(document, key)
        return PageImage(data, f"{key.sha256[:32]}-{page}-{drawn_width}-{DRAWING}")

    async def get_strip(self, prefix: str, page: int, top: float, bottom: float) -> PageStrip:
        """Return the strip of a page between `top` and `bottom`. Raises as `get_image`.

        These are fractions of its height.
        """
        image = await self.get_image(prefix, page, STRIP_WIDTH)
        return await self._parts.renderer.crop(image.data, top, bottom)

    async def get_evidence_boxes(self, prefix: str) -> EvidenceBoxes:
        """Return the positions of a quotation's characters on its page. Raises NotFound, SourceRemoved."""
        evidence = await self._parts.ledger.find_evidence(prefix, self._parts.access.owner)
        document = await self._find_document(evidence.document_id)
        span = await self._locate(document, evidence.start, evidence.end, is_recognised=evidence.ocr)
        return EvidenceBoxes(evidence.id, span.document_id, evidence.page, span.exact, span.why, span.boxes)

    async def get_span_boxes(self, prefix: str, start: int, end: int) -> SpanBoxes:
        """Return the positions of `start:end` of a document's text.

        Raises InvalidParams, NotFound, SourceRemoved.
        """
        document = await self._find_document(prefix)
        size = len((await self._read_text(document)).text)
        if not (0 <= start < end <= size and end - start <= MAX_QUOTED):
            raise InvalidParams(
                "viewer.bad_range",
                start=start,
                end=end,
                size=size,
                most=MAX_QUOTED,
            )
        return await self._locate(document, start, end, is_recognised=document.media_type != PDF_TYPE)

    async def find(self, prefix: str, query: str, limit: int = 50) -> TextMatches:
        """Find words in one document, in order; width, case and line breaks do not matter.

        Raises: InvalidParams for a blank query, NotFound, SourceRemoved.
        """
        if not query.strip() or len(query) > MAX_QUERY:
            raise InvalidParams("viewer.bad_query", most=MAX_QUERY)
        if not 1 <= limit <= MAX_MATCHES:
            raise InvalidParams("viewer.bad_limit", most=MAX_MATCHES, limit=limit)
        stored = await self._read_text(await self._find_document(prefix))
        places = await asyncio.to_thread(find_in_text, stored.text, query, limit + 1)
        starts = {start: page for page, (start, _) in stored.spans.items()}
        ordered = sorted(starts)
        matches = []
        for start, end in places[:limit]:
            rank = bisect_right(ordered, start)
            page = starts[ordered[rank - 1]] if rank else None
            before = stored.text[max(0, start - AROUND) : start]
            after = stored.text[end : end + AROUND]
            matches.append(TextMatch(start, end, page, before, stored.text[start:end], after))
        return TextMatches(tuple(matches), len(places) > limit)

    async def _find_document(self, prefix: str) -> Document:
        document = await find_one_document(self._parts.shelf, self._parts.access.owner, prefix)
        if document.state is DocumentState.PURGED:
            self._texts.pop(document.id, None)
            raise SourceRemoved(PURGED, document=document.id)
        await self._parts.access.record_reading(document.id)
        return document

    async def _read_text(self, document: Document) -> DocumentText:
        stored = self._texts.get(document.id)
        if stored is None:
            text = await self._parts.shelf.read_text(document.id)
            lines = await self._parts.shelf.read_lines(document.id)
            spans = await read_page_spans(self._parts.shelf, document.id)
            stored = DocumentText(text, lines, spans)
        _remember(self._texts, document.id, stored, TEXTS)
        while len(self._texts) > 1 and sum(len(text.text) for text in self._texts.values()) > TEXTS_CHARS:
            self._texts.popitem(last=False)
        return stored

    async def _draw(self, document: Document, key: PageImageKey) -> bytes:
        data = await self._read_original(document)
        image = await self._parts.renderer.draw(data, document.media_type, key.page, key.width)
        await self._parts.images.put(key, image)
        if (await self._parts.shelf.find_document(document.id)).state is DocumentState.PURGED:
            await self._parts.images.erase_purged()
        return image

    async def _measure_pages(self, document: Document) -> Sequence[PageSize]:
        """Return the page sizes.

        Raises NotFound without printed pages, an `UnusableDocument` with the reason.
        """
        if document.media_type not in PAGED_TYPES:
            raise NotFound(NO_PAGES)
        sizes = self._sizes.get(document.sha256)
        if sizes is not None and await self._is_there(document):
            return sizes
        async with self._drawing:
            data = await self._read_original(document)
            sizes = self._sizes.get(document.sha256) or await self._parts.renderer.measure_sizes(
                data, document.media_type
            )
        _remember(self._sizes, document.sha256, sizes, SIZES)
        return sizes

    async def _is_there(self, document: Document) -> bool:
        """Return True if the bytes are stored, or the file is unchanged since it was last read."""
        stamp = await self._stamp(document)
        if stamp and self._stamps.get(document.source) == (stamp, document.sha256):
            return True
        return await self._parts.originals.has(document.sha256)

    async def _stamp(self, document: Document) -> str:
        path = Path(document.source)
        files = await asyncio.to_thread(self._parts.files.look, [path]) if path.is_absolute() else ()
        return files[0].stamp if files else ""

    async def _read_original(self, document: Document) -> bytes:
        """Return the document's original bytes: from its file if unchanged, or from the store.

        Raises: NotFound with the reason.
        """
        why = FILE_NOT_STORED
        path = Path(document.source)
        if path.is_absolute():
            stamp = await self._stamp(document)
            within = next((root for root in self._parts.roots if path.is_relative_to(root)), None)
            try:
                data = await asyncio.to_thread(self._parts.files.read, path, within)
            except ShishoError:
                why = Message(MOVED, path=path)
            else:
                if await asyncio.to_thread(_has_hash, data, document.sha256):
                    _remember(self._stamps, document.source, (stamp, document.sha256), STAMPS)
                    return data
                why = Message(CHANGED, path=path)
        try:
            data = await self._parts.originals.get(document.sha256)
        except NotFound:
            raise NotFound(why) from None
        if not await asyncio.to_thread(_has_hash, data, document.sha256):
            raise NotFound(FILE_NOT_STORED)
        return data

    async def _locate(self, document: Document, start: int, end: int, *, is_recognised: bool) -> SpanBoxes:
        stored = await self._read_text(document)
        lines = _select_lines(stored, start, end)
        page = lines[0].page if lines else None
        quotations = [_quote_line(stored.text, line, start, end) for line in lines]
        whole = tuple(line.box for line in quotations if _is_whole(line))
        if document.media_type not in PAGED_TYPES:
            return SpanBoxes(document.id, page, False, NO_PAGES, ())
        if not _is_covered(stored.text, start, end, lines) or any(line.page != page for line in lines):
            return SpanBoxes(document.id, page, False, NO_LINES, ())
        assert page is not None
        if is_recognised:
            exact = len(whole) == len(quotations)
            return SpanBoxes(document.id, page, exact, "" if exact else RECOGNISED, whole)
        try:
            async with self._finding:
                data = await self._read_original(document)
                placement = await self._parts.renderer.locate(data, page, quotations)
        except (NotFound, UnusableDocument) as error:
            return SpanBoxes(document.id, page, False, error.message, whole)
        if placement.doubt:
            return SpanBoxes(document.id, page, False, DOUBTS[placement.doubt], whole)
        return SpanBoxes(document.id, page, True, "", placement.boxes)


def _remember(store: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    store[key] = value
    store.move_to_end(key)
    while len(store) > most:
        store.popitem(last=False)


def _has_hash(data: bytes, hash_: str) -> bool:
    return sha256(data).hexdigest() == hash_


def _check_page(document: Document, page: int) -> None:
    """Raise NotFound if the document has no such page."""
    if not 1 <= page <= (document.page_count or 1):
        raise NotFound(
            "document.no_page",
            source=document.source,
            number=page,
            pages=document.page_count or 1,
        )


def _find_page_span(stored: DocumentText, document: Document, page: int) -> tuple[int, int]:
    """Return start and end of a page; one without text is empty at the end of the previous one."""
    if document.page_count is None or not stored.spans:
        return 0, len(stored.text)
    if page in stored.spans:
        start, end = stored.spans[page]
        return start, min(end, len(stored.text))
    place = max((end for number, (_, end) in stored.spans.items() if number < page), default=0)
    return place, place


def _cut_window(text: str, first: int, last: int, at: int) -> tuple[int, int]:
    """Return `first:last`, or the part of a very long page around `at` that fits a reply, in whole lines."""
    if last - first <= PART:
        return first, last
    start = min(max(first, at - PART // 4), last - 1)
    if start > first:
        start = max(first, text.rfind("\n", start - PART // 4, start) + 1)
    end = min(last, start + PART)
    if end < last:
        end = max(text.rfind("\n", start + PART // 2, end), start) or end
    return start, end if end > start else min(last, start + PART)


def _list_layout_lines(stored: DocumentText, page: int, start: int, end: int) -> Iterator[LayoutLine]:
    printed = [line for line in _select_lines(stored, start, end) if line.page == page]
    for line in printed:
        yield LayoutLine(line.start, line.end, stored.text[line.start : line.end], line.box)
    if printed:
        return
    for words in stored.text[start:end].split("\n"):
        if words.strip():
            yield LayoutLine(start, start + len(words), words, None)
        start += len(words) + 1


def _select_lines(stored: DocumentText, start: int, end: int) -> Sequence[PrintedLine]:
    """Return the lines that overlap `start:end`."""
    first = bisect_right(stored.lines, start, key=lambda line: line.start)
    while first > 0 and stored.lines[first - 1].end > start:
        first -= 1
    last = bisect_right(stored.lines, end - 1, key=lambda line: line.start)
    return [line for line in stored.lines[first:last] if line.end > line.start]


def _quote_line(text: str, line: PrintedLine, start: int, end: int) -> QuotedLine:
    first = max(start, line.start) - line.start
    last = min(end, line.end) - line.start
    return QuotedLine(text[line.start : line.end], line.box, first, last)


def _is_whole(line: QuotedLine) -> bool:
    return not (line.text[: line.first] + line.text[line.last :]).strip()


def _is_covered(text: str, start: int, end: int, lines: Sequence[PrintedLine]) -> bool:
    """Return True if only white space of `start:end` is outside the lines."""
    place = start
    for line in lines:
        if text[place : max(place, line.start)].strip():
            return False
        place = max(place, line.end)
    return bool(lines) and not text[place : max(place, end)].strip()
