"""Progress of an answer as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Header
from fastapi.responses import Response
from sse_starlette import EventSourceResponse, ServerSentEvent

from shisho.domain.answer_news import AnswerStep
from shisho.errors import ShishoError
from shisho.interfaces.api.failures import describe_error
from shisho.interfaces.api.truncate import dump_compact, to_plain_data
from shisho.interfaces.http.routes import EVENT_STREAM, REFUSALS, IdPath
from shisho.services import Library

LAST = "end"  # the id of the final event: a client that sends it has everything


def add_answer_news(router: APIRouter, library: Library) -> None:
    """Add the route of an answer's server-sent events."""

    @router.get(
        "/answers/{answer_id}/events",
        operation_id="answer_events",
        summary="Progress of an answer",
        response_class=Response,
        responses={
            **EVENT_STREAM,
            204: {"description": "The stream has ended: do not reconnect"},
            **REFUSALS,
        },
    )
    async def stream_events(
        answer_id: IdPath,
        last_event_id: Annotated[str, Header(max_length=200)] = "",
    ) -> Response:
        """Stream the progress of a question as server-sent events.

        `step` for each action of its job or its searches; `sentence` for each checked line of the answer that
        a model wrote, or without a model for each selected quotation; then `answer` with the answer, or
        `error`. With `Last-Event-ID` the stream continues after that event, whichever process works on the
        question.
        """
        if last_event_id == LAST:
            return Response(status_code=204)
        await library.questions.check(answer_id)
        return EventSourceResponse(_stream_news(library, answer_id, _parse_revision(last_event_id)))


def build_step_event(revision: int, data: Mapping[str, Any]) -> ServerSentEvent:
    """Convert a step to an event.

    A line of the answer has its own event name and is the event's `text`.
    """
    sentence = data.get("sentence")
    if sentence:
        return ServerSentEvent(
            data=dump_compact({**data, "text": sentence}), event="sentence", id=str(revision)
        )
    return ServerSentEvent(data=dump_compact(data), event="step", id=str(revision))


def _parse_revision(event_id: str) -> int:
    """Return the revision of an event id; 0 if the id is not valid."""
    return int(event_id) if event_id.isascii() and event_id.isdecimal() and len(event_id) < 19 else 0


async def _stream_news(library: Library, answer_id: str, after: int) -> AsyncIterator[ServerSentEvent]:
    try:
        async for news in library.questions.follow(answer_id, after):
            if isinstance(news, AnswerStep):
                yield build_step_event(news.revision, to_plain_data(news))
            else:
                yield ServerSentEvent(data=dump_compact(to_plain_data(news)), event="answer", id=LAST)
    except ShishoError as error:
        yield ServerSentEvent(data=dump_compact(describe_error(error)), event="error", id=LAST)
