"""The desk's own way to a question that is worked on here and now: a run that is begun, folders that are
brought up to date for it, its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, aclosing

from shisho.desk.adding import resolve_path
from shisho.desk.callbacks import Notify, Stop
from shisho.desk.choosing import check_searchable
from shisho.desk.news import FileTakenIn
from shisho.desk.parts import DeskParts
from shisho.domain.audit import AuditVerb
from shisho.domain.conversation import ConversationContext
from shisho.domain.corpus import Condition, Scope
from shisho.domain.inquiry import Answer, Budget, Inquiry, WebPolicy, with_ceilings
from shisho.ports import BorrowedModel


class InquiryRuns:
    """The parts that the verbs of `Desk` that ask are made of."""

    __slots__ = ("_parts",)

    def __init__(self, parts: DeskParts) -> None:
        self._parts = parts

    @property
    def budget(self) -> Budget:
        """The ceilings of a question, as they are set."""
        return self._parts.budget

    def lend(self, model: BorrowedModel) -> AbstractContextManager[bool]:
        """While it is entered, whoever works here on a question that is asked inside thinks with this model;
        False: a model is set, and that one thinks."""
        return self._parts.inquiries.lend(model)

    async def _begin(
        self,
        question: str,
        inside: Sequence[str],
        corpora: Sequence[str],
        filters: Mapping[str, Condition],
        ceilings: Mapping[str, float],
        web_policy: WebPolicy,
        context: ConversationContext,
    ) -> str:
        excluded = await self._parts.left_out(self._parts.owner)
        scope = Scope(self._parts.owner, (*corpora, *inside), filters, excluded.documents, excluded.passages)
        budget = with_ceilings(self.budget, ceilings)
        run_id = self._parts.new_run()
        inquiry = Inquiry(
            run_id,
            question,
            scope,
            budget,
            web_policy=web_policy,
            folders=tuple(inside),
            conversation_id=context.conversation_id,
            earlier=context.earlier,
        )
        await self._parts.conversations.add_turn(run_id, question, context.conversation_id)
        await self._parts.ledger.begin(inquiry)
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
