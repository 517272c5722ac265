"""Rules for undoing a removal, with the same messages in every store."""

from __future__ import annotations

from dataclasses import replace

from shisho.domain.corpus import Document, DocumentId, DocumentState
from shisho.errors import Conflict
from shisho.stores.refusals import no_document, text_purged


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
