"""Verbs that programs with a page need beside those that assistants have: routes, and no tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from shisho.desk import Desk
from shisho.domain.answer_log import AnswerLog
from shisho.domain.conversation import Conversation, ConversationSummary
from shisho.domain.task import AnswerHandle
from shisho.interfaces.api.operations import Effect, Verb
from shisho.interfaces.api.replies import Cursor, Id, Limit, Name

ConversationName = Annotated[
    Name, Field(description="id, its unique beginning, the id of one of its answers, or `last`")
]


@dataclass(frozen=True, slots=True)
class ConversationList:
    """Conversations, the one with the newest question first."""

    conversations: tuple[ConversationSummary, ...]
    more: bool
    cursor: str | None


async def list_conversations(desk: Desk, cursor: Cursor = None, limit: Limit = 50) -> ConversationList:
    """Conversations, the one with the newest question first."""
    page = await desk.conversations.list_newest(cursor=cursor, limit=limit)
    return ConversationList(page.conversations, page.cursor is not None, page.cursor)


async def get_conversation(desk: Desk, conversation_id: ConversationName) -> Conversation:
    """The questions of a conversation in their order, how each was understood, and where it stands."""
    return await desk.conversations.view(conversation_id)


async def get_answer_log(desk: Desk, answer_id: Id) -> AnswerLog:
    """What was done for an answer: rounds, searches, each page with its fate, models, why it ended. Also while
    it is being made."""
    return await desk.answers.log(answer_id)


async def stop_answer(desk: Desk, answer_id: Id) -> AnswerHandle:
    """Stop the work on a question, with all else of its task. The answer is what was found until then, and its
    `loop_stop` is STOPPED; it is null where nothing had begun."""
    return await desk.answers.stop(answer_id)


async def resume_answer(desk: Desk, answer_id: Id) -> AnswerHandle:
    """Go on with a question that was stopped or has failed; what was done is not done again."""
    return await desk.answers.resume(answer_id)


ANSWER = "answer://{0.answer_id}"
VERBS = (
    Verb(
        list_conversations,
        ConversationList,
        "List conversations",
        ("GET", "/conversations"),
        Effect.READ,
        rows=("conversations", "place"),
    ),
    Verb(
        get_conversation,
        Conversation,
        "Get a conversation",
        ("GET", "/conversations/{conversation_id}"),
        Effect.READ,
    ),
    Verb(get_answer_log, AnswerLog, "Log of an answer", ("GET", "/answers/{answer_id}/log"), Effect.READ),
    Verb(
        stop_answer,
        AnswerHandle,
        "Stop a question",
        ("POST", "/answers/{answer_id}/stop"),
        Effect.CHANGE,
        link=ANSWER,
    ),
    Verb(
        resume_answer,
        AnswerHandle,
        "Go on with a question",
        ("POST", "/answers/{answer_id}/resume"),
        Effect.CHANGE,
        outside=True,
        link=ANSWER,
    ),
)
