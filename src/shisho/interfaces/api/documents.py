"""Verbs over documents and their passages."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from pydantic import Field

from shisho.domain.corpus import DEFAULT_CORPUS
from shisho.domain.task import Bytes, DocumentsQueued
from shisho.errors import InvalidParams
from shisho.interfaces.api.filters import parse_filters, parse_metadata
from shisho.interfaces.api.inputs import InputObject
from shisho.interfaces.api.operations import Effect, ReplyForm, Verb
from shisho.interfaces.api.replies import (
    Corpora,
    Cursor,
    DocumentList,
    Id,
    Key,
    Limit,
    Name,
    RemovedDocument,
    RestoredDocument,
)
from shisho.services import Library


class FileInput(InputObject):
    """A document as bytes."""

    name: Annotated[Name, Field(description="file name; its ending tells its kind")]
    base64: Annotated[str, Field(max_length=100_000_000)]


async def add_documents(
    library: Library,
    paths: Annotated[
        list[Name], Field(max_length=200, description="files and folders below allowed_roots")
    ] = [],  # noqa: B006
    urls: Annotated[list[Name], Field(max_length=200, description="http(s) addresses")] = [],  # noqa: B006
    files: Annotated[list[FileInput], Field(max_length=20, description="documents handed over here")] = [],  # noqa: B006
    corpus: Name = DEFAULT_CORPUS,
    metadata: Annotated[
        dict[Name, Name] | Annotated[list[Name], Field(max_length=20)],
        Field(max_length=20, description="of each document, to filter by: key=value"),
    ] = {},  # noqa: B006
    password: Annotated[str | None, Field(max_length=200, description="opens encrypted files")] = None,
    task_id: Id | None = None,
    idempotency_key: Key = None,
) -> DocumentsQueued:
    """Add documents to the library.

    Give PDF, HTML, DOCX, PPTX, RTF, Markdown or text, as paths, web addresses or bytes. Use it for files
    and pages that the user names. Returns at once with task_id; then call get_status. Known documents are
    listed in already_known and not read again.
    """
    return await library.tasks.queue_documents(
        paths=paths,
        urls=urls,
        files=[Bytes(file.name, _decode_file(file)) for file in files],
        corpus=corpus,
        metadata=metadata if isinstance(metadata, dict) else parse_metadata(metadata),
        password=password,
        task_id=task_id,
        idempotency_key=idempotency_key,
    )


async def list_documents(
    library: Library,
    corpora: Corpora = [],  # noqa: B006
    filters: Annotated[
        list[Name],
        Field(
            max_length=20,
            description="key=value, or key=low..high; repeat a key for any of its values",
        ),
    ] = [],  # noqa: B006
    cursor: Cursor = None,
    limit: Limit = 50,
    removed: Annotated[bool, Field(description="those that were taken out, and not purged")] = False,
) -> DocumentList:
    """List the documents of the library in the order they were added.

    Use it to see what there is, or to find a document's id. Returns the id, title, source and metadata of
    each.
    """
    documents = await library.documents.list(
        corpora=corpora,
        filters=parse_filters(filters),
        after=cursor or "",
        limit=limit + 1,
        removed=removed,
    )
    shown_documents = tuple(documents[:limit])
    more = len(documents) > limit
    return DocumentList(shown_documents, more, shown_documents[-1].id if more else None)


async def remove_document(
    library: Library,
    document_id: Annotated[Name, Field(description="id, its unique beginning, or the file it came from")],
    purge: Annotated[
        bool, Field(description="erase its text and every quotation of it; cannot be undone")
    ] = False,
) -> RemovedDocument:
    """Remove a document from search.

    Use it only if the user asks. Its citations still open, unless it is purged. Returns the document.
    """
    return RemovedDocument(await library.documents.remove(document_id, purge=purge), purge)


async def restore_document(
    library: Library,
    document_id: Annotated[Name, Field(description="id, its unique beginning, or the file it came from")],
) -> RestoredDocument:
    """Undo the removal of a document that was not purged: it is found again."""
    return RestoredDocument(await library.documents.restore(document_id))


def _decode_file(file: FileInput) -> bytes:
    try:
        return base64.b64decode(file.base64, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidParams("api.not_base64", name=file.name) from error


ADD = Verb(
    add_documents,
    DocumentsQueued,
    "Add documents",
    ("POST", "/documents"),
    Effect("add", outside=True),
    form=ReplyForm(link="task://{0.task_id}"),
)
VERBS = (
    ADD,
    Verb(
        list_documents,
        DocumentList,
        "List documents",
        ("GET", "/documents"),
        Effect("read"),
        form=ReplyForm(rows=("documents", "id")),
    ),
    Verb(
        remove_document,
        RemovedDocument,
        "Remove a document",
        ("DELETE", "/documents/{document_id}"),
        Effect("destroy"),
    ),
)

ROUTES = (
    Verb(
        restore_document,
        RestoredDocument,
        "Restore a document",
        ("POST", "/documents/{document_id}/restore"),
        Effect("change"),
    ),
)
"""Verbs without a tool."""
