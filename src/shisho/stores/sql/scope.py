"""A scope as a condition over documents, and the number of its passages.

Values are always bound; field names come from a fixed list, or are bound as metadata keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shisho.domain.corpus import Condition, FilterRange, Scope
from shisho.errors import InvalidParams
from shisho.language.numbers import make_comparable
from shisho.records import dataclass
from shisho.stores.indexing import IndexScope
from shisho.stores.sql import Queries

COLUMNS = {
    "document": "d.id",
    "title": "d.title",
    "source": "d.source",
    "media_type": "d.media_type",
    "added_at": "d.added_at",
}
# Documents with their corpora, as a condition expects them.
FROM_DOCUMENTS = "FROM documents d JOIN corpora c ON c.id = d.corpus_id"
# The corpora that a reader may search: their own, and those granted to them or their groups.
READABLE = "SELECT r.corpus_id FROM readable_corpora r WHERE r.reader = :reader"
# Only the corpora with these names.
NAMED = "AND r.address IN (SELECT value FROM json_each(:corpora))"
# Check whether there are corpora that a reader may not search.
HAS_UNREADABLE = f"SELECT EXISTS (SELECT 1 FROM corpora c WHERE c.id NOT IN ({READABLE})) AS are_there"
# List the documents in scope; its condition is filled in.
IN_SCOPE = f"SELECT d.id {FROM_DOCUMENTS} WHERE {{condition}}"
# Count the live passages of selected readable corpora; the selection is filled in.
COUNT_CORPORA = """SELECT CAST(coalesce(sum(c.passages), 0) AS bigint) AS passages
    FROM corpora c WHERE c.id IN ({corpora})"""
# Count the live passages of the documents in scope; its condition is filled in.
COUNT_DOCUMENTS = f"""SELECT CAST(coalesce(sum(d.passage_count), 0) AS bigint) AS passages
    {FROM_DOCUMENTS} WHERE {{condition}}"""
# Count the passages on some pages of the documents in scope; its condition is filled in.
COUNT_PAGES = f"""SELECT count(*) AS passages {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
    WHERE {{condition}}"""
Pages = tuple[int | None, int | None]
"""The first and the last page, both included; None means no limit."""
TOP = "\U0010ffff"  # after every text with a prefix
LAST_PAGE = 2**31 - 1  # the largest number that every database and array of pages can store

# Documents whose metadata meet a condition; the name of the key's value, and the test are filled in.
DESCRIBED = "SELECT document_id FROM document_meta WHERE key = :{key} AND {test}"


@dataclass(frozen=True, slots=True)
class SqlCondition:
    """A condition over `documents d JOIN corpora c`, its values, and a range of pages.

    Pages can only be tested on passages.
    """

    sql: str
    values: dict[str, Any]
    narrowed: bool
    pages: Pages | None


class _Values(dict[str, Any]):
    """The bound values of a condition, under parameter names that no statement uses."""

    def bind(self, value: object) -> str:
        """Add a value; return its parameter."""
        name = f"in_scope_{len(self)}"
        self[name] = value
        return f":{name}"

    def bind_list(self, members: Iterable[str]) -> str:
        """Add a list; return what `IN` tests."""
        return f"(SELECT value FROM json_each({self.bind([*members])}))"


def write_condition(scope: Scope, *, removed: bool = False) -> SqlCondition:
    """Write the condition for live (or removed) documents in scope.

    Raises: InvalidParams for a page that is not a number.
    """
    corpora, values = _write_corpora(scope)
    state = "removed" if removed else "live"
    parts = [f"d.state = '{state}'", f"c.id IN ({corpora})"]
    if scope.without:
        parts.append(f"d.id NOT IN {values.bind_list(scope.without)}")
    filters = {key: value for key, value in scope.filters.items() if key != "page"}
    for key, condition in filters.items():
        parts.append(
            _write_column(key, condition, values)
            if key in COLUMNS
            else _write_metadata(key, condition, values)
        )
    return SqlCondition(" AND ".join(parts), values, bool(filters), _read_pages(scope.filters))


def write_passage_condition(scope: Scope) -> tuple[str, dict[str, Any]]:
    """Write the condition for passages `p` of documents in scope, and its values."""
    condition = write_condition(scope)
    if condition.pages is None:
        return condition.sql, condition.values
    low, high = condition.pages
    tests = [condition.sql, "p.page IS NOT NULL"]
    tests += [] if low is None else ["p.page >= CAST(:low_page AS bigint)"]
    tests += [] if high is None else ["p.page <= CAST(:high_page AS bigint)"]
    return " AND ".join(tests), condition.values | {"low_page": low, "high_page": high}


def count_in(queries: Queries, scope: Scope) -> int:
    """Implement `Shelf.count` in a transaction."""
    condition = write_condition(scope)
    if condition.pages is not None:
        sql, values = write_passage_condition(scope)
        (row,) = queries.fetch(COUNT_PAGES.format(condition=sql), values)
    elif condition.narrowed or scope.without:
        (row,) = queries.fetch(COUNT_DOCUMENTS.format(condition=condition.sql), condition.values)
    else:
        corpora, values = _write_corpora(scope)
        (row,) = queries.fetch(COUNT_CORPORA.format(corpora=corpora), values)
    return int(row.passages)


def list_corpus_ids(queries: Queries, scope: Scope) -> list[int]:
    """Return the keys of a scope's corpora, in order."""
    return sorted({int(row.corpus_id) for row in queries.fetch(*_write_corpora(scope))})


def read_index_scope(queries: Queries, scope: Scope) -> IndexScope:
    """Return a scope as indexes apply it."""
    condition = write_condition(scope)
    corpora: tuple[int, ...] | None = None
    if scope.corpora or queries.fetch(HAS_UNREADABLE, {"reader": scope.owner})[0].are_there:
        corpora = tuple(list_corpus_ids(queries, scope))
    documents: tuple[str, ...] | None = None
    if condition.narrowed:
        found = queries.fetch(IN_SCOPE.format(condition=condition.sql), condition.values)
        documents = tuple(row.id for row in found)
    return IndexScope(corpora, documents, scope.without, condition.pages)


def _write_corpora(scope: Scope) -> tuple[str, _Values]:
    """Write the statement that selects the keys of a scope's readable corpora, and its values."""
    values = _Values(reader=scope.owner)
    if not scope.corpora:
        return READABLE, values
    values["corpora"] = [*scope.corpora]
    return f"{READABLE} {NAMED}", values


def _write_column(key: str, condition: Condition, values: _Values) -> str:
    column = COLUMNS[key]
    if not isinstance(condition, FilterRange):
        members = [condition] if isinstance(condition, str) else condition
        return f"{column} IN {values.bind_list(members)}"
    at_least = f"{column} >= {values.bind(condition.low or '')}"
    if condition.high is None:
        return f"({at_least})"
    return f"({at_least} AND {column} <= {values.bind(condition.high + TOP)})"


def _write_metadata(key: str, condition: Condition, values: _Values) -> str:
    name = values.bind(key).removeprefix(":")
    test = (
        _write_range(condition, values)
        if isinstance(condition, FilterRange)
        else _write_equal(condition, values)
    )
    return f"d.id IN ({DESCRIBED.format(key=name, test=test)})"


def _write_equal(condition: str | tuple[str, ...], values: _Values) -> str:
    members = [condition] if isinstance(condition, str) else condition
    return f"folded IN {values.bind_list(make_comparable(value).folded for value in members)}"


def _write_range(condition: FilterRange, values: _Values) -> str:
    low, high = (None if end is None else make_comparable(end) for end in (condition.low, condition.high))
    as_text = ["number IS NULL"]
    as_number = ["number IS NOT NULL"]
    if low is not None:
        as_text.append(f"folded >= {values.bind(low.folded)}")
        as_number.append("1 = 0" if low.number is None else f"number >= {values.bind(low.number)}")
    if high is not None:
        # An end like 2024-05 includes every day that begins with it.
        as_text.append(f"folded <= {values.bind(high.folded + TOP)}")
        as_number.append("1 = 0" if high.number is None else f"number <= {values.bind(high.number)}")
    return f"(({' AND '.join(as_number)}) OR ({' AND '.join(as_text)}))"


def _read_pages(filters: Mapping[str, Condition]) -> Pages | None:
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
