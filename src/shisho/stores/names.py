"""The names that a document defines, extracted again from its passages.

This is for libraries from before names were extracted, and for copies. The rows suit the tables of every
store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shisho.domain.corpus import (
    DEFINING_KINDS,
    BlockKind,
    DefinitionMark,
    DocumentNames,
    NameLink,
    Passage,
    PassageId,
)
from shisho.domain.names import ALIASES, list_aliases, make_names
from shisho.stores.nouns import Row, passage_id, passage_number
from shisho.stores.scope import Pages

MOST_OTHERS = 3  # names of one thing: a name with more of them means several things


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
    from shisho.language.terms import fold, terms

    split = [
        split_passage(id_, heading, text, start, kind in DEFINING_KINDS)
        for id_, heading, text, start, kind in parts
    ]

    def read(name: str) -> list[str]:
        return terms(fold(name))

    return make_names(find_links(split, title, list_aliases(metadata), read), find_marks(split, read))


def link_values(document_id: str, names: DocumentNames) -> list[tuple[str, ...]]:
    """Return rows of document, key, name, other key and other name."""
    return [(document_id, *link) for link in names.links]


def mark_values(document_id: str, names: DocumentNames) -> list[tuple[str | int | bool, ...]]:
    """Return rows of document, key, passage, start, end and whether it is stated."""
    return [(document_id, mark.key, passage_number(mark.passage_id), *mark[2:]) for mark in names.definitions]


def name_links(rows: Iterable[Row]) -> list[NameLink]:
    """Return the most frequent other names of each name; rows come with those first."""
    links: dict[str, list[NameLink]] = {}
    for row in rows:
        others = links.setdefault(row.key, [])
        if len(others) < MOST_OTHERS:
            others.append(NameLink(row.key, row.name, row.other_key, row.other))
    return [link for others in links.values() for link in others]


def definition_marks(rows: Iterable[Row], pages: Pages | None) -> list[DefinitionMark]:
    """Return the definitions that are on some pages."""
    return [
        DefinitionMark(row.key, passage_id(row.passage_id), row.start, row.end, bool(row.is_stated))
        for row in rows
        if pages is None or _is_on(row.page, *pages)
    ]


def _is_on(page: int | None, low: int | None, high: int | None) -> bool:
    return page is not None and (low is None or page >= low) and (high is None or page <= high)
