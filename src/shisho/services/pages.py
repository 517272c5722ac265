"""The pages of a document in its text."""

from __future__ import annotations

from collections.abc import Mapping

from shisho.domain.corpus import Document, DocumentId
from shisho.errors import NotFound
from shisho.ports import Shelf


async def read_page_spans(shelf: Shelf, document_id: DocumentId) -> Mapping[int, tuple[int, int]]:
    """Return start and end of each page, by its number.

    From the printed lines; for pages without lines, such as slides, from the passages, where each page begins
    at the end of the previous one: headings are not part of passages.
    """
    spans: dict[int, tuple[int, int]] = {}
    for line in await shelf.read_lines(document_id):
        start, _ = spans.get(line.page, (line.start, 0))
        spans[line.page] = (start, line.end)
    if spans:
        return spans
    reached = 0
    for passage in await shelf.list_passages_of(document_id):
        if passage.page is not None:
            start, _ = spans.get(passage.page, (reached, 0))
            spans[passage.page] = (start, passage.end)
            reached = passage.end
    return spans


async def read_page(shelf: Shelf, document: Document, number: int) -> str:
    """Return the text of one page (from 1); page 1 of a document without pages is all of it.

    Raises: NotFound, SourceRemoved.
    """
    text = await shelf.read_text(document.id)
    if not 1 <= number <= (document.page_count or 1):
        raise NotFound(
            "document.no_page",
            source=document.source,
            number=number,
            pages=document.page_count or 1,
        )
    if document.page_count is None:
        return text
    spans = await read_page_spans(shelf, document.id)
    return text[slice(*spans[number])].strip("\n") if number in spans else ""
