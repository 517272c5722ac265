"""The names in documents, and the metadata field of other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shisho.domain.corpus import DefinitionMark, DocumentNames, NameLink

ALIASES = "aliases"
"""The metadata field for other names of the thing in a document's title, separated by semicolons."""
ALIAS_SEPARATOR = "; "


def make_names(links: Iterable[tuple[Any, ...]], marks: Iterable[tuple[Any, ...]]) -> DocumentNames:
    """Return the names built from the fields of each."""
    return DocumentNames(tuple(map(NameLink._make, links)), tuple(map(DefinitionMark._make, marks)))


def list_aliases(metadata: Mapping[str, str]) -> list[str]:
    """Return the other names of the thing in a document's title."""
    return [
        plain
        for alias in metadata.get(ALIASES, "").split(ALIAS_SEPARATOR.strip())
        if (plain := alias.strip())
    ]
