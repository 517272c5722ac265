"""The log of an answer, from its trace, its jobs and the pages they found. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from shisho.domain.answer_log import (
    AcceptedEvidence,
    AnswerLog,
    EndReason,
    FoundPage,
    NodeModelUse,
    PageFate,
    RunTrace,
    WebRound,
    list_goals,
)
from shisho.domain.conversation import TurnState
from shisho.domain.corpus import DocumentId
from shisho.domain.discovered_url import StoredUrl, UrlState
from shisho.domain.evidence import build_evidence, group_by_number
from shisho.domain.inquiry import Answer, LoopStop
from shisho.domain.job import Job, JobState, Task
from shisho.domain.model import FAULT_REASONS, ModelUse
from shisho.domain.payloads import describe_subject
from shisho.errors import AllFetchesFailed, InternalError, ParserFailed, StorageUnusable, TimedOut
from shisho.messages import Message
from shisho.services.conversations import find_question_state

# These errors may disappear on a retry; other codes are refusals by us or by the site.
FAILURES = {
    error.code for error in (AllFetchesFailed, InternalError, ParserFailed, StorageUnusable, TimedOut)
}
BLOCKED = Message("page.domain_blocked")


def list_pages(
    searches: Iterable[tuple[JobState, Sequence[StoredUrl]]], document_ids: Set[DocumentId]
) -> tuple[FoundPage, ...]:
    """Return the pages of searches, each once in order of discovery, with its best outcome.

    `document_ids`: the documents that the answer quotes.
    """
    pages: dict[str, FoundPage] = {}
    for state, urls in searches:
        for stored in urls:
            page = _build_page(stored, state, document_ids)
            earlier_page = pages.setdefault(stored.find.canonical_url, page)
            if _RANK[page.fate] < _RANK[earlier_page.fate]:
                pages[stored.find.canonical_url] = page
    return tuple(pages.values())


_RANK = {fate: rank for rank, fate in enumerate(PageFate)}


def _build_page(stored: StoredUrl, state: JobState, document_ids: Set[DocumentId]) -> FoundPage:
    fate = _classify_page(stored, state, document_ids)
    is_left_out = stored.status is UrlState.LEFT_OUT
    return FoundPage(
        url=stored.find.url,
        title=stored.find.title,
        engine=stored.find.engine,
        query=stored.find.query,
        fate=fate,
        reason=BLOCKED if is_left_out else stored.reason,
        code=stored.code,
        # a discovered URL has the id of its future document before that exists
        document_id=stored.document_id if fate in (PageFate.USED, PageFate.READ) else None,
    )


def _classify_page(stored: StoredUrl, state: JobState, document_ids: Set[DocumentId]) -> PageFate:
    match stored.status:
        case UrlState.VISITED:
            return PageFate.USED if stored.document_id in document_ids else PageFate.READ
        case UrlState.FAILED:
            return PageFate.FAILED if stored.code in FAILURES else PageFate.REFUSED
        case UrlState.LEFT_OUT:
            return PageFate.REFUSED
        case UrlState.FOUND:
            return PageFate.WAITING if state is JobState.AWAITING_AUTH else PageFate.UNVISITED


def build_log(
    run_id: str,
    trace: RunTrace,
    answer: Answer | None,
    question: tuple[Job, Task] | None,
    searches: Sequence[Job],
    urls: Sequence[tuple[JobState, Sequence[StoredUrl]]],
) -> AnswerLog:
    """Build the log of an answer, finished or not. `urls`: those of each search, with its state."""
    document_ids = {evidence.document_id for evidence in answer.evidence} if answer else {*trace.document_ids}
    return AnswerLog(
        answer_id=answer.id if answer else run_id,
        state=find_state(answer, question),
        goals=trace.goals or list_goals(answer.goals if answer else (), answer.goal_status if answer else ()),
        condition=answer.condition if answer else trace.condition,
        rounds=trace.rounds,
        web=(*trace.web, *list_searches_under_way(trace, searches)),
        visited=list_pages(urls, document_ids),
        model=tuple(map(to_model_use, answer.model_uses if answer and not trace.model else trace.model)),
        stop=find_end_reason(answer, trace),
    )


def build_accepted_evidence(
    run_id: str, trace: RunTrace, answer: Answer | None, question: tuple[Job, Task] | None
) -> AcceptedEvidence:
    """Build the evidence accepted for an answer so far, finished or not."""
    name = answer.id if answer else run_id
    rows = {row.number: row for row in answer.evidence} if answer else {}
    citations = {ref.number: citation for ref, citation in trace.evidence}
    groups = group_by_number(ref for ref, _ in trace.evidence)
    accepted = {number: build_evidence(name, refs, citations[number]) for number, refs in groups.items()}
    text = answer.question if answer else describe_subject(question[0]) if question else ""
    goals = list_goals(answer.goals, answer.goal_status) if answer else trace.goals
    condition = answer.condition if answer else trace.condition
    evidence = tuple(row for _, row in sorted((accepted | rows).items()))
    return AcceptedEvidence(name, text, condition, goals, evidence)


def find_state(answer: Answer | None, question: tuple[Job, Task] | None) -> TurnState:
    if answer is None:
        return find_question_state(None, None, question)
    return find_question_state(answer.level, answer.loop_stop, question)


def list_searches_under_way(trace: RunTrace, searches: Sequence[Job]) -> tuple[WebRound, ...]:
    """Return the searches that no step mentions yet, because the run waits for them or was stopped."""
    finished_queries = {query for web_round in trace.web for query in web_round.queries}
    queries = [describe_subject(job) for job in searches]
    fresh = tuple(query for query in queries if query not in finished_queries)
    return (WebRound(fresh, (), (), is_done=False),) if fresh else ()


def to_model_use(use: ModelUse) -> NodeModelUse:
    return NodeModelUse(
        node=use.node,
        model=use.model,
        calls=use.usage.calls,
        input_tokens=use.usage.input_tokens,
        output_tokens=use.usage.output_tokens,
        fallback="" if use.fault is None else FAULT_REASONS[use.fault],
        dropped=use.dropped,
        rewritten=use.rewritten,
        supplied=use.supplied,
        repairs=use.repairs,
    )


def find_end_reason(answer: Answer | None, trace: RunTrace) -> EndReason:
    if answer is None:
        return EndReason(
            condition=trace.condition,
            loop_stop=None,
            rounds=len(trace.rounds),
            seconds=trace.seconds,
            pages=trace.pages,
            calls=trace.calls,
            tokens=trace.tokens,
        )
    used = answer.budget_used
    return EndReason(
        condition=answer.condition,
        loop_stop=LoopStop(answer.loop_stop),
        rounds=answer.rounds,
        seconds=used.get("seconds", 0.0),
        pages=int(used.get("pages", 0)),
        calls=int(used.get("model_calls", 0)),
        tokens=int(used.get("tokens", 0)),
    )
