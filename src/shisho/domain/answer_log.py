"""The record of an answer, as it is told beside it: rounds, searches of the web, every page with its fate,
uses of a model, and why it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from shisho.domain.conversation import TurnState
from shisho.domain.corpus import Citation, DocumentId
from shisho.domain.inquiry import (
    AnswerLevel,
    Evidence,
    EvidenceRef,
    Goal,
    GoalState,
    GoalStatus,
    LoopStop,
    UnsearchedQuery,
)
from shisho.domain.model import ModelUse


@dataclass(frozen=True, slots=True)
class GoalProgress:
    """A goal and its progress. `evidence` and `sources` count what answers it, of those it wants; `state` and
    `missing` as in `GoalStatus`."""

    id: str
    question: str
    met: bool
    level: AnswerLevel
    evidence: int
    sources: int
    min_evidence: int
    min_sources: int
    state: GoalState = GoalState.OPEN
    missing: str = ""


def list_goals(goals: Iterable[Goal], status: Iterable[GoalStatus]) -> tuple[GoalProgress, ...]:
    """Goals, each with how far it has come."""
    status_by_goal = {goal_status.goal_id: goal_status for goal_status in status}
    rows = []
    for goal in goals:
        nothing = GoalStatus(goal.id, 0, 0, met=False, level=AnswerLevel.NOTHING)
        goal_status = status_by_goal.get(goal.id, nothing)
        rows.append(
            GoalProgress(
                id=goal.id,
                question=goal.question,
                met=goal_status.met,
                level=goal_status.level,
                evidence=goal_status.evidence,
                sources=goal_status.sources,
                min_evidence=goal.min_evidence,
                min_sources=goal.min_sources,
                state=goal_status.state,
                missing=goal_status.missing,
            )
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class SearchRound:
    """One round over the documents. `ranked`: passages that were ranked, of those `in_scope`; `new`: passages
    read in this round for the first time; `seen`: all that were read until then. Each of them is None before
    the search, and for an answer that no run of ours has searched for. `evidence`: the numbers of what was
    taken as evidence. `decision` is empty until it is made."""

    number: int
    queries: tuple[str, ...]
    reasoning: str
    ranked: int | None = None
    in_scope: int | None = None
    new: int | None = None
    seen: int | None = None
    evidence: tuple[int, ...] = ()
    decision: str = ""
    reason: str = ""
    next_focus: str = ""


@dataclass(frozen=True, slots=True)
class WebRound:
    """One time that the web was asked: the queries, the engines that answered, and what could not be
    searched, and why. `is_done`: False while it is under way."""

    queries: tuple[str, ...]
    engines: tuple[str, ...]
    gaps: tuple[UnsearchedQuery, ...]
    is_done: bool = True


@dataclass(frozen=True, slots=True)
class AcceptedEvidence:
    """The evidence accepted so far for an answer or a session, whether or not an answer was composed. `id` is
    the answer's or the session's; `goals` say how far each has come towards `condition`."""

    id: str
    question: str
    condition: str
    goals: tuple[GoalProgress, ...]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class RunTrace:
    """The part of a log that the steps of a run tell by themselves."""

    goals: tuple[GoalProgress, ...] = ()
    condition: str = ""
    rounds: tuple[SearchRound, ...] = ()
    web: tuple[WebRound, ...] = ()
    model: tuple[ModelUse, ...] = ()
    seconds: float = 0.0
    pages: int = 0
    calls: int = 0
    tokens: int = 0
    document_ids: tuple[DocumentId, ...] = ()
    """Of the documents that its evidence is from."""
    evidence: tuple[tuple[EvidenceRef, Citation], ...] = ()
    """The accepted evidence, by number."""


class PageFate(StrEnum):
    """The fate of a page that a search has found. `used`: the answer quotes it; `read`: it was taken in and
    is not quoted; `refused`: it may not or cannot be read; `waiting`: for a person; `failed`: it could not be
    had; `unvisited`: nobody has asked for it, or not yet."""

    USED = "used"
    READ = "read"
    REFUSED = "refused"
    WAITING = "waiting"
    FAILED = "failed"
    UNVISITED = "unvisited"


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that a search for the answer has found. `reason`: why it was refused or failed, else empty;
    `code`: of the error."""

    url: str
    title: str
    engine: str | None
    query: str | None
    fate: PageFate
    reason: str = ""
    code: str = ""
    document_id: DocumentId | None = None


@dataclass(frozen=True, slots=True)
class NodeModelUse:
    """One node's use of a model. `fallback`: why rules have thought instead, empty where the model did;
    `dropped` counts what was taken out of its reply, as it could not be verified; `rewritten`, `supplied` and
    `repairs` as in `ModelUse`."""

    node: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    fallback: str = ""
    dropped: int = 0
    rewritten: int = 0
    supplied: int = 0
    repairs: int = 0


@dataclass(frozen=True, slots=True)
class EndReason:
    """Why it ended, and what it cost. `loop_stop` is None while it goes on. `seconds` are of work; `pages`
    were asked of the web; `calls` and `tokens` are of models."""

    condition: str
    loop_stop: LoopStop | None
    rounds: int
    seconds: float
    pages: int
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class AnswerLog:
    """All that was done for an answer, in order, as of now. Rounds and searches are gone where a document
    that they read was purged."""

    answer_id: str
    state: TurnState
    goals: tuple[GoalProgress, ...]
    condition: str
    rounds: tuple[SearchRound, ...]
    web: tuple[WebRound, ...]
    visited: tuple[FoundPage, ...]
    model: tuple[NodeModelUse, ...]
    stop: EndReason
