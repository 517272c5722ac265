"""The names that documents define: stored with each document, read for questions."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from shisho.domain.corpus import DefinitionMark, DocumentNames, NameLink, Scope
from shisho.stores.embedded import rows
from shisho.stores.embedded.scope import write_condition
from shisho.stores.names import definition_marks, link_values, mark_values, name_links, read_stored_names

SCRIPT = "0071_names.sql"
# Add a pair of names for the same thing; several parts of a document may define the same pair.
LINK = f"INSERT INTO short_names(document_id, key, name, other_key, other) VALUES ({rows.marks(5)}) ON CONFLICT DO NOTHING"
# Add a sentence that defines something.
MARK = f"""INSERT INTO definitions(document_id, key, passage_id, start, "end", is_stated) VALUES ({rows.marks(6)})
    ON CONFLICT DO NOTHING"""
# Find other names of some names, those from most documents in scope first; its condition is filled in. CROSS
# JOIN makes the names the outer loop, however small the scope is.
LINKS = f"""SELECT s.key, min(s.name) AS name, s.other_key, min(s.other) AS other FROM short_names s
    CROSS JOIN documents d ON d.id = s.document_id JOIN corpora c ON c.id = d.corpus_id
    WHERE s.key IN {rows.ANY_OF} AND {{condition}}
    GROUP BY s.key, s.other_key ORDER BY s.key, count(*) DESC, s.other_key"""
# Find definitions of some keys in scope; its condition is filled in.
MARKS = f"""SELECT m.key, m.passage_id, m.start, m."end", m.is_stated, p.page FROM definitions m
    CROSS JOIN documents d ON d.id = m.document_id JOIN corpora c ON c.id = d.corpus_id
    JOIN passages p ON p.id = m.passage_id
    WHERE m.key IN {rows.ANY_OF} AND {{condition}} ORDER BY m.is_stated DESC, m.passage_id, m.start LIMIT ?"""
# List all documents with their aliases, the other names of the subject of their title.
DOCUMENTS = """SELECT d.id, d.title, m.value AS aliases
    FROM documents d LEFT JOIN document_meta m ON m.document_id = d.id AND m.key = 'aliases' ORDER BY d.id"""
# List the passages of a document, in order.
PASSAGES = f"""SELECT p.id, p.heading, {rows.TEXT} AS text, p.start, p.kind FROM passages p
    WHERE p.document_id = ? ORDER BY p.ordinal"""


def insert(connection: apsw.Connection, document_id: str, names: DocumentNames) -> None:
    """Store the names of a document, in the transaction that stores the document."""
    connection.executemany(LINK, link_values(document_id, names))
    connection.executemany(MARK, mark_values(document_id, names))


def fill(connection: apsw.Connection) -> None:
    """Extract the names of the documents that are already stored."""
    for document in rows.fetch_all(connection.execute(DOCUMENTS)):
        passages = rows.fetch_all(connection.execute(PASSAGES, (document.id,)))
        insert(connection, document.id, read_stored_names(document.title, document.aliases, passages))


def find_links(connection: apsw.Connection, keys: Sequence[str], scope: Scope) -> list[NameLink]:
    """Implement `SearchView.find_short_names` on a connection."""
    condition = write_condition(scope)
    query = LINKS.format(condition=condition.sql)
    return name_links(rows.fetch_all(connection.execute(query, (rows.bind_list(keys), *condition.values))))


def find_marks(
    connection: apsw.Connection, keys: Sequence[str], scope: Scope, most: int
) -> list[DefinitionMark]:
    """Implement `SearchView.find_definitions` on a connection."""
    condition = write_condition(scope)
    query = MARKS.format(condition=condition.sql)
    mark_rows = connection.execute(query, (rows.bind_list(keys), *condition.values, most))
    return definition_marks(rows.fetch_all(mark_rows), condition.pages)
