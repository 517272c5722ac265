"""The log of an answer: its rounds, web searches, pages, model calls and end reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from shisho.domain.codec import dumps, to_plain
from shisho.domain.conversation import TurnState
from shisho.domain.corpus import Citation, DocumentId
from shisho.domain.inquiry import (
    Answer,
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
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class GoalProgress:
    """A goal and its progress.

    `evidence` and `sources` count the accepted evidence and its sources. `state` and `missing` are those of
    `GoalStatus`.
    """

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
    """Return the goals with their progress."""
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
    """One round of searching the documents.

    `ranked`: ranked passages, out of those `in_scope`. `new`: passages first read in this round. `seen`: all
    passages read so far. These are None before the search, and for an answer that no run of the library has
    searched for. `evidence`: numbers of the passages accepted as evidence. `decision` is empty until it is
    made.
    """

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
    """One web search: its queries, the engines that answered, and the gaps.

    `gaps`: queries that could not be searched, and why. `is_done`: False while the search is running.
    """

    queries: tuple[str, ...]
    engines: tuple[str, ...]
    gaps: tuple[UnsearchedQuery, ...]
    is_done: bool = True


@dataclass(frozen=True, slots=True)
class AcceptedEvidence:
    """The evidence accepted so far for an answer or a session, composed or not.

    `id` is the id of the answer or session. `goals` show the progress of each towards `condition`.
    """

    id: str
    question: str
    condition: str
    goals: tuple[GoalProgress, ...]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class RunTrace:
    """The part of a log that is derived from the steps of a run alone."""

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
    """Documents that the evidence is from."""
    evidence: tuple[tuple[EvidenceRef, Citation], ...] = ()
    """The accepted evidence, by number."""


class PageFate(StrEnum):
    """The fate of a page that a search found.

    `used`: the answer quotes it. `read`: stored but not quoted. `refused`: it may not or cannot be read.
    `waiting`: it needs a person. `failed`: the download failed. `unvisited`: not requested, or not yet.
    """

    USED = "used"
    READ = "read"
    REFUSED = "refused"
    WAITING = "waiting"
    FAILED = "failed"
    UNVISITED = "unvisited"


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that a search for the answer found.

    `reason` and `code`: why it was refused or failed, and the error code; empty otherwise.
    """

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
    """One node's use of a model.

    `fallback`: why the rules were used instead; empty if the model was used. `dropped`: unverifiable items
    removed from its reply. `rewritten`, `supplied` and `repairs` are those of `ModelUse`.
    """

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
    """The reason why an answer ended, and its cost.

    `loop_stop` is None while the loop runs. `seconds` are working time, `pages` were requested from the web,
    `calls` and `tokens` belong to models.
    """

    condition: str
    loop_stop: LoopStop | None
    rounds: int
    seconds: float
    pages: int
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class AnswerLog:
    """Everything that was done for an answer so far, in order.

    Rounds and searches are removed if a document that they read was purged.
    """

    answer_id: str
    state: TurnState
    goals: tuple[GoalProgress, ...]
    condition: str
    rounds: tuple[SearchRound, ...]
    web: tuple[WebRound, ...]
    visited: tuple[FoundPage, ...]
    model: tuple[NodeModelUse, ...]
    stop: EndReason


_RUN_FIELDS = ("id", "task_id", "created_at", "conversation_id")
_LIBRARY_FIELDS = ("id", "document", "source_url", "link", "source_state")


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """A field of an answer before and now, as JSON."""

    field: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """An answer, the replayed answer, and the fields that differ."""

    before: Answer
    now: Answer
    differences: tuple[AnswerDifference, ...]

    @property
    def is_same(self) -> bool:
        return not self.differences


def compare_answers(before: Answer, now: Answer) -> ReplayReport:
    """Compare two answers, except ids, clocks, and the current sources of documents."""
    then_fields = _select_lasting(before)
    now_fields = _select_lasting(now)
    differences = tuple(
        AnswerDifference(name, dumps(then_fields[name]), dumps(now_fields[name]))
        for name in then_fields
        if then_fields[name] != now_fields[name]
    )
    return ReplayReport(before, now, differences)


def _select_lasting(answer: Answer) -> Mapping[str, Any]:
    fields: dict[str, Any] = {
        name: part for name, part in to_plain(answer).items() if name not in _RUN_FIELDS
    }
    fields["budget_used"] = {name: n for name, n in fields["budget_used"].items() if name != "seconds"}
    fields["evidence"] = [
        {name: part for name, part in quotation.items() if name not in _LIBRARY_FIELDS}
        for quotation in fields["evidence"]
    ]
    return fields
