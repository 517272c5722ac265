"""The names that documents define: stored with each document, read for questions.

They are extracted again from passages for libraries from before names were extracted, and for copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shisho.domain.corpus import (
    ALIASES,
    DEFINING_KINDS,
    BlockKind,
    DefinitionMark,
    DocumentNames,
    NameLink,
    Passage,
    PassageId,
    Scope,
    list_aliases,
    make_names,
)
from shisho.stores.nouns import Row, passage_id, passage_number
from shisho.stores.sql import Queries
from shisho.stores.sql.scope import Pages, write_condition

# Add a pair of names for the same thing; several parts of a document may define the same pair.
LINK = """INSERT INTO short_names(document_id, key, name, other_key, other)
    VALUES (:document_id, :key, :name, :other_key, :other) ON CONFLICT DO NOTHING"""
# Add a sentence that defines something.
MARK = """INSERT INTO definitions(document_id, key, passage_id, start, "end", is_stated)
    VALUES (:document_id, :key, :passage_id, :start, :end, :is_stated) ON CONFLICT DO NOTHING"""
# Find other names of some names, those from most documents in scope first; its condition is filled in. SQLite
# keeps the order of a CROSS JOIN: the names are the outer loop, however small the scope is.
LINKS = """SELECT s.key, min(s.name) AS name, s.other_key, min(s.other) AS other
    FROM short_names s CROSS JOIN documents d JOIN corpora c ON c.id = d.corpus_id
    WHERE s.document_id = d.id AND s.key IN (SELECT value FROM json_each(:keys)) AND {condition}
    GROUP BY s.key, s.other_key ORDER BY s.key, count(*) DESC, s.other_key"""
# Find definitions of some keys in scope; its condition is filled in.
MARKS = """SELECT m.key, m.passage_id, m.start, m."end", m.is_stated, p.page
    FROM definitions m CROSS JOIN documents d JOIN corpora c ON c.id = d.corpus_id JOIN passages p ON p.id = m.passage_id
    WHERE m.document_id = d.id AND m.key IN (SELECT value FROM json_each(:keys)) AND {condition}
    ORDER BY m.is_stated DESC, m.passage_id, m.start LIMIT :most"""
# List all documents with their aliases, the other names of the subject of their title.
DOCUMENTS = """SELECT d.id, d.title, m.value AS aliases
    FROM documents d LEFT JOIN document_meta m ON m.document_id = d.id AND m.key = 'aliases' ORDER BY d.id"""
# List the passages of a document, in order; the text is filled in.
PASSAGES = """SELECT p.id, p.heading, {text} AS text, p.start, p.kind FROM passages p
    WHERE p.document_id = :id ORDER BY p.ordinal"""
MAX_OTHERS = 3  # names of one thing: a name with more of them means several things


def read_names(title: str, metadata: Mapping[str, str], passages: Iterable[Passage]) -> DocumentNames:
    """Extract names as when a document is added."""
    parts = ((passage.id, passage.heading, passage.text, passage.start, passage.kind) for passage in passages)
    return _read(title, metadata, parts)


def read_stored_names(title: str, aliases: str | None, rows: Iterable[Row]) -> DocumentNames:
    """Extract names from passage rows in order, with ID, heading, text, start and kind."""
    parts = ((passage_id(row.id), row.heading, row.text, row.start, BlockKind(row.kind)) for row in rows)
    return _read(title, {ALIASES: aliases or ""}, parts)


def _read(
    title: str, metadata: Mapping[str, str], parts: Iterable[tuple[PassageId, str, str, int, BlockKind]]
) -> DocumentNames:
    # Imported here, because a first reply without documents needs none of it.
    from shisho.language.document_names import find_links, find_marks, split_passage
    from shisho.language.terms import fold, split_terms

    split = [
        split_passage(id_, heading, text, start, kind in DEFINING_KINDS)
        for id_, heading, text, start, kind in parts
    ]

    def read(name: str) -> list[str]:
        return split_terms(fold(name))

    return make_names(find_links(split, title, list_aliases(metadata), read), find_marks(split, read))


def insert(queries: Queries, document_id: str, names: DocumentNames) -> None:
    """Store the names of a document, in the transaction that stores the document."""
    links = [{"document_id": document_id, **link._asdict()} for link in names.links]
    marks = [
        {"document_id": document_id, **mark._asdict(), "passage_id": passage_number(mark.passage_id)}
        for mark in names.definitions
    ]
    if links:
        queries.change_each(LINK, links)
    if marks:
        queries.change_each(MARK, marks)


def fill(queries: Queries) -> None:
    """Extract the names of the documents that are already stored."""
    for document in queries.fetch(DOCUMENTS, {}):
        passages = queries.fetch(PASSAGES.format(text=queries.passage_text), {"id": document.id})
        insert(queries, document.id, read_stored_names(document.title, document.aliases, passages))


def find_links(queries: Queries, keys: Sequence[str], scope: Scope) -> list[NameLink]:
    """Implement `SearchView.find_short_names` in a transaction."""
    condition = write_condition(scope)
    query = LINKS.format(condition=condition.sql)
    return _list_links(queries.fetch(query, condition.values | {"keys": [*keys]}))


def find_marks(queries: Queries, keys: Sequence[str], scope: Scope, most: int) -> list[DefinitionMark]:
    """Implement `SearchView.find_definitions` in a transaction."""
    condition = write_condition(scope)
    query = MARKS.format(condition=condition.sql)
    rows = queries.fetch(query, condition.values | {"keys": [*keys], "most": most})
    return _list_marks(rows, condition.pages)


def _list_links(rows: Iterable[Row]) -> list[NameLink]:
    """Return the most frequent other names of each name; rows come with those first."""
    links: dict[str, list[NameLink]] = {}
    for row in rows:
        others = links.setdefault(row.key, [])
        if len(others) < MAX_OTHERS:
            others.append(NameLink(row.key, row.name, row.other_key, row.other))
    return [link for others in links.values() for link in others]


def _list_marks(rows: Iterable[Row], pages: Pages | None) -> list[DefinitionMark]:
    """Return the definitions that are on some pages."""
    return [
        DefinitionMark(row.key, passage_id(row.passage_id), row.start, row.end, bool(row.is_stated))
        for row in rows
        if pages is None or _is_on(row.page, *pages)
    ]


def _is_on(page: int | None, low: int | None, high: int | None) -> bool:
    return page is not None and (low is None or page >= low) and (high is None or page <= high)
