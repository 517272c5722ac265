"""A scope in PostgreSQL: its documents, and the number of its passages."""

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
# Documents with their corpora, as a scope's condition expects them.
FROM_DOCUMENTS = "FROM documents d JOIN corpora c ON c.id = d.corpus_id"
# The corpora that a reader may search: their own, and those granted to them or their groups.
READABLE = READABLE_CORPORA.format(mark="%s")
# Count the live passages of selected readable corpora; the selection is filled in.
COUNT_CORPORA = (
    "SELECT coalesce(sum(c.passages), 0)::bigint AS passages FROM corpora c WHERE c.id IN ({corpora})"
)
# Count the live passages of the documents in scope; its condition is filled in.
COUNT_DOCUMENTS = (
    f"SELECT coalesce(sum(d.passage_count), 0)::bigint AS passages {FROM_DOCUMENTS} WHERE {{condition}}"
)
# Count the passages on some pages of the documents in scope; its condition is filled in.
COUNT_PAGES = f"""SELECT count(*) AS passages {FROM_DOCUMENTS} JOIN passages p ON p.document_id = d.id
    WHERE {{condition}}"""


def write_condition(scope: Scope, *, removed: bool = False) -> SqlCondition:
    """Write the condition for live (or removed) documents in scope in PostgreSQL's dialect.

    Raises: InvalidParams for a page that is not a number.
    """
    return condition_of(scope, POSTGRES, removed=removed)


def write_passage_condition(scope: Scope) -> tuple[str, list[Any]]:
    """Write the condition for passages `p` of documents in scope, and its values."""
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
    """Implement `Shelf.count` on a connection."""
    condition = write_condition(scope)
    if condition.pages is not None:
        sql, values = write_passage_condition(scope)
        return _counted(connection, COUNT_PAGES.format(condition=sql), values)
    if condition.narrowed or scope.without:
        return _counted(connection, COUNT_DOCUMENTS.format(condition=condition.sql), condition.values)
    corpora, bound = write_readable_corpora(scope, POSTGRES)
    return _counted(connection, COUNT_CORPORA.format(corpora=corpora), bound)


def corpus_ids(connection: Connection, scope: Scope) -> list[int]:
    """Return the keys of a scope's corpora, in order."""
    corpora, values = write_readable_corpora(scope, POSTGRES)
    return sorted({row.corpus_id for row in rows.fetch_all(connection, corpora, values)})


def _counted(connection: Connection, statement: str, values: Any) -> int:
    return int(rows.fetch_all(connection, statement, values)[0].passages)
