"""A scope's filters over documents and passages in memory."""

from __future__ import annotations

from shisho.domain.corpus import Condition, Document, FilterRange, Scope
from shisho.errors import InvalidParams
from shisho.language.comparable import make_comparable

COLUMNS = {
    "document": "id",
    "title": "title",
    "source": "source",
    "media_type": "media_type",
    "added_at": "added_at",
}


def matches(document: Document, scope: Scope) -> bool:
    """True where a document has what a scope asks for, pages apart."""
    return all(_holds(document, key, condition) for key, condition in scope.filters.items() if key != "page")


def _holds(document: Document, key: str, condition: Condition) -> bool:
    value = str(getattr(document, COLUMNS[key])) if key in COLUMNS else document.metadata.get(key)
    if value is None:
        return False
    if isinstance(condition, FilterRange):
        return _within(value, condition)
    values = (condition,) if isinstance(condition, str) else condition
    return (
        value in values
        if key in COLUMNS
        else make_comparable(value).folded in {make_comparable(member).folded for member in values}
    )


def _within(value: str, condition: FilterRange) -> bool:
    position = make_comparable(value)
    for end, sign in ((condition.low, 1), (condition.high, -1)):
        if end is None:
            continue
        bound = make_comparable(end)
        if position.number is not None:
            if bound.number is None or sign * (position.number - bound.number) < 0:
                return False
        elif (sign == 1 and position.folded < bound.folded) or (
            sign == -1 and position.folded > bound.folded + "\U0010ffff"
        ):
            return False
    return True


def is_on_page(page: int, condition: Condition) -> bool:
    """Raises InvalidParams for a page that is no number."""
    try:
        if isinstance(condition, FilterRange):
            return int(condition.low or 0) <= page and (condition.high is None or page <= int(condition.high))
        if isinstance(condition, str):
            return page == int(condition)
    except ValueError:
        pass
    raise InvalidParams("A page filter takes one page or a range of pages, such as page=3 or page=3..5.")
