"""Routes of the document viewer.

Pages as images and lines, positions of quotations, search in a document.
"""

from __future__ import annotations

from typing import Annotated, Any, get_type_hints

from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import Response
from pydantic import create_model

from shisho.domain.corpus import Document
from shisho.domain.viewing import EvidenceBoxes, PageLayout, SpanBoxes, TextMatches, Viewable
from shisho.interfaces.api.truncate import dump_compact, to_plain_data
from shisho.interfaces.http.routes import REFUSALS, IdPath
from shisho.services import Library

MOST = 2**31
PagePath = Annotated[int, Path(ge=1, le=1_000_000)]
Offset = Annotated[int, Query(ge=0, le=MOST)]
PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/webp": {"schema": {"type": "string", "format": "binary"}}}},
    304: {"description": "The image is unchanged"},
}


FIELDS = {**get_type_hints(Document), "viewable": Viewable, "why": str}
REQUIRED: dict[str, Any] = {name: (type_, ...) for name, type_ in FIELDS.items()}
DOCUMENT_BODY = create_model("DocumentBody", **REQUIRED)


def add_viewing(router: APIRouter, library: Library) -> None:
    """Add the routes of the viewer."""
    _add_documents(router, library)
    _add_boxes(router, library)
    _add_images(router, library)


def _add_documents(router: APIRouter, library: Library) -> None:
    @router.get(
        "/documents/{document_id}",
        operation_id="get_document",
        summary="A document",
        response_model=DOCUMENT_BODY,
        responses=REFUSALS,
    )
    async def get_document(document_id: IdPath) -> Response:
        """Return a document as list_documents does, and how it can be viewed.

        `viewable` is `pages`, `text` or `gone`; `why` explains why its pages cannot be shown.
        """
        view = await library.viewer.view(document_id)
        data = {**to_plain_data(view.document), "viewable": view.viewable, "why": to_plain_data(view.why)}
        return Response(dump_compact(data), media_type="application/json")

    @router.get(
        "/documents/{document_id}/pages/{page}/layout",
        operation_id="get_page_layout",
        summary="The lines of a page",
        response_model=PageLayout,
        responses=REFUSALS,
    )
    async def get_page_layout(document_id: IdPath, page: PagePath, at: Offset = 0) -> Response:
        """Return the text and line positions of a page, in points from the page's top left.

        Offsets count in the document's text. Of a very long page, only the part around the offset `at`.
        """
        return _reply(await library.viewer.get_layout(document_id, page, at))

    @router.get(
        "/documents/{document_id}/find",
        operation_id="find_in_document",
        summary="Find words in a document",
        response_model=TextMatches,
        responses=REFUSALS,
    )
    async def find_in_document(
        document_id: IdPath,
        q: Annotated[str, Query(max_length=1_000)],
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Response:
        """Find words in one document, in order. Width, case and line breaks are ignored."""
        return _reply(await library.viewer.find(document_id, q, limit))


def _add_boxes(router: APIRouter, library: Library) -> None:
    @router.get(
        "/evidence/{evidence_id}/boxes",
        operation_id="get_evidence_boxes",
        summary="Position of a quotation",
        response_model=EvidenceBoxes,
        responses=REFUSALS,
    )
    async def get_evidence_boxes(evidence_id: IdPath) -> Response:
        """Return the boxes of a quotation on its page, in points from the page's top left.

        If the boxes are uncertain, `exact` is false, `why` gives the reason, and boxes are at most whole
        lines.
        """
        return _reply(await library.viewer.get_evidence_boxes(evidence_id))

    @router.get(
        "/documents/{document_id}/boxes",
        operation_id="get_span_boxes",
        summary="Position of a range of text",
        response_model=SpanBoxes,
        responses=REFUSALS,
    )
    async def get_span_boxes(document_id: IdPath, start: Offset, end: Offset) -> Response:
        """Return the boxes of `start:end` of a document's text, such as a search result."""
        return _reply(await library.viewer.get_span_boxes(document_id, start, end))


def _add_images(router: APIRouter, library: Library) -> None:
    @router.get(
        "/documents/{document_id}/pages/{page}/image",
        operation_id="get_page_image",
        summary="A page as an image",
        response_class=Response,  # so that errors are documented as JSON
        responses={**PICTURE, **REFUSALS},
    )
    async def get_page_image(
        document_id: IdPath,
        page: PagePath,
        width: Annotated[int, Query(ge=1, le=10_000)] = 1_200,
        if_none_match: Annotated[str | None, Header(max_length=1_000)] = None,
    ) -> Response:
        """Return the page as an image at least `width` pixels wide: 320, 800, 1200, 1600 or 2400."""
        image = await library.viewer.get_image(document_id, page, width)
        tag = f'"{image.etag}"'
        # A purge must take effect at once: the browser asks each time, and gets 304 if nothing changed.
        headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
        if if_none_match is not None and tag in if_none_match:
            return Response(status_code=304, headers=headers)
        return Response(image.data, media_type="image/webp", headers=headers)


def _reply(value: Any) -> Response:
    return Response(dump_compact(to_plain_data(value)), media_type="application/json")
