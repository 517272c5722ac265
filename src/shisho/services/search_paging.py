"""Descriptions of why a search stopped paging, and of its engine's limitations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from shisho.domain.web import PagingStop, SearchPaging
from shisho.messages.message import Message

REASONS: Mapping[PagingStop, Message] = {
    PagingStop.LIMIT: Message("paging.page_limit"),
    PagingStop.ENOUGH: Message("paging.enough_pages"),
    PagingStop.SATURATED: Message("paging.few_new"),
    PagingStop.BARREN: Message("paging.few_useful"),
    PagingStop.END: Message("paging.no_more"),
    PagingStop.REPEATED: Message("paging.repeated"),
    PagingStop.QUOTA: Message("paging.quota"),
    PagingStop.CHALLENGE: Message("paging.blocked"),
    PagingStop.ERROR: Message("paging.unreadable"),
    PagingStop.BUDGET: Message("paging.budget"),
    PagingStop.STOPPED: Message("paging.stopped"),
}
WARNINGS: Mapping[str, str] = {
    "paging_ignored": "paging.note_one_page",
    "paging_limited": "paging.note_fewer_pages",
    "language_ignored": "paging.note_no_language",
    "time_range_ignored": "paging.note_no_age",
    "layout_guessed": "paging.note_new_layout",
}


def describe_search(search: SearchPaging) -> SearchPaging:
    """Return the search with its stop and warnings as text; each warning begins with its code."""
    return replace(
        search,
        reason=REASONS[search.paging_stop] if search.paging_stop else "",
        warnings=tuple(
            Message(WARNINGS.get(code, "{code}"), code=code, engine=search.engine) for code in search.warnings
        ),
    )
