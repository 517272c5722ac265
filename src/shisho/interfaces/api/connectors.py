"""The verbs `search` and `fetch`, in the shape that ChatGPT's connectors and deep research expect.

An id is a document's, or `DOCUMENT@OFFSET`: the part of its text that begins there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath
from typing import Annotated

from pydantic import Field

from shisho.domain.corpus import Document, DocumentId
from shisho.errors import NotFound
from shisho.interfaces.api.operations import Effect, ReplyForm, Verb
from shisho.interfaces.api.quoting import DATA
from shisho.interfaces.api.replies import Name, Text
from shisho.interfaces.api.truncate import SERVER_URL, dump_compact
from shisho.language.normalise import mark_unseen
from shisho.records import dataclass
from shisho.services import Library
from shisho.services.documents import link_to

MAX_RESULTS = 20
MAX_OF_DOCUMENT = 3
PART_TOKENS = 4_000
PART_CHARS = 4 * PART_TOKENS


@dataclass(frozen=True, slots=True)
class SearchItem:
    """A passage that was found. `fetch` its id to read it."""

    id: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class SearchItems:
    """The passages that match best, from all documents that the reader may see."""

    results: tuple[SearchItem, ...]


@dataclass(frozen=True, slots=True)
class FetchedText:
    """The text of a document, or a part of it. `metadata` has the `next_id` of the part that follows."""

    id: str
    title: str
    text: Annotated[str, Field(description=DATA)]
    url: str
    metadata: Mapping[str, str]


async def search(library: Library, query: Text) -> SearchItems:
    """Search the user's documents and added web pages for a question or a few words, in any language.

    Use it to find sources to read and cite. Returns the id, title and address of the passages that match
    best: pass an id to fetch.
    """
    counts: Counter[DocumentId] = Counter()
    items: list[SearchItem] = []
    for hit in await library.documents.search(query, limit=MAX_OF_DOCUMENT * MAX_RESULTS):
        counts[hit.document] += 1
        if counts[hit.document] <= MAX_OF_DOCUMENT and len(items) < MAX_RESULTS:
            title = _choose_name(hit.title, hit.source) + (f" (p. {hit.page})" if hit.page else "")
            url = _make_address(hit.source, hit.document, hit.page, f"at={hit.start}-{hit.end}")
            items.append(SearchItem(f"{hit.document}@{hit.start}", title, url))
    return SearchItems(tuple(items))


async def fetch(
    library: Library, id: Annotated[Name, Field(description="of a document, a passage or evidence")]
) -> FetchedText:
    """Read a document, or the part of it that search found.

    Use it before you cite a result. Returns the text word for word, with its title and address; for the next
    part of a long text, fetch `metadata.next_id`.
    """
    document, start = await _find_part(library, id)
    text = await library.documents.read_text(document.id)
    if not 0 <= start <= len(text):
        raise NotFound("api.past_end", id=id, length=len(text))
    end = _end_of_part(library, text, start)
    starts = await library.viewer.list_page_starts(document.id)
    page = max((number for number, first in starts.items() if first <= start), default=None)
    metadata = {
        "document_id": document.id,
        "source": document.source,
        "corpus": document.corpus,
        "media_type": document.media_type,
        "characters": f"{start}-{end} of {len(text)}",
        **({"page": str(page)} if page else {}),
        **({"next_id": f"{document.id}@{end}"} if end < len(text) else {}),
    }
    address = _make_address(document.source, document.id, page, f"from={start}" if start else "")
    shown = mark_unseen(text[start:end])
    return FetchedText(id, _choose_name(document.title, document.source), shown, address, metadata)


async def _find_part(library: Library, id: str) -> tuple[Document, int]:
    """Return the document of an id, and the offset of its part. Raises: NotFound."""
    name, _, offset = id.rpartition("@")
    if name and offset.isascii() and offset.isdigit() and len(offset) < 10:
        return await library.documents.get(name), int(offset)
    try:
        return await library.documents.get(id), 0
    except NotFound as error:
        try:
            passage = await library.sessions.read_passage(id=id)
        except NotFound:
            raise error from None
        return await library.documents.get(passage.document), passage.start


def _end_of_part(library: Library, text: str, start: int) -> int:
    """Return the end offset of a part that fits into a reply: at the end of a line, if one is near."""
    part = text[start : start + PART_CHARS]
    fitting = range(1, len(part) + 1)
    length = bisect_right(
        fitting, PART_TOKENS, key=lambda count: library.count_tokens(dump_compact(mark_unseen(part[:count])))
    )
    if start + length == len(text):
        return len(text)
    line_end = part.rfind("\n", length // 2, length) + 1
    return start + (line_end or length)


def _choose_name(title: str, source: str) -> str:
    return title or PurePath(source).name or source


def _make_address(source: str, document: DocumentId, page: int | None, place: str) -> str:
    """Return an address that the reader can open: the web page, this server's viewer, or a resource."""
    if source.startswith(("http://", "https://")):
        return source
    if not SERVER_URL.get():
        return link_to(document, page)
    fragment = "&".join(part for part in (f"page={page}" if page else "", place) if part)
    return f"{SERVER_URL.get()}/d/{document}" + (f"#{fragment}" if fragment else "")


VERBS = (
    Verb(search, SearchItems, "Search", ("GET", "/search"), Effect("read"), form=ReplyForm(is_bare=True)),
    Verb(fetch, FetchedText, "Fetch a text", ("GET", "/fetch"), Effect("read"), form=ReplyForm(is_bare=True)),
)
