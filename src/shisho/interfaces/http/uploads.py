"""Upload documents: the body is the file."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from shisho.domain.corpus import DEFAULT_CORPUS
from shisho.domain.task import Bytes
from shisho.interfaces.api.documents import ADD
from shisho.interfaces.api.replies import Id, Name
from shisho.interfaces.api.truncate import dump_compact
from shisho.interfaces.http.guard import decode_header
from shisho.interfaces.http.routes import REFUSALS
from shisho.services import Library

BODY = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}


class UploadQuery(BaseModel):
    """Facts about an uploaded file."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[Name, Field(description="file name; its extension gives the format")]
    corpus: Name = DEFAULT_CORPUS
    task_id: Annotated[Id | None, Field(description="none: create a task")] = None
    replace: Annotated[
        bool, Field(description="false: fail if a document of this name has different contents")
    ] = True


def add_uploads(router: APIRouter, library: Library) -> None:
    """Add the route that uploads a file."""

    @router.post(
        "/documents/upload",
        operation_id="upload_document",
        summary="Upload a document",
        response_model=ADD.reply,
        responses=REFUSALS,
        openapi_extra={"requestBody": BODY},
    )
    async def upload_document(
        request: Request,
        arguments: Annotated[UploadQuery, Query()],
        x_document_password: Annotated[str | None, Header(max_length=200)] = None,
    ) -> Response:
        """Add a document to a corpus.

        The body is the file's bytes; the reply is that of add_documents.

        The header `X-Document-Password`, in UTF-8, opens an encrypted file.
        """
        queued = await library.tasks.queue_documents(
            files=[Bytes(arguments.name, await request.body())],
            corpus=arguments.corpus,
            task_id=arguments.task_id,
            replace_files=arguments.replace,
            password=decode_header(x_document_password) if x_document_password else None,
        )
        return Response(dump_compact(ADD.form.fill(queued)), media_type="application/json")
