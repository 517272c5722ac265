"""A scope in PostgreSQL: which documents are in it, and how many passages."""

from __future__ import annotations

from typing import Any

from shisho.domain.corpus import Scope
from shisho.stores.postgres import rows
from shisho.stores.postgres.pool import Connection
from shisho.stores.scope import (
    READABLE_CORPORA,
    Pages,
    SqlCondition,
    SqlDialect,
    condition_of,
    write_readable_corpora,
)

POSTGRES = SqlDialect(
    mark="%s",
    is_in="= ANY(%s)",
    is_not_in="<> ALL(%s)",
    last_character="chr(1114111)",
    bind_list=list,
)
# Documents with the corpora they stand in: what a scope's condition is about.
FROM_DOCUMENTS = "FROM documents d JOIN corpora c ON c.id = d.corpus_id"
# The corpora that a reader may search: their own, and those granted to them or to a group of theirs.
READABLE = READABLE_CORPORA.format(mark="%s")
# Live passages of some of the corpora that a reader may search; which, is filled in.
COUNT_CORPORA = (
    "SELECT coalesce(sum(c.passages), 0)::bigint AS passages FROM corpora c WHERE c.id IN ({corpora})"
)
# Live passages of the documents in scope; its condition is filled in.
COUNT_DOCUMENTS = (
    f"SELECT coalesce(sum(d.passage_count), 0)::bigint AS passages {FROM_DOCUMENTS} WHERE {{condition}}"
)
# Passages on some pages of the documents in scope; its condition is filled in.
COUNT_PAGES = f"""SELECT count(*) AS passages {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
    WHERE {{condition}}"""


def write_condition(scope: Scope, *, removed: bool = False) -> SqlCondition:
    """Live documents in scope, or those that were removed, in PostgreSQL's words. Raises InvalidParams for a
    page that is no number."""
    return condition_of(scope, POSTGRES, removed=removed)


def write_passage_condition(scope: Scope) -> tuple[str, list[Any]]:
    """Passages `p` of documents in scope, and the values of that condition."""
    condition = write_condition(scope)
    sql, values = _on_pages(condition.pages)
    return condition.sql + sql, [*condition.values, *values]


def _on_pages(pages: Pages | None) -> tuple[str, list[int]]:
    if pages is None:
        return "", []
    low, high = pages
    tests = [" AND p.page IS NOT NULL"]
    if low is not None:
        tests.append("p.page >= %s::bigint")
    if high is not None:
        tests.append("p.page <= %s::bigint")
    return " AND ".join(tests), [edge for edge in pages if edge is not None]


def count_in(connection: Connection, scope: Scope) -> int:
    """`Shelf.count` on a connection."""
    condition = write_condition(scope)
    if condition.pages is not None:
        sql, values = write_passage_condition(scope)
        return _counted(connection, COUNT_PAGES.format(condition=sql), values)
    if condition.narrowed or scope.without:
        return _counted(connection, COUNT_DOCUMENTS.format(condition=condition.sql), condition.values)
    corpora, bound = write_readable_corpora(scope, POSTGRES)
    return _counted(connection, COUNT_CORPORA.format(corpora=corpora), bound)


def corpus_ids(connection: Connection, scope: Scope) -> list[int]:
    """The keys of a scope's corpora, in order."""
    corpora, values = write_readable_corpora(scope, POSTGRES)
    return sorted({row.corpus_id for row in rows.fetch_all(connection, corpora, values)})


def _counted(connection: Connection, statement: str, values: Any) -> int:
    return int(rows.fetch_all(connection, statement, values)[0].passages)
