"""Describe in words why a search stopped paging, and what its engine could not do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from shisho.domain.web import PagingStop, SearchPaging
from shisho.messages.message import Message

REASONS: Mapping[PagingStop, Message] = {
    PagingStop.LIMIT: Message("It reached the last result page that it may ask for."),
    PagingStop.ENOUGH: Message("It has visited enough pages."),
    PagingStop.SATURATED: Message("The last result page had hardly anything new."),
    PagingStop.BARREN: Message("Hardly any visited page was useful."),
    PagingStop.END: Message("The engine has no more results."),
    PagingStop.REPEATED: Message("The engine repeated an earlier result page."),
    PagingStop.QUOTA: Message("The engine's daily limit is reached."),
    PagingStop.CHALLENGE: Message("The engine asks for a person, or refuses to answer."),
    PagingStop.ERROR: Message("The next result page couldn't be read."),
    PagingStop.BUDGET: Message("The time or the budget is used up."),
    PagingStop.STOPPED: Message("The task was stopped."),
}
WARNINGS: Mapping[str, str] = {
    "paging_ignored": "{code}: {engine} shows one result page only.",
    "paging_limited": "{code}: engines.toml allows fewer result pages than were asked for.",
    "language_ignored": "{code}: {engine} can't filter by language.",
    "time_range_ignored": "{code}: {engine} can't filter by age.",
    "layout_guessed": "{code}: {engine} has a new page layout; hits may be missing.",
}


def describe_search(search: SearchPaging) -> SearchPaging:
    """Return the search with its stop and its warnings in words; each warning begins with its code."""
    return replace(
        search,
        reason=REASONS[search.paging_stop] if search.paging_stop else "",
        warnings=tuple(
            Message(WARNINGS.get(code, "{code}"), code=code, engine=search.engine) for code in search.warnings
        ),
    )
