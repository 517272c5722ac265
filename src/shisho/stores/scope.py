"""A scope as a condition over documents, in the SQL dialect of each database.

Values are always bound; field names come from a fixed list, or are bound as metadata keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shisho.domain.corpus import Condition, FilterRange, Scope
from shisho.errors import InvalidParams
from shisho.language.comparable import make_comparable

COLUMNS = {
    "document": "d.id",
    "title": "d.title",
    "source": "d.source",
    "media_type": "d.media_type",
    "added_at": "d.added_at",
}
# The corpora that a reader may search: their own, and those granted to them or their groups.
READABLE_CORPORA = "SELECT r.corpus_id FROM readable_corpora r WHERE r.reader = {mark}"
Pages = tuple[int | None, int | None]
"""The first and the last page, both included; None means no limit."""
LAST_PAGE = 2**31 - 1  # the largest number that every database and array of pages can store

# Documents whose metadata meet a condition; the test of the value is filled in.
DESCRIBED = "SELECT document_id FROM document_meta WHERE key = {mark} AND {test}"


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """The differences between SQL dialects.

    A bound value, membership in a list that is bound as one value (created by `bind_list`), and the last of
    all characters.
    """

    mark: str
    is_in: str
    is_not_in: str
    last_character: str
    bind_list: Callable[[Iterable[str]], Any]


@dataclass(frozen=True, slots=True)
class SqlCondition:
    """A condition over `documents d JOIN corpora c`, its values, and a range of pages.

    Pages can only be tested on passages.
    """

    sql: str
    values: tuple[Any, ...]
    narrowed: bool
    pages: Pages | None


def condition_of(scope: Scope, dialect: SqlDialect, *, removed: bool = False) -> SqlCondition:
    """Write the condition for live (or removed) documents in scope.

    Raises: InvalidParams for a page that is not a number.
    """
    corpora, bound_corpora = write_readable_corpora(scope, dialect)
    state = "removed" if removed else "live"
    parts = [f"d.state = '{state}'", f"c.id IN ({corpora})"]
    values: list[Any] = [*bound_corpora]
    if scope.without:
        parts.append(f"d.id {dialect.is_not_in}")
        values.append(dialect.bind_list(scope.without))
    filters = {key: value for key, value in scope.filters.items() if key != "page"}
    for key, condition in filters.items():
        filter_of = _column if key in COLUMNS else _metadata
        sql, bound = filter_of(key, condition, dialect)
        parts.append(sql)
        values.extend(bound)
    return SqlCondition(" AND ".join(parts), tuple(values), bool(filters), _pages(scope.filters))


def write_readable_corpora(scope: Scope, dialect: SqlDialect) -> tuple[str, list[Any]]:
    """Write the statement that selects the keys of a scope's readable corpora, and its values."""
    readable = READABLE_CORPORA.format(mark=dialect.mark)
    if not scope.corpora:
        return readable, [scope.owner]
    return f"{readable} AND r.address {dialect.is_in}", [scope.owner, dialect.bind_list(scope.corpora)]


def _column(key: str, condition: Condition, dialect: SqlDialect) -> tuple[str, list[Any]]:
    column = COLUMNS[key]
    if isinstance(condition, FilterRange):
        low = condition.low or ""
        at_least = f"{column} >= {dialect.mark}"
        if condition.high is None:
            return f"({at_least})", [low]
        return f"({at_least} AND {column} <= {_ceiling(dialect)})", [low, condition.high]
    members = [condition] if isinstance(condition, str) else condition
    return f"{column} {dialect.is_in}", [dialect.bind_list(members)]


def _metadata(key: str, condition: Condition, dialect: SqlDialect) -> tuple[str, list[Any]]:
    test, values = (
        _range(condition, dialect) if isinstance(condition, FilterRange) else _equal(condition, dialect)
    )
    return f"d.id IN ({DESCRIBED.format(mark=dialect.mark, test=test)})", [key, *values]


def _equal(condition: str | tuple[str, ...], dialect: SqlDialect) -> tuple[str, list[Any]]:
    members = [condition] if isinstance(condition, str) else condition
    folded = [make_comparable(value).folded for value in members]
    return f"folded {dialect.is_in}", [dialect.bind_list(folded)]


def _range(condition: FilterRange, dialect: SqlDialect) -> tuple[str, list[Any]]:
    low, high = (None if end is None else make_comparable(end) for end in (condition.low, condition.high))
    as_text = ["1 = 1"]
    texts = list[Any]()
    as_number = ["number IS NOT NULL"]
    numbers = list[Any]()
    if low is not None:
        as_text.append(f"folded >= {dialect.mark}")
        texts.append(low.folded)
        as_number.append(f"number >= {dialect.mark}" if low.number is not None else "1 = 0")
        numbers.extend([] if low.number is None else [low.number])
    if high is not None:
        # An end like 2024-05 includes every day that begins with it.
        as_text.append(f"folded <= {_ceiling(dialect)}")
        texts.append(high.folded)
        as_number.append(f"number <= {dialect.mark}" if high.number is not None else "1 = 0")
        numbers.extend([] if high.number is None else [high.number])
    return f"(({' AND '.join(as_number)}) OR (number IS NULL AND {' AND '.join(as_text)}))", [
        *numbers,
        *texts,
    ]


def _ceiling(dialect: SqlDialect) -> str:
    """Return an expression for the upper bound of all texts with a bound prefix."""
    return f"{dialect.mark} || {dialect.last_character}"


def _pages(filters: Mapping[str, Condition]) -> Pages | None:
    condition = filters.get("page")
    if condition is None:
        return None
    try:
        if isinstance(condition, FilterRange):
            return (
                _read_page_number(condition.low) if condition.low else None,
                _read_page_number(condition.high) if condition.high else None,
            )
        if isinstance(condition, str):
            number = _read_page_number(condition)
            return number, number
    except ValueError:
        pass
    raise InvalidParams("filter.bad_page")


def _read_page_number(text: str) -> int:
    """Parse a page number, clamped to a range that every database can store."""
    return max(-1, min(int(text), LAST_PAGE))
