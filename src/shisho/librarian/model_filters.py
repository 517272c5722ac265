"""Filters that a model's plan sets: what it says is believed as far as documents have such fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from shisho.domain.corpus import Condition, FilterRange
from shisho.language.display import join_lines
from shisho.librarian.model_replies import FilterReply

MAX_FILTERS = 5  # of one reply
MAX_VALUE_CHARS = 200
_PAGES = re.compile(r"[0-9]+|[0-9]*\.\.[0-9]*")


def read_filters(
    replies: Sequence[FilterReply], fields: Sequence[str]
) -> tuple[Mapping[str, Condition], Sequence[str]]:
    """The conditions over known fields, and the names of the others. A page is a number or a range."""
    filters: dict[str, Condition] = {}
    refused: list[str] = []
    for reply in replies[:MAX_FILTERS]:
        name = join_lines(reply.field).strip()
        value = join_lines(reply.value).strip()[:MAX_VALUE_CHARS]
        is_page = name == "page"
        if name not in fields or not value.strip(".") or (is_page and not _PAGES.fullmatch(value)):
            refused.append(name[:MAX_VALUE_CHARS])
            continue
        low, dots, high = value.partition("..")
        filters[name] = FilterRange(low.strip() or None, high.strip() or None) if dots else value
    return filters, refused
