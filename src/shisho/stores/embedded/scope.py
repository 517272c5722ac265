"""A scope in SQLite: which documents are in it, and how many passages."""

from __future__ import annotations

import apsw

from shisho.domain.corpus import Scope
from shisho.stores.embedded.rows import ANY_OF, every, listed
from shisho.stores.index_scope import IndexScope
from shisho.stores.scope import SqlCondition, SqlDialect, condition_of

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


SQLITE = SqlDialect(
    mark="?",
    is_in=f"IN {ANY_OF}",
    is_not_in=f"NOT IN {ANY_OF}",
    last_character="char(0x10FFFF)",
    bind_list=listed,
)


def where(scope: Scope) -> SqlCondition:
    """Live documents in scope, in SQLite's words. Raises InvalidParams for a page that is no number."""
    return condition_of(scope, SQLITE)


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
