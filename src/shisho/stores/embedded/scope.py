"""A scope in SQLite: its documents, and the number of its passages."""

from __future__ import annotations

import apsw

from shisho.domain.corpus import Scope
from shisho.stores.embedded.rows import ANY_OF, bind_list, fetch_all
from shisho.stores.index_scope import IndexScope
from shisho.stores.scope import (
    READABLE_CORPORA,
    SqlCondition,
    SqlDialect,
    condition_of,
    write_readable_corpora,
)

# Count the live passages of selected readable corpora; the selection is filled in.
COUNT_CORPORA = "SELECT coalesce(sum(c.passages), 0) FROM corpora c WHERE c.id IN ({corpora})"
# Count the live passages of the documents in scope; its condition is filled in.
COUNT_DOCUMENTS = """SELECT coalesce(sum(d.passage_count), 0)
    FROM documents d JOIN corpora c ON c.id = d.corpus_id WHERE {condition}"""
# Count the passages on some pages of the documents in scope; its condition is filled in.
COUNT_PAGES = """SELECT count(*)
    FROM documents d JOIN corpora c ON c.id = d.corpus_id JOIN passages p ON p.document_id = d.id
    WHERE {condition} AND p.page >= coalesce(?, p.page) AND p.page <= coalesce(?, p.page)"""

# The corpora that a reader may search: their own, and those granted to them or their groups.
READABLE = READABLE_CORPORA.format(mark="?")
# Check whether there are corpora that a reader may not search.
OTHERS = f"SELECT EXISTS (SELECT 1 FROM corpora c WHERE c.id NOT IN ({READABLE}))"
# List the documents in scope; its condition is filled in.
IN_SCOPE = "SELECT d.id FROM documents d JOIN corpora c ON c.id = d.corpus_id WHERE {condition}"


SQLITE = SqlDialect(
    mark="?",
    is_in=f"IN {ANY_OF}",
    is_not_in=f"NOT IN {ANY_OF}",
    last_character="char(0x10FFFF)",
    bind_list=bind_list,
)


def write_condition(scope: Scope, *, removed: bool = False) -> SqlCondition:
    """Write the condition for live (or removed) documents in scope in SQLite's dialect.

    Raises: InvalidParams for a page that is not a number.
    """
    return condition_of(scope, SQLITE, removed=removed)


def corpora_of(scope: Scope) -> tuple[str, tuple[str, ...]]:
    """Write the statement that selects the keys of a scope's corpora, and its values."""
    sql, values = write_readable_corpora(scope, SQLITE)
    return sql, tuple(values)


def count_in(connection: apsw.Connection, scope: Scope) -> int:
    """Implement `Shelf.count` on a connection."""
    condition = write_condition(scope)
    if condition.pages is None and not condition.narrowed and not scope.without:
        corpora, values = corpora_of(scope)
        return int(connection.execute(COUNT_CORPORA.format(corpora=corpora), values).get)
    if condition.pages is None:
        return int(connection.execute(COUNT_DOCUMENTS.format(condition=condition.sql), condition.values).get)
    low, high = condition.pages
    return int(
        connection.execute(COUNT_PAGES.format(condition=condition.sql), (*condition.values, low, high)).get
    )


def index_scope(connection: apsw.Connection, scope: Scope) -> IndexScope:
    condition = write_condition(scope)
    corpora: tuple[int, ...] | None = None
    if scope.corpora or connection.execute(OTHERS, (scope.owner,)).get:
        corpora = tuple(corpus_ids(connection, scope))
    documents: tuple[str, ...] | None = None
    if condition.narrowed:
        found = fetch_all(connection.execute(IN_SCOPE.format(condition=condition.sql), condition.values))
        documents = tuple(row.id for row in found)
    return IndexScope(corpora, documents, scope.without, condition.pages)


def corpus_ids(connection: apsw.Connection, scope: Scope) -> list[int]:
    """Return the keys of a scope's corpora, in order."""
    query, values = corpora_of(scope)
    return sorted({int(row.corpus_id) for row in fetch_all(connection.execute(query, values))})
