"""Counts of documents' metadata, which show the available filters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MetadataValue:
    """A value, and the number of documents that have it."""

    value: str
    documents: int


@dataclass(frozen=True, slots=True)
class MetadataField:
    """A name in documents' metadata. `values`: the most frequent ones first, of `distinct`."""

    name: str
    documents: int
    distinct: int
    values: tuple[MetadataValue, ...]
