"""The names that documents define: stored with each document, read for questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from shisho.domain.corpus import DefinitionMark, DocumentNames, NameLink, Scope
from shisho.stores.names import definition_marks, link_values, mark_values, name_links, read_stored_names
from shisho.stores.postgres import rows
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.scope import FROM_DOCUMENTS, write_condition

SCRIPT = "0089_names.sql"
# Add pairs of names for the same thing; several parts of a document may define the same pair.
LINKS_IN = """INSERT INTO short_names(document_id, key, name, other_key, other) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT DO NOTHING"""
# Add sentences that define something.
MARKS_IN = """INSERT INTO definitions(document_id, key, passage_id, start, "end", is_stated)
    VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"""
# Find other names of some names, those from most documents in scope first; its condition is filled in.
LINKS = f"""SELECT s.key, min(s.name) AS name, s.other_key, min(s.other) AS other
    {FROM_DOCUMENTS} JOIN short_names s ON s.document_id = d.id
    WHERE s.key = ANY(%s) AND {{condition}}
    GROUP BY s.key, s.other_key ORDER BY s.key, count(*) DESC, s.other_key"""
# Find definitions of some keys in scope; its condition is filled in.
MARKS = f"""SELECT m.key, m.passage_id, m.start, m."end", m.is_stated, p.page
    {FROM_DOCUMENTS} JOIN definitions m ON m.document_id = d.id JOIN passages p ON p.id = m.passage_id
    WHERE m.key = ANY(%s) AND {{condition}} ORDER BY m.is_stated DESC, m.passage_id, m.start LIMIT %s"""
# List all documents with their aliases, the other names of the subject of their title.
DOCUMENTS = """SELECT d.id, d.title, m.value AS aliases
    FROM documents d LEFT JOIN document_meta m ON m.document_id = d.id AND m.key = 'aliases' ORDER BY d.id"""
# List the passages of a document, in order.
PASSAGES = "SELECT id, heading, text, start, kind FROM passages WHERE document_id = %s ORDER BY ordinal"


def insert(connection: psycopg.Connection[Any], document_id: str, names: DocumentNames) -> None:
    """Store the names of a document, in the transaction that stores the document."""
    with connection.cursor() as cursor:
        if names.links:
            cursor.executemany(LINKS_IN, link_values(document_id, names))
        if names.definitions:
            cursor.executemany(MARKS_IN, mark_values(document_id, names))


def fill(connection: psycopg.Connection[Any]) -> None:
    """Extract the names of the documents that are already stored."""
    for document in connection.execute(DOCUMENTS).fetchall():
        passages = connection.execute(PASSAGES, (document.id,)).fetchall()
        insert(connection, document.id, read_stored_names(document.title, document.aliases, passages))


def find_links(connection: Connection, keys: Sequence[str], scope: Scope) -> list[NameLink]:
    """Implement `SearchView.find_short_names` on a connection."""
    condition = write_condition(scope)
    query = LINKS.format(condition=condition.sql)
    return name_links(rows.fetch_all(connection, query, (list(keys), *condition.values)))


def find_marks(connection: Connection, keys: Sequence[str], scope: Scope, most: int) -> list[DefinitionMark]:
    """Implement `SearchView.find_definitions` on a connection."""
    condition = write_condition(scope)
    query = MARKS.format(condition=condition.sql)
    mark_rows = rows.fetch_all(connection, query, (list(keys), *condition.values, most))
    return definition_marks(mark_rows, condition.pages)
