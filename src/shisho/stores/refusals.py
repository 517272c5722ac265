"""Errors about documents, vectors and values, with the same messages in every store."""

from __future__ import annotations

from dataclasses import replace

from shisho.domain.corpus import Document, DocumentId, DocumentState
from shisho.errors import Conflict, InvalidParams, NameConflict, NotFound, SourceRemoved, StorageUnusable
from shisho.messages import Message


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
    """Return the error for a document that must not replace the one at its source."""
    return NameConflict(
        "document.name_taken",
        name=source,
        document_id=document_id,
    )


def build_added_concurrently() -> Conflict:
    """Return the error for a document that was added concurrently."""
    return Conflict("adding.taken_in_by_other")


def arrival_ended() -> Conflict:
    return Conflict("adding.being_taken_in")


def other_dimensions(name: str, length: int, dimensions: int) -> InvalidParams:
    """Return the error for an embedder whose vectors changed their dimensions."""
    return InvalidParams(
        "embedder.dimensions_changed",
        name=name,
        length=length,
        dimensions=dimensions,
    )


def library_closed() -> StorageUnusable:
    """Return the error for using a closed library."""
    return StorageUnusable("store.closed")


def no_value_for_storing() -> InvalidParams:
    """Return the error for unpaired surrogates, and for integers beyond 64 bits."""
    return InvalidParams("store.bad_text")


def check_restorable(document: Document | None, document_id: str, successor: DocumentId | None) -> Document:
    """Return the document as it is after its restoration.

    `successor` is the current document of its source. Raises as `ports.Shelf.restore`.
    """
    if document is None:
        raise no_document(document_id)
    if document.state is DocumentState.PURGED:
        raise text_purged(document_id)
    is_replaced = successor not in (None, document.id) or document.state is DocumentState.SUPERSEDED
    if is_replaced and document.state is not DocumentState.LIVE:
        raise Conflict(
            "document.newer_version",
            source=document.source,
            document_id=document_id,
        )
    return replace(document, state=DocumentState.LIVE)


TOP = "\U0010ffff"


def check_beginning(prefix: str, noun: str) -> None:
    """Raise InvalidParams for a blank prefix, which would match every ID."""
    if not prefix.strip():
        raise InvalidParams("common.blank_id", noun=Message(f"noun.{noun}"))


def bound_ids(prefix: str, noun: str) -> tuple[str, str]:
    """Return the range of IDs with a prefix: inclusive start, exclusive end.

    Raises: InvalidParams for a blank prefix.
    """
    check_beginning(prefix, noun)
    return prefix, prefix + TOP
