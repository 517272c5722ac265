"""Metadata of documents, counted: what there is to filter by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MetadataValue:
    """A value, and how many documents have it."""

    value: str
    documents: int


@dataclass(frozen=True, slots=True)
class MetadataField:
    """A name under which something is said of documents. `values`: the most frequent first, of `distinct`
    ones."""

    name: str
    documents: int
    distinct: int
    values: tuple[MetadataValue, ...]
