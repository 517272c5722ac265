"""Errors of stores, in the same words in every one of them: of documents that are not there, and of
vectors."""

from __future__ import annotations

from shisho.errors import Conflict, InvalidParams, NameConflict, NotFound, SourceRemoved, StorageUnusable


def no_document(document_id: str) -> NotFound:
    return NotFound(
        "There is no document {document_id}. `shisho list` shows what there is.", document_id=document_id
    )


def nothing_to_remove(document_id: str) -> NotFound:
    return NotFound(
        "There is no document {document_id} to remove. `shisho list` shows what there is.",
        document_id=document_id,
    )


def text_purged(document_id: str) -> SourceRemoved:
    return SourceRemoved(
        "The text of this document was purged. Add the file again to read it.", document=document_id
    )


def name_taken(source: str, document_id: str) -> NameConflict:
    """Of a document that must not take the place of the one that stands at its source."""
    return NameConflict(
        "There is another {name} already. Give this one another name, or let it take its place (replace=true).",
        name=source,
        document_id=document_id,
    )


def just_taken_in() -> Conflict:
    """Of a document that begins to arrive part by part, and has come meanwhile."""
    return Conflict("Another process has just taken this file in. Add it again.")


def arrival_ended() -> Conflict:
    return Conflict("Another process takes the same file in. Add it again.")


def other_dimensions(name: str, length: int, dimensions: int) -> InvalidParams:
    """Of an embedder whose vectors have another length than those that it gave before."""
    return InvalidParams(
        "{name} gave vectors of {length} numbers, and of {dimensions} before. Give it another name: "
        "embedder_model, or the folder's.",
        name=name,
        length=length,
        dimensions=dimensions,
    )


def library_closed() -> StorageUnusable:
    """Of a database that its user has done with."""
    return StorageUnusable("The library was closed. Open it again: `shisho.open`.")


def no_value_for_storing() -> InvalidParams:
    """Of what no database has a place for: half of a surrogate pair, a whole number beyond 64 bits."""
    return InvalidParams(
        "A text with half a character in it, or a number of more than 64 bits, can be stored and looked for nowhere. "
        "Write it anew."
    )
