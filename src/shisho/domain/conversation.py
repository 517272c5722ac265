"""Conversations: questions that follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from shisho.domain.corpus import Condition
from shisho.domain.inquiry import AnswerLevel, LoopStop
from shisho.domain.job import JobState, TaskId
from shisho.domain.time import Instant
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A question of a conversation.

    `understood`: the question rewritten to be complete without the turns before it; the question as asked
    until it is answered.
    """

    number: int
    """From 1."""
    run_id: str
    question: str
    understood: str
    answer_id: str | None = None
    """The id of its latest answer; None if there is none."""
    level: AnswerLevel | None = None
    loop_stop: LoopStop | None = None


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A question to add to a conversation of this owner.

    An empty `conversation_id` starts a new conversation.
    """

    run_id: str
    question: str
    owner: str
    conversation_id: str = ""


class TurnState(StrEnum):
    """The state of a question: how much its answer found, or why there is none yet.

    `waiting`: a person must deal with a page first. `stopped`: it was stopped, or its run was interrupted;
    its results are kept.
    """

    ANSWERED = "answered"
    PARTIAL = "partial"
    RELATED = "related"
    NOTHING = "nothing"
    RUNNING = "running"
    WAITING = "waiting"
    FAILED = "failed"
    STOPPED = "stopped"


def derive_turn_state(
    level: AnswerLevel | None,
    loop_stop: LoopStop | None,
    job_state: JobState | None,
    *,
    is_person_needed: bool = False,
) -> TurnState:
    """Return the state of a question from its answer and its job; None if it has no job.

    `is_person_needed`: a search of its task waits for a person.
    """
    if job_state is JobState.PARKED and is_person_needed:
        return TurnState.WAITING
    by_job = {
        JobState.QUEUED: TurnState.RUNNING,
        JobState.RUNNING: TurnState.RUNNING,
        JobState.PARKED: TurnState.RUNNING,
        JobState.AWAITING_AUTH: TurnState.WAITING,
        JobState.FAILED: TurnState.FAILED,
        JobState.CANCELLED: TurnState.STOPPED,
    }
    if job_state in by_job:
        return by_job[job_state]
    if level is None or loop_stop is LoopStop.STOPPED:
        return TurnState.STOPPED
    return TurnState(level)


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A conversation in a list.

    `last_answer_id`: the answer of its latest question, even while it is being made; None if there is none.
    `place` orders the list: newer latest questions have higher places.
    """

    conversation_id: str
    question: str
    """The first question."""
    turns: int
    last_answer_id: str | None
    created_at: Instant
    changed_at: Instant
    """When its latest question was answered or, until then, asked."""
    place: int


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Conversations, the one with the newest question first.

    `cursor` leads to the next page; None on the last one.
    """

    conversations: tuple[ConversationSummary, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class QuestionTurn:
    """A question of a conversation as its visitor sees it.

    `answer_id` opens its answer, even while it is being made; None if there is none and none is being made.
    `corpora` and `filters`: the limits of its search, including limits taken over from the question before
    it; empty if unlimited.
    """

    number: int
    answer_id: str | None
    question: str
    understood: str
    state: TurnState
    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The questions of a conversation, in order."""

    conversation_id: str
    turns: tuple[QuestionTurn, ...]


@dataclass(frozen=True, slots=True)
class ConversationContext:
    """The part of a conversation that a follow-up question needs.

    The earlier questions as they were understood, oldest first, and the scope of the last one. The id is
    empty for a new conversation.
    """

    conversation_id: str = ""
    earlier: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """An earlier question as it was understood, and its answer ("" if not stored)."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """A corpus in the scope of a question.

    `languages`: two-letter codes, from the titles of its documents.
    """

    name: str
    passages: int
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """A document that may answer a question.

    Its title, its date ("" if unknown) and its headings.
    """

    title: str
    date: str = ""
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The context of a question: the turns before it, oldest first, and a map of the library.

    `documents`: the likely ones, best first. `titles`: of at most 500 documents in scope, if a report is
    requested.
    """

    turns: tuple[EarlierTurn, ...] = ()
    corpora: tuple[CorpusFacts, ...] = ()
    documents: tuple[DocumentFacts, ...] = ()
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationRemoved:
    """The result of removing a conversation.

    `kept_tasks`: tasks of the caller in which some of its questions were asked; they keep those questions
    until they are removed. `erased`: False while another process reads the database, whose log is emptied
    afterwards.
    """

    conversation_id: str
    turns: int
    answers: int
    kept_tasks: tuple[TaskId, ...] = ()
    erased: bool = True
