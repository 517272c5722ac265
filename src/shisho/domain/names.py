"""The names in documents: how they are made of what was read, and where metadata hold other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shisho.domain.corpus import DefinitionMark, DocumentNames, NameLink

ALIASES = "aliases"
"""The metadata of a document that hold other names of what its title names, with semicolons between them."""
ALIAS_SEPARATOR = "; "


def make_names(links: Iterable[tuple[Any, ...]], marks: Iterable[tuple[Any, ...]]) -> DocumentNames:
    """From the fields of each."""
    return DocumentNames(tuple(map(NameLink._make, links)), tuple(map(DefinitionMark._make, marks)))


def list_aliases(metadata: Mapping[str, str]) -> list[str]:
    """Other names of what a document's title names."""
    return [
        plain
        for alias in metadata.get(ALIASES, "").split(ALIAS_SEPARATOR.strip())
        if (plain := alias.strip())
    ]
