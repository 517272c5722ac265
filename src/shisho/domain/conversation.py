"""Questions that follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shisho.domain.corpus import Condition
from shisho.domain.job import TaskId


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A question of a conversation. `understood`: how it was read, as a question that stands by itself; the
    question itself until it is answered."""

    number: int
    """From 1."""
    run_id: str
    question: str
    understood: str


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
class ConversationRemoved:
    """The things that went with a conversation. `kept_tasks`: tasks of the caller's own in which some of its questions
    were asked; they hold those questions until they are removed. `erased`: False while somebody still reads
    the database, whose log is emptied once they have done."""

    conversation_id: str
    turns: int
    answers: int
    kept_tasks: tuple[TaskId, ...] = ()
    erased: bool = True
