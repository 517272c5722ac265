"""Errors of stores, in the same words in every one of them: of documents that are not there, and of
vectors."""

from __future__ import annotations

from shisho.errors import Conflict, InvalidParams, NameConflict, NotFound, SourceRemoved, StorageUnusable


def no_document(document_id: str) -> NotFound:
    return NotFound("document.id_not_found", document_id=document_id)


def nothing_to_remove(document_id: str) -> NotFound:
    return NotFound(
        "document.id_not_removed",
        document_id=document_id,
    )


def text_purged(document_id: str) -> SourceRemoved:
    return SourceRemoved("proof.text_purged", document=document_id)


def name_taken(source: str, document_id: str) -> NameConflict:
    """Of a document that must not take the place of the one that stands at its source."""
    return NameConflict(
        "document.name_taken",
        name=source,
        document_id=document_id,
    )


def just_taken_in() -> Conflict:
    """Of a document that begins to arrive part by part, and has come meanwhile."""
    return Conflict("adding.taken_in_by_other")


def arrival_ended() -> Conflict:
    return Conflict("adding.being_taken_in")


def other_dimensions(name: str, length: int, dimensions: int) -> InvalidParams:
    """Of an embedder whose vectors have another length than those that it gave before."""
    return InvalidParams(
        "embedder.dimensions_changed",
        name=name,
        length=length,
        dimensions=dimensions,
    )


def library_closed() -> StorageUnusable:
    """Of a database that its user has done with."""
    return StorageUnusable("store.closed")


def no_value_for_storing() -> InvalidParams:
    """Of what no database has a place for: half of a surrogate pair, a whole number beyond 64 bits."""
    return InvalidParams("store.bad_text")
