"""News of an answer while it is made, as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Header
from fastapi.responses import Response
from sse_starlette import EventSourceResponse, ServerSentEvent

from shisho.desk import Desk
from shisho.domain.answer_news import AnswerStep
from shisho.errors import ShishoError
from shisho.interfaces.api.failures import describe_error
from shisho.interfaces.api.truncate import dump_compact, to_plain_data
from shisho.interfaces.http.routes import EVENT_STREAM, REFUSALS, IdPath

LAST = "end"  # the id of the answer's own event: who comes back with it has all


def add_answer_news(router: APIRouter, desk: Desk) -> None:
    """The server-sent events of an answer."""

    @router.get(
        "/answers/{answer_id}/events",
        operation_id="answer_events",
        summary="News of an answer",
        response_class=Response,
        responses={
            **EVENT_STREAM,
            204: {"description": "All was told: do not come back"},
            **REFUSALS,
        },
    )
    async def events(
        answer_id: IdPath,
        last_event_id: Annotated[str, Header(max_length=200)] = "",
    ) -> Response:
        """What happens to a question, as server-sent events: `step` for each thing that its job or one of its
        searches does, `sentence` for each line of the answer that a model has written and that has passed its
        check, or without a model for each quotation that is taken, then `answer` with the answer, or `error`.
        `Last-Event-ID` goes on after that event, whichever process works on the question."""
        if last_event_id == LAST:
            return Response(status_code=204)
        await desk.answers.check(answer_id)
        return EventSourceResponse(_news(desk, answer_id, _revision(last_event_id)))


def build_step_event(revision: int, data: Mapping[str, Any]) -> ServerSentEvent:
    """A step as an event: one that tells a line of the answer is named for it, and has the line as its
    `text`."""
    sentence = data.get("sentence")
    if sentence:
        return ServerSentEvent(
            data=dump_compact({**data, "text": sentence}), event="sentence", id=str(revision)
        )
    return ServerSentEvent(data=dump_compact(data), event="step", id=str(revision))


def _revision(event_id: str) -> int:
    """The place of an event by its id; the beginning where it is none of ours."""
    return int(event_id) if event_id.isascii() and event_id.isdecimal() and len(event_id) < 19 else 0


async def _news(desk: Desk, answer_id: str, after: int) -> AsyncIterator[ServerSentEvent]:
    try:
        async for news in desk.answers.news(answer_id, after):
            if isinstance(news, AnswerStep):
                yield build_step_event(news.revision, to_plain_data(news))
            else:
                yield ServerSentEvent(data=dump_compact(to_plain_data(news)), event="answer", id=LAST)
    except ShishoError as error:
        yield ServerSentEvent(data=dump_compact(describe_error(error)), event="error", id=LAST)
