"""The outcome of each page that the searches for an answer have found. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from shisho.domain.answer_log import FoundPage, PageFate
from shisho.domain.corpus import DocumentId
from shisho.domain.find import StoredUrl, UrlState
from shisho.domain.job import JobState
from shisho.errors import AllFetchesFailed, InternalError, ParserFailed, StorageUnusable, TimedOut
from shisho.messages.message import Message

# These errors may disappear on a retry; other codes are refusals by us or by the site.
FAILURES = {
    error.code for error in (AllFetchesFailed, InternalError, ParserFailed, StorageUnusable, TimedOut)
}
BLOCKED = Message("page.domain_blocked")


def list_pages(
    searches: Iterable[tuple[JobState, Sequence[StoredUrl]]], document_ids: Set[DocumentId]
) -> tuple[FoundPage, ...]:
    """Return the pages of searches, each once in order of discovery, with its best outcome.

    `document_ids`: the documents that the answer quotes.
    """
    pages: dict[str, FoundPage] = {}
    for state, urls in searches:
        for stored in urls:
            page = _page(stored, state, document_ids)
            earlier_page = pages.setdefault(stored.find.canonical_url, page)
            if _RANK[page.fate] < _RANK[earlier_page.fate]:
                pages[stored.find.canonical_url] = page
    return tuple(pages.values())


_RANK = {fate: rank for rank, fate in enumerate(PageFate)}


def _page(stored: StoredUrl, state: JobState, document_ids: Set[DocumentId]) -> FoundPage:
    fate = _fate(stored, state, document_ids)
    is_left_out = stored.status is UrlState.LEFT_OUT
    return FoundPage(
        url=stored.find.url,
        title=stored.find.title,
        engine=stored.find.engine,
        query=stored.find.query,
        fate=fate,
        reason=BLOCKED if is_left_out else stored.reason,
        code=stored.code,
        # a find has the id of its future document before that exists
        document_id=stored.document_id if fate in (PageFate.USED, PageFate.READ) else None,
    )


def _fate(stored: StoredUrl, state: JobState, document_ids: Set[DocumentId]) -> PageFate:
    match stored.status:
        case UrlState.VISITED:
            return PageFate.USED if stored.document_id in document_ids else PageFate.READ
        case UrlState.FAILED:
            return PageFate.FAILED if stored.code in FAILURES else PageFate.REFUSED
        case UrlState.LEFT_OUT:
            return PageFate.REFUSED
        case UrlState.FOUND:
            return PageFate.WAITING if state is JobState.AWAITING_AUTH else PageFate.UNVISITED
