"""Run a question through the table of nodes, from its dependencies to the saved answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256

from shisho.domain.answer_news import RunNews, ignore_news
from shisho.domain.codec import to_plain
from shisho.domain.inquiry import (
    ANSWERING_LEVELS,
    Answer,
    AnswerNote,
    Gap,
    Inquiry,
    LoopStop,
    NoteRole,
    list_contradicted,
    list_sentences,
)
from shisho.domain.loop_state import LoopState
from shisho.domain.model import explain_failures
from shisho.domain.report import MAX_SECTIONS
from shisho.domain.requirements import NO_REQUIREMENTS, RequestKind
from shisho.language import answer_language
from shisho.librarian.answer import choose_cited, locate_passages
from shisho.librarian.evidence import Citations
from shisho.librarian.nodes import Nodes
from shisho.librarian.policy import Policy, Recall, RulePolicy, recall_nothing
from shisho.librarian.record import RunRecord, RunStopped
from shisho.librarian.reports import list_sources
from shisho.librarian.search import InquirySearch, SessionOpener
from shisho.librarian.strategy import check_question
from shisho.librarian.surveys import AskCollection, survey_nothing
from shisho.librarian.table import TABLE, Act, Runner, limit_steps, run_table
from shisho.librarian.web_fallback import AskWeb, WebFallback
from shisho.messages.catalogue import render
from shisho.ports import Clock, Ledger
from shisho.records import dataclass
from shisho.rendering.answer_text import write_text
from shisho.telemetry import count

MODEL = "none"


@dataclass(frozen=True, slots=True)
class InquiryRun:
    """A prepared inquiry. `acts`: the recorded work of each node.

    `start_state`: the state at START.
    """

    inquiry: Inquiry
    acts: Mapping[str, Act]
    start_state: LoopState
    nodes: Nodes
    record: RunRecord
    citations: Citations
    ledger: Ledger

    async def take(self, runner: Runner) -> Answer:
        """Run to the end, or until a stop request, and save the answer."""
        try:
            sections = MAX_SECTIONS if self.inquiry.requirements.kind is RequestKind.REPORT else 1
            most_steps = limit_steps(self.inquiry.budget.max_rounds, sections)
            state = await runner(self.acts, self.start_state, most_steps)
        except RunStopped as stopped:
            state = await self.nodes.cut_short(stopped.state)
        return await self.finish(state)

    async def finish(self, state: LoopState) -> Answer:
        """Save the answer of a final state."""
        answer = _answer(self.inquiry, state, self.citations, self.record.steps)
        await self.ledger.save(answer, self.inquiry.scope.owner)
        count("answers", level=answer.level)
        return answer


async def prepare(
    inquiry: Inquiry,
    open_session: SessionOpener,
    ledger: Ledger,
    clock: Clock,
    notify: Callable[[RunNews], None] = ignore_news,
    stop: Callable[[], bool] = lambda: False,
    ask_web: AskWeb | None = None,
    barred: Gap = Gap.NO_WAY,
    policy: Policy | None = None,
    recall: Recall = recall_nothing,
    ask_collection: AskCollection = survey_nothing,
) -> InquiryRun:
    """Begin a run in the ledger.

    An earlier run with this id is replayed from the ledger and continued.

    `notify` receives each node's steps, and stored steps that no longer fit. If `stop` returns True, the
    answer has the findings so far (STOPPED), and the same call later continues. Without `ask_web` the web is
    unavailable, and the answer gives `barred` as the reason if it needs the web. `policy` decides for the
    nodes, rules without one; `recall` gives it the conversation and the library; `ask_collection` answers
    questions about the whole library.

    Raises: InvalidParams for a blank or overlong question.
    """
    check_question(inquiry.question)
    await ledger.begin(inquiry)
    search = InquirySearch(open_session)
    return assemble(
        inquiry, search, ledger, clock, notify, stop, ask_web, barred, policy, recall, ask_collection
    )


def assemble(
    inquiry: Inquiry,
    search: InquirySearch,
    ledger: Ledger,
    clock: Clock,
    notify: Callable[[RunNews], None],
    stop: Callable[[], bool],
    ask_web: AskWeb | None,
    barred: Gap,
    policy: Policy | None,
    recall: Recall = recall_nothing,
    ask_collection: AskCollection = survey_nothing,
) -> InquiryRun:
    """Assemble a run, already begun in the ledger, over this search."""
    citations = Citations()
    nodes = Nodes(
        search,
        citations,
        clock,
        inquiry.budget,
        policy or RulePolicy(),
        WebFallback(ask_web, barred),
        notify,
        recall,
        ask_collection,
    )
    record = RunRecord(ledger, inquiry.run_id, citations, search, clock, notify, stop)
    acts = {name: record.record_act(node, partial(node.work, nodes)) for name, node in TABLE.items()}
    start_state = LoopState(
        question=check_question(inquiry.question),
        earlier=inquiry.earlier,
        budget=inquiry.budget,
        web_policy=inquiry.web_policy,
    )
    required = replace(inquiry.requirements, exclude_ids=())  # the librarian never sees ids
    if required != NO_REQUIREMENTS:
        start_state["requirements"] = required
    return InquiryRun(inquiry, acts, start_state, nodes, record, citations, ledger)


async def run(
    inquiry: Inquiry,
    open_session: SessionOpener,
    ledger: Ledger,
    clock: Clock,
    notify: Callable[[RunNews], None] = ignore_news,
    stop: Callable[[], bool] = lambda: False,
    ask_web: AskWeb | None = None,
    barred: Gap = Gap.NO_WAY,
    runner: Runner = run_table,
    policy: Policy | None = None,
    recall: Recall = recall_nothing,
) -> Answer:
    """Answer a question and save the answer: `prepare`, then the whole table."""
    prepared = await prepare(
        inquiry, open_session, ledger, clock, notify, stop, ask_web, barred, policy, recall
    )
    return await prepared.take(runner)


def _answer(inquiry: Inquiry, state: LoopState, citations: Citations, steps: int) -> Answer:
    draft = state["draft"]
    spending = state["spent"]
    aim = state["strategy"]
    uses = state["uses"]
    failure = explain_failures(uses)
    language = answer_language(state["question"])
    blocks = draft.blocks
    if failure is not None:
        blocks = (*blocks, AnswerNote(render(failure, language), NoteRole.REMARK))
    answer_id = (
        inquiry.run_id if inquiry.task_id else sha256(f"{inquiry.run_id}/{steps}".encode()).hexdigest()[:24]
    )
    cited = choose_cited(draft, state["evidence"])
    if "survey" in state or "section" in state:  # many sentences were read, few are in the text
        sentences = (*list_sentences(blocks), *list_contradicted(blocks))
        numbers = {number for sentence in sentences for number in sentence.evidence}
        cited = tuple(ref for ref in cited if ref.number in numbers)
    evidence = citations.evidence(answer_id, cited)
    if "section" in state:
        blocks = (*blocks, *list_sources(evidence, state["question"]))
    return Answer(
        id=answer_id,
        task_id=inquiry.task_id or inquiry.run_id,
        question=state["question"],
        text=write_text(blocks, {row.number: row.snippet for row in evidence}, language),
        blocks=locate_passages(blocks, evidence),
        evidence=evidence,
        condition=aim.condition,
        goals=inquiry.requirements.goals or aim.goals,
        goal_status=state["goal_status"],
        loop_stop=state["verdicts"][-1].loop_stop or LoopStop.STOPPED,
        rounds=spending.rounds,
        budget_used={name: float(amount) for name, amount in to_plain(spending).items()},
        level=draft.level,
        abstained=draft.level not in ANSWERING_LEVELS,
        missing=draft.missing,
        model=", ".join(dict.fromkeys(use.model for use in uses if use.fault is None)) or MODEL,
        created_at=state["composed_at"],
        understood="" if aim.question == state["question"] else aim.question,
        conversation_id=inquiry.conversation_id or inquiry.run_id,
        model_uses=tuple(replace(use, reply="") for use in uses),
    )
