"""Verbs as REST routes, and the progress of a task as server-sent events."""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel
from sse_starlette import EventSourceResponse, ServerSentEvent

from shisho.domain.inquiry import Evidence
from shisho.domain.job import ENDED_TASK
from shisho.domain.task import StatusDetail, TaskSnapshot
from shisho.errors import NotFound, ShishoError, TimedOut
from shisho.interfaces.api import documents, folders, models, reading_room, team
from shisho.interfaces.api.failures import describe_error, to_shisho_error
from shisho.interfaces.api.operations import Verb
from shisho.interfaces.api.schemas import VERBS
from shisho.interfaces.api.tasks import GET_STATUS
from shisho.interfaces.api.truncate import RecentReplies, dump_compact, to_plain_data
from shisho.interfaces.http.lasting import end_with_caller
from shisho.interfaces.http.statuses import GUARD_STATUSES, STATUSES, build_headers, status_of
from shisho.services import Library

ROUTES = (
    *VERBS,
    *documents.ROUTES,
    *reading_room.VERBS,
    *folders.VERBS,
    *models.VERBS,
    *team.VERBS,
)
"""Verbs over HTTP, those of assistants first. The others have no tool: it takes up an assistant's context."""
WAIT = 20.0
RECENT = RecentReplies[bytes]()
KEYWORD = inspect.Parameter.KEYWORD_ONLY
IdPath = Annotated[str, Path(min_length=1, max_length=500)]


class ErrorBody(BaseModel):
    """An error: what happened and what to do."""

    ok: bool
    code: str
    message: str
    message_id: str
    details: dict[str, Any]
    error_id: str


# FastAPI builds a validator for each status of each route, 700 identical ones. Only one route has the model;
# the others refer to it in the description.
DESCRIBED_REFUSAL: dict[int | str, dict[str, Any]] = {STATUSES[NotFound]: {"model": ErrorBody}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}}
    for status in sorted({*STATUSES.values(), *GUARD_STATUSES})
}
EVENT_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}


def add(router: APIRouter, verb: Verb, library: Library) -> None:
    """Add a route for the verb; arguments are in its path, else in the query or the body."""
    method, path = verb.route
    path_names = set(re.findall(r"{(\w+)}", path))
    rest = {parameter.name: parameter for parameter in verb.parameters if parameter.name not in path_names}
    fields: dict[str, Any] = {
        name: (
            parameter.annotation,
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for name, parameter in rest.items()
    }
    body_model = verb.make_model("Request", fields)

    async def call(request: Request, arguments: BaseModel | None = None, **names: str) -> Response:
        asking = verb.ask(library, **names, **{name: getattr(arguments, name) for name in rest})
        reply = await (end_with_caller(request.receive, asking) if verb.ends_with_caller else asking)
        if reply is None:
            return Response()  # nobody reads it: the client disconnected
        return Response(
            RECENT.get_or_make(reply, lambda: dump_compact(verb.form.fill(reply)).encode()),
            media_type="application/json",
        )

    parameters = [inspect.Parameter("request", KEYWORD, annotation=Request)]
    parameters += [
        inspect.Parameter(parameter.name, KEYWORD, annotation=parameter.annotation)
        for parameter in verb.parameters
        if parameter.name in path_names
    ]
    if rest:
        place = Query() if method in ("GET", "DELETE") else Body()
        parameters.append(inspect.Parameter("arguments", KEYWORD, annotation=Annotated[body_model, place]))
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    router.add_api_route(
        path,
        call,
        methods=[method],
        response_model=verb.reply,
        summary=verb.title,
        description=verb.says,
        operation_id=verb.name,
        responses=REFUSALS,
    )


def build_lateness() -> TimedOut:
    """Return the error for a request that waited too long for the database."""
    return TimedOut("http.database_timeout")


def build_refusal(error: Exception) -> JSONResponse:
    """Convert an error to a response."""
    refusal = to_shisho_error(error)
    return JSONResponse(describe_error(refusal), status_of(refusal), build_headers(refusal))


def add_reading(router: APIRouter, library: Library) -> None:
    """Add the routes that links in replies point to."""

    @router.get(
        "/evidence/{evidence_id}",
        operation_id="get_quotation",
        summary="A quotation",
        response_model=Evidence,
        responses={**REFUSALS, **DESCRIBED_REFUSAL},
    )
    async def get_quotation(evidence_id: IdPath) -> Response:
        """Return a quotation with its document, page, offsets and hash."""
        evidence = to_plain_data(await library.questions.find_evidence(evidence_id))
        return Response(dump_compact(evidence), media_type="application/json")

    @router.get(
        "/documents/{document_id}/pages/{page}",
        operation_id="get_page",
        summary="A page",
        response_class=Response,  # so that errors are documented as JSON
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **REFUSALS},
    )
    async def get_page(document_id: IdPath, page: int) -> Response:
        """Return the text of one page; page 1 is all of a document without pages."""
        return PlainTextResponse(await library.documents.read_page(document_id, page))


def add_news(router: APIRouter, library: Library) -> None:
    """Add the server-sent events of a task."""

    @router.get(
        "/tasks/{task_id}/events",
        operation_id="task_events",
        summary="Progress of a task",
        response_class=Response,
        responses={**EVENT_STREAM, **REFUSALS},
    )
    async def stream_events(
        task_id: IdPath,
        cursor: Annotated[str | None, Query(max_length=200)] = None,
        detail: StatusDetail = StatusDetail.SUMMARY,
    ) -> EventSourceResponse:
        """Stream the status of a task at each change, as server-sent events named `status`.

        Each has the findings since the previous one. The stream ends when the task does.
        """
        first = await library.tasks.get_status(task_id, wait=0, cursor=cursor, detail=detail)
        return EventSourceResponse(_stream_news(library, first))


async def _stream_news(library: Library, status: TaskSnapshot) -> AsyncIterator[ServerSentEvent]:
    try:
        while True:
            yield ServerSentEvent(
                data=dump_compact(GET_STATUS.form.fill(status)), event="status", id=str(status.revision)
            )
            if status.status in ENDED_TASK and not status.more:
                return
            status = await _await_next(library, status)
    except ShishoError as error:
        yield ServerSentEvent(data=dump_compact(describe_error(error)), event="error")


async def _await_next(library: Library, status: TaskSnapshot) -> TaskSnapshot:
    """Return the next status that differs, or that has further rows."""
    since = None if status.more else status.revision
    while True:
        snapshot = await library.tasks.get_status(
            status.task_id, wait=WAIT, since_revision=since, cursor=status.cursor, detail=status.detail
        )
        if snapshot.revision != since:
            return snapshot
