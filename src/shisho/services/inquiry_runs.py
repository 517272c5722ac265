"""The desk's verbs that ask a question in this process.

The run in the ledger, the folders synced for it, its answer and evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, suppress
from pathlib import Path

from shisho.domain.answer_log import AcceptedEvidence
from shisho.domain.answer_news import ignore_news
from shisho.domain.audit import AuditVerb
from shisho.domain.conversation import ConversationContext, NewTurn
from shisho.domain.corpus import Complexity, Condition, Scope
from shisho.domain.inquiry import Answer, Budget, Inquiry, WebPolicy, with_ceilings
from shisho.domain.report import ReportEstimate, estimate_report
from shisho.domain.requirements import NO_REQUIREMENTS, RequestKind, Requirements
from shisho.domain.task import AskOptions, Sources
from shisho.errors import NotFound
from shisho.ports import BorrowedModel, PreparedInquiry
from shisho.services import intake
from shisho.services.adding import resolve_path
from shisho.services.callbacks import Notify, Stop, never
from shisho.services.choosing import check_conversation, check_filters, check_searchable
from shisho.services.coercion import coerce, coerce_paths, coerce_strings
from shisho.services.news import FileTakenIn
from shisho.services.parts import DeskParts
from shisho.services.requirements import (
    GoalLike,
    build_requirements,
    choose_report_sources,
    exclude,
    fill_report_ceilings,
    find_excluded,
)
from shisho.services.task_answers import follow_answer


class InquiryRuns:
    """The verbs of `Desk` that ask."""

    __slots__ = ("_parts",)

    def __init__(self, parts: DeskParts) -> None:
        self._parts = parts

    @property
    def budget(self) -> Budget:
        """The configured limits of a question."""
        return self._parts.budget

    def lend(self, model: BorrowedModel) -> AbstractContextManager[bool]:
        """Let questions asked inside the block use this model.

        Yields False if a model is configured, which they use instead.
        """
        return self._parts.inquiries.lend(model)

    async def ask(
        self,
        question: str,
        *,
        goals: GoalLike | Sequence[GoalLike] = (),
        condition: str = "",
        complexity: Complexity | str | None = None,
        kind: RequestKind | str = RequestKind.AUTO,
        exclude_ids: str | Sequence[str] = (),
        folders: Path | str | Sequence[Path | str] = (),
        corpora: str | Sequence[str] = (),
        filters: Mapping[str, Condition] | None = None,
        budget: Budget | Mapping[str, float | None] | None = None,
        sources: Sources | str = Sources.DOCUMENTS,
        conversation: str | None = None,
        anywhere: bool = False,
        sections: int = 0,
        words: int = 0,
        notify: Notify = ignore_news,
        stop: Stop = never,
    ) -> Answer:
        """Return a cited answer from verified quotations, or an abstention that says what is missing.

        `goals` (questions, mappings or `Goal`), the `condition` over their ids and `complexity` are used
        unchanged; by default they are made from the question. `exclude_ids`: passages and documents that no
        search may find. `sections` and `words`: the maximum and minimum of a report. Documents are searched
        in this process; a question that may need the web becomes a task, processed here while `notify`
        receives `TaskChanged`. If `stop` turns true, the answer is partial, and `resume` continues.
        `conversation`: the id of an earlier answer's, or `last`: the question may refer to earlier ones and
        has their limits, unless it has its own or looks `anywhere`.

        Raises: InvalidParams for a blank or overlong question and requirements that can't be read,
        EmptyCorpus if there is nothing to search, EngineUnavailable for the web without an engine, NotFound
        for an unknown conversation.
        """
        required = build_requirements(goals, condition, complexity, kind, exclude_ids, sections, words)
        sources, ceilings = self._check(question, required, sources, budget)
        corpora = coerce_strings(corpora)
        inside = [resolve_path(folder) for folder in coerce_paths(folders)]
        context = await self._parts.conversations.context(check_conversation(conversation))
        if not (corpora or inside or filters or anywhere):
            corpora, inside, filters = context.corpora, [*context.folders], context.filters
        if filters:
            if not inside:
                await check_searchable(self._parts.shelf, self._parts.owner, corpora)
            await check_filters(self._parts.shelf, self._parts.owner, filters)
        places = (*corpora, *inside)
        if sources is not Sources.DOCUMENTS and (
            sources is not Sources.AUTO or await self._parts.tasks.is_web_usable()
        ):
            await self._mirrored(inside, notify, stop)
            follows = context.conversation_id
            options = AskOptions(places, filters or {}, sources, ceilings, follows, anywhere, required)
            return await self._ask_web(question, options, notify, stop)
        if not inside:
            await check_searchable(self._parts.shelf, self._parts.owner, corpora)
        web_policy = WebPolicy.LAST if sources is Sources.AUTO and not filters else WebPolicy.NEVER
        scope = Scope(self._parts.owner, places, filters or {})
        run_id = await self._begin(question, scope, required, ceilings, web_policy, context, inside)
        return await self._inquire(run_id, notify, stop)

    def _check(
        self,
        question: str,
        required: Requirements,
        sources: Sources | str,
        budget: Budget | Mapping[str, float | None] | None,
    ) -> tuple[Sources, Mapping[str, float]]:
        """Return the sources and ceilings of a question. Raises InvalidParams."""
        self._parts.inquiries.check(question, required)
        ceilings = fill_report_ceilings(required, intake.check_question_ceilings(budget), self.budget)
        return choose_report_sources(required, coerce(Sources, sources, "sources")), ceilings

    def estimate_report(
        self, *, sections: int = 0, words: int = 0, budget: Mapping[str, float | None] | None = None
    ) -> ReportEstimate:
        """Return the cost of a report in model calls and tokens.

        Raises:
            InvalidParams: no model is configured, or the budget is too low.
        """
        required = build_requirements(kind=RequestKind.REPORT, sections=sections, words=words)
        self._parts.inquiries.check("report", required)
        ceilings = fill_report_ceilings(required, intake.check_question_ceilings(budget), self.budget)
        return estimate_report(required, ceilings, self.budget)

    async def _ask_web(self, question: str, options: AskOptions, notify: Notify, stop: Stop) -> Answer:
        handle = await self._parts.tasks.queue_question(question, options=options, wait=0)
        return await follow_answer(self._parts, handle, notify, stop)

    async def prepare(
        self,
        question: str,
        *,
        requirements: Requirements = NO_REQUIREMENTS,
        corpora: str | Sequence[str] = (),
        filters: Mapping[str, Condition] | None = None,
        budget: Budget | Mapping[str, float | None] | None = None,
    ) -> PreparedInquiry:
        """Begin a question to the documents in the ledger, for a caller that runs the table of nodes itself.

        See `shisho.integrations`. Raises as `ask`.
        """
        self._parts.inquiries.check(question, requirements)
        ceilings = fill_report_ceilings(requirements, intake.check_question_ceilings(budget), self.budget)
        corpora = coerce_strings(corpora)
        await check_searchable(self._parts.shelf, self._parts.owner, corpora)
        conditions = await check_filters(self._parts.shelf, self._parts.owner, filters or {})
        scope = Scope(self._parts.owner, corpora, conditions)
        context = ConversationContext()
        run_id = await self._begin(question, scope, requirements, ceilings, WebPolicy.NEVER, context)
        return await self._parts.inquiries.prepare(run_id, ignore_news, never)

    async def get_evidence(self, prefix: str = "last") -> AcceptedEvidence:
        """Return the evidence accepted so far for an answer or a session, without composing anything.

        By id, unique prefix, or `last` for the newest answer. Raises NotFound.
        """
        try:
            return await self._parts.answers.list_evidence(prefix)
        except NotFound:
            if prefix == "last":
                raise
            with suppress(NotFound):
                return await self._parts.sessions.list_evidence(prefix)
            raise

    async def _begin(
        self,
        question: str,
        scope: Scope,
        required: Requirements,
        ceilings: Mapping[str, float],
        web_policy: WebPolicy,
        context: ConversationContext,
        inside: Sequence[str] = (),
    ) -> str:
        excluded = await self._parts.left_out(self._parts.owner)
        exclusions = await find_excluded(self._parts.shelf, self._parts.access, required.exclude_ids)
        run_id = self._parts.new_run()
        inquiry = Inquiry(
            run_id,
            question,
            exclude(scope, excluded, exclusions),
            with_ceilings(self.budget, ceilings),
            web_policy=web_policy,
            folders=tuple(inside),
            conversation_id=context.conversation_id,
            earlier=context.earlier,
            requirements=required,
        )
        turn = NewTurn(run_id, question, self._parts.owner, context.conversation_id)
        await self._parts.ledger.begin(inquiry, turn)
        self._parts.inquiries.assign(run_id)
        await self._parts.access.record(AuditVerb.ASK, run_id)
        return run_id

    async def _inquire(self, run_id: str, notify: Notify, stop: Stop) -> Answer:
        inquiry = await self._parts.ledger.find_inquiry(run_id)
        await self._mirrored(inquiry.folders, notify, stop)
        if not stop():
            await check_searchable(self._parts.shelf, self._parts.owner, inquiry.scope.corpora)
        return await self._parts.inquiries.run(run_id, notify, stop)

    async def _mirrored(self, folders: Sequence[str], notify: Notify, stop: Stop) -> None:
        for folder in folders:
            async with aclosing(
                self._parts.folders.sync(folder, resolve_path(folder), notify=notify)
            ) as receipts:
                async for receipt in receipts:
                    notify(FileTakenIn(receipt))
                    if stop():
                        return
