"""Export answers as files."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from shisho.interfaces.api.truncate import SHOWS_PATHS
from shisho.interfaces.http.routes import REFUSALS, IdPath
from shisho.services import Library

# The media type and the file extension of each form.
FORMS = {
    "md": ("text/markdown", "md"),
    "html": ("text/html", "html"),
    "jsonl": ("application/jsonl", "jsonl"),
    "bibtex": ("application/x-bibtex", "bib"),
    "ris": ("application/x-research-info-systems", "ris"),
    "csl": ("application/vnd.citationstyles.csl+json", "json"),
    "apa": ("text/plain", "txt"),
    "sist02": ("text/plain", "txt"),
    "pdf": ("application/pdf", "pdf"),
    "proof": ("text/plain", "proof"),
}
BINARY = {"schema": {"type": "string", "format": "binary"}}
CONTENT = {
    media_type: BINARY if form == "pdf" else {"schema": {"type": "string"}}
    for form, (media_type, _) in FORMS.items()
}


class ExportQuery(BaseModel):
    """The format of an exported answer."""

    model_config = ConfigDict(extra="forbid")
    form: Annotated[str, Field(max_length=20, json_schema_extra={"enum": [*FORMS]})] = "md"
    local_paths: Annotated[bool, Field(description="include the folders of files")] = False


def add_exports(router: APIRouter, library: Library) -> None:
    """Add the route that exports an answer as a file."""

    @router.get(
        "/answers/{answer_id}/export",
        operation_id="export_answer",
        summary="An answer as a file",
        response_class=Response,
        responses={200: {"content": CONTENT}, **REFUSALS},
    )
    async def export_answer(answer_id: IdPath, arguments: Annotated[ExportQuery, Query()]) -> Response:
        """Export an answer with its quotations as a file.

        Markdown, a web page, JSON Lines, a PDF, a bibliography of its sources, or a proof (see `shisho
        verify`).
        """
        answer = await library.questions.get(answer_id)
        data = await library.exports.render_file(
            answer.id, arguments.form, local_paths=arguments.local_paths and SHOWS_PATHS.get()
        )
        media_type, ending = FORMS[arguments.form]
        name = f"shisho-{answer.id}.{ending}"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        charset = "" if arguments.form == "pdf" else "; charset=utf-8"
        return Response(data, media_type=f"{media_type}{charset}", headers=headers)
