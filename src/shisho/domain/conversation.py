"""Questions that follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from shisho.domain.corpus import Condition
from shisho.domain.inquiry import AnswerLevel, LoopStop
from shisho.domain.job import JobState, TaskId
from shisho.domain.time import Instant


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A question of a conversation. `understood`: how it was read, as a question that stands by itself; the
    question itself until it is answered."""

    number: int
    """From 1."""
    run_id: str
    question: str
    understood: str
    answer_id: str | None = None
    """Of its latest answer; None while there is none."""
    level: AnswerLevel | None = None
    loop_stop: LoopStop | None = None


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A question to add to a conversation of this owner, or with "" to a conversation of its own."""

    run_id: str
    question: str
    owner: str
    conversation_id: str = ""


class TurnState(StrEnum):
    """Where a question of a conversation stands: how much its answer found, or why there is none yet.
    `waiting`: nothing goes on before a person has dealt with a page. `stopped`: it was stopped, or its run
    broke off; what was found is kept."""

    ANSWERED = "answered"
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
    """The state of a question by its answer and by its job, None where it has none. `is_person_needed`: a
    search of its task waits for one."""
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
    """A conversation in a list. `last_answer_id` names the answer of its latest question, also while that is
    being made; None where it has none. `place` orders the list: the later the latest question, the higher."""

    conversation_id: str
    question: str
    """The first one."""
    turns: int
    last_answer_id: str | None
    created_at: Instant
    changed_at: Instant
    """When its latest question was answered or, until then, asked."""
    place: int


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Conversations, the one with the newest question first. `cursor` leads to those after them; None: these
    are the last."""

    conversations: tuple[ConversationSummary, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class QuestionTurn:
    """A question of a conversation as its visitor sees it. `answer_id` opens its answer, also while that is
    being made; None where there is none and nothing makes one. `corpora` and `filters`: to which documents
    its search was limited, also where the question before it said so; empty: to none."""

    number: int
    answer_id: str | None
    question: str
    understood: str
    state: TurnState
    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Questions that follow each other, in their order."""

    conversation_id: str
    turns: tuple[QuestionTurn, ...]


@dataclass(frozen=True, slots=True)
class ConversationContext:
    """The part of a conversation that a question goes on with: the questions before it as they were
    understood, oldest first, and where the last of them was looked for. The id is "" for one that begins."""

    conversation_id: str = ""
    earlier: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A question before this one, as it was understood, and what was answered; "" where nothing is kept."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """A corpus that a question looks in. `languages`: those of its documents' titles, two letters each."""

    name: str
    passages: int
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """A document that may answer a question: its title, its date ("" if none is known) and its headings."""

    title: str
    date: str = ""
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The context of a question: the turns before it, oldest first, and a map of the library. `documents`:
    the likely ones, best first. `titles`: of all documents in scope, if a report is asked for."""

    turns: tuple[EarlierTurn, ...] = ()
    corpora: tuple[CorpusFacts, ...] = ()
    documents: tuple[DocumentFacts, ...] = ()
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationRemoved:
    """The things that went with a conversation. `kept_tasks`: tasks of the caller's own in which some of its
    questions were asked; they hold those questions until they are removed. `erased`: False while somebody
    still reads the database, whose log is emptied once they have done."""

    conversation_id: str
    turns: int
    answers: int
    kept_tasks: tuple[TaskId, ...] = ()
    erased: bool = True
