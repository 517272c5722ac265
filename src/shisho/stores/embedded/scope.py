"""A scope as SQL over documents: bound values only, field names from a fixed list or bound as metadata
keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import apsw

from shisho.domain.corpus import Condition, FilterRange, Scope
from shisho.errors import InvalidParams
from shisho.language.comparable import comparable
from shisho.stores.embedded.rows import ANY_OF, every, listed
from shisho.stores.index_scope import IndexScope

COLUMNS = {
    "document": "d.id",
    "title": "d.title",
    "source": "d.source",
    "media_type": "d.media_type",
    "added_at": "d.added_at",
}

# Live passages of all corpora of an owner.
COUNT_ALL = "SELECT coalesce(sum(passages), 0) FROM corpora WHERE owner = ?"
# Live passages of some corpora of an owner.
COUNT_CORPORA = f"{COUNT_ALL} AND name IN {ANY_OF}"
# Live passages of the documents in scope; its condition is filled in.
COUNT_DOCUMENTS = """SELECT coalesce(sum(d.passage_count), 0)
    FROM documents d JOIN corpora c ON c.id = d.corpus_id WHERE {condition}"""
# Passages on some pages of the documents in scope; its condition is filled in.
COUNT_PAGES = """SELECT count(*)
    FROM documents d JOIN corpora c ON c.id = d.corpus_id JOIN passages p ON p.document_id = d.id
    WHERE {condition} AND p.page >= coalesce(?, p.page) AND p.page <= coalesce(?, p.page)"""

# Whether there are corpora of other owners.
OTHERS = "SELECT EXISTS (SELECT 1 FROM corpora WHERE owner <> ?)"
# The keys of all corpora of an owner.
ALL_CORPORA = "SELECT id FROM corpora WHERE owner = ?"
# The keys of some corpora of an owner.
CORPORA = f"{ALL_CORPORA} AND name IN {ANY_OF}"
# The documents in scope; its condition is filled in.
IN_SCOPE = "SELECT d.id FROM documents d JOIN corpora c ON c.id = d.corpus_id WHERE {condition}"


@dataclass(frozen=True, slots=True)
class SqlCondition:
    """A condition over `documents d JOIN corpora c`, its values, and the page range that only passages can
    answer."""

    sql: str
    values: tuple[str | int | float, ...]
    narrowed: bool
    pages: tuple[int | None, int | None] | None


def where(scope: Scope) -> SqlCondition:
    """Live documents in scope. Raises InvalidParams for a page that is no number."""
    parts = ["d.state = 'live'", "c.owner = ?"]
    values = [scope.owner]
    if scope.corpora:
        parts.append(f"c.name IN {ANY_OF}")
        values.append(listed(scope.corpora))
    bound: list[str | int | float] = [*values]
    if scope.without:
        parts.append(f"d.id NOT IN {ANY_OF}")
        bound.append(listed(scope.without))
    filters = {key: value for key, value in scope.filters.items() if key != "page"}
    for key, condition in filters.items():
        sql, extra = _column(COLUMNS[key], condition) if key in COLUMNS else _metadata(key, condition)
        parts.append(sql)
        bound.extend(extra)
    return SqlCondition(" AND ".join(parts), tuple(bound), bool(filters), _pages(scope.filters))


def _column(column: str, condition: Condition) -> tuple[str, list[str | int | float]]:
    if isinstance(condition, FilterRange):
        low = condition.low or ""
        high = condition.high
        ceiling = "" if high is None else f" AND {column} <= ? || char(0x10FFFF)"
        return f"({column} >= ?{ceiling})", [low] if high is None else [low, high]
    return f"{column} IN {ANY_OF}", [listed([condition] if isinstance(condition, str) else condition)]


def _metadata(key: str, condition: Condition) -> tuple[str, list[str | int | float]]:
    test, values = _range(condition) if isinstance(condition, FilterRange) else _equal(condition)
    return f"d.id IN (SELECT document_id FROM document_meta WHERE key = ? AND {test})", [key, *values]


def _equal(condition: str | tuple[str, ...]) -> tuple[str, list[str | int | float]]:
    folded = [
        comparable(value).folded for value in ([condition] if isinstance(condition, str) else condition)
    ]
    return f"folded IN {ANY_OF}", [listed(folded)]


def _range(condition: FilterRange) -> tuple[str, list[str | int | float]]:
    low, high = (None if end is None else comparable(end) for end in (condition.low, condition.high))
    as_text = ["1"]
    texts = list[str | int | float]()
    as_number = ["number IS NOT NULL"]
    numbers = list[str | int | float]()
    if low is not None:
        as_text.append("folded >= ?")
        texts.append(low.folded)
        as_number.append("number >= ?" if low.number is not None else "0")
        numbers.extend([] if low.number is None else [low.number])
    if high is not None:
        # An end like 2024-05 includes every day that begins with it.
        as_text.append("folded <= ? || char(0x10FFFF)")
        texts.append(high.folded)
        as_number.append("number <= ?" if high.number is not None else "0")
        numbers.extend([] if high.number is None else [high.number])
    return f"(({' AND '.join(as_number)}) OR (number IS NULL AND {' AND '.join(as_text)}))", [
        *numbers,
        *texts,
    ]


def _pages(filters: Mapping[str, Condition]) -> tuple[int | None, int | None] | None:
    condition = filters.get("page")
    if condition is None:
        return None
    try:
        if isinstance(condition, FilterRange):
            return (
                int(condition.low) if condition.low else None,
                int(condition.high) if condition.high else None,
            )
        if isinstance(condition, str):
            return int(condition), int(condition)
    except ValueError:
        pass
    raise InvalidParams("A page filter takes one page or a range of pages, such as page=3 or page=3..5.")


def count_in(connection: apsw.Connection, scope: Scope) -> int:
    """`Shelf.count` on a connection."""
    condition = where(scope)
    if condition.pages is None and not condition.narrowed and not scope.without:
        values = (scope.owner, listed(scope.corpora)) if scope.corpora else (scope.owner,)
        return int(connection.execute(COUNT_CORPORA if scope.corpora else COUNT_ALL, values).get)
    if condition.pages is None:
        return int(connection.execute(COUNT_DOCUMENTS.format(condition=condition.sql), condition.values).get)
    low, high = condition.pages
    return int(
        connection.execute(COUNT_PAGES.format(condition=condition.sql), (*condition.values, low, high)).get
    )


def index_scope(connection: apsw.Connection, scope: Scope) -> IndexScope:
    condition = where(scope)
    corpora: tuple[int, ...] | None = None
    if scope.corpora or connection.execute(OTHERS, (scope.owner,)).get:
        values = (scope.owner, listed(scope.corpora)) if scope.corpora else (scope.owner,)
        query = CORPORA if scope.corpora else ALL_CORPORA
        corpora = tuple(int(row.id) for row in every(connection.execute(query, values)))
    documents: tuple[str, ...] | None = None
    if condition.narrowed:
        found = every(connection.execute(IN_SCOPE.format(condition=condition.sql), condition.values))
        documents = tuple(row.id for row in found)
    return IndexScope(corpora, documents, scope.without, condition.pages)
