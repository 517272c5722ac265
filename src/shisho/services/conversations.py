"""Conversations: the context of a question from earlier ones, and their removal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from shisho.domain.conversation import (
    Conversation,
    ConversationContext,
    ConversationPage,
    ConversationRemoved,
    ConversationTurn,
    QuestionTurn,
    TurnState,
    derive_turn_state,
)
from shisho.domain.corpus import WEB_CORPUS, Condition
from shisho.domain.inquiry import AnswerLevel, Inquiry, LoopStop, WebPolicy
from shisho.domain.job import Job, JobState, Task, TaskId
from shisho.domain.payloads import AnswerJob
from shisho.domain.task import AskOptions
from shisho.domain.team import AuditVerb
from shisho.errors import NotFound, ShishoError
from shisho.ports import ConversationStore, Ledger
from shisho.services import intake
from shisho.services.access import CorpusAccess

MAX_EARLIER_QUESTIONS = 5  # earlier questions that a question may refer to
NEW = ConversationContext()


class Conversations:
    """Conversations: questions that refer to earlier ones.

    Conversations can be named by id, unique prefix, the id of one of their answers, or `last`. Every method
    that names one raises NotFound if this visitor has no such conversation.
    """

    def __init__(
        self,
        access: CorpusAccess,
        conversations: ConversationStore,
        ledger: Ledger,
        understand: Callable[[str, Sequence[str]], str],
        find_job: Callable[[str], Awaitable[tuple[Job, Task] | None]],
        remove_task: Callable[[str], Awaitable[object]],
    ) -> None:
        self._access = access
        self._conversations = conversations
        self._ledger = ledger
        self._understand = understand
        self._find_job = find_job
        self._remove_task = remove_task

    async def list_turns(self, conversation: str = "last") -> Sequence[ConversationTurn]:
        """Return the questions in order, each as it was understood."""
        return (await self._find(conversation))[1]

    async def find_last_run(self) -> str | None:
        """Return the run of the newest question; None if nothing was asked."""
        with suppress(NotFound):
            return (await self.list_turns())[-1].run_id
        return None

    async def list(self, *, cursor: str | None = None, limit: int = 50) -> ConversationPage:
        """List this visitor's conversations, the one with the newest question first.

        Raises: InvalidParams for an unknown cursor.
        """
        before = None if cursor is None else intake.parse_cursor(cursor)
        rows = await self._conversations.list_newest(self._access.owner, before, limit + 1)
        shown_rows = tuple(rows[:limit])
        return ConversationPage(shown_rows, str(shown_rows[-1].place) if len(rows) > limit else None)

    async def get(self, conversation: str = "last") -> Conversation:
        """Return the questions in order, each with its state."""
        conversation_id, turns = await self._find(conversation)
        return Conversation(conversation_id, tuple([await self._build_turn(turn) for turn in turns]))

    async def _build_turn(self, turn: ConversationTurn) -> QuestionTurn:
        question = await self._find_job(turn.run_id)
        state = find_question_state(turn.level, turn.loop_stop, question)
        answer_id = turn.answer_id if question is None else question[0].id
        corpora, filters = await self._find_limits(turn, None if question is None else question[0])
        return QuestionTurn(
            turn.number, answer_id, turn.question, turn.understood, state, tuple(corpora), filters
        )

    async def _find_limits(
        self, turn: ConversationTurn, job: Job | None
    ) -> tuple[Sequence[str], Mapping[str, Condition]]:
        """Return the corpora and filters that a question was limited to."""
        if job is not None:
            asked = job.input.read(AnswerJob, is_lenient=True)
            return asked.corpora, asked.filters
        with suppress(ShishoError):  # not begun, or a source was purged
            inquiry = await self._ledger.find_inquiry(turn.run_id)
            return list_limits(inquiry), inquiry.scope.filters
        return (), {}

    async def understand(self, question: str, conversation: str | None) -> str:
        """Return the question as it would be understood in this conversation, before it is asked.

        Raises: InvalidParams for a blank or overlong one.
        """
        return self._understand(question, (await self.get_context(conversation)).earlier)

    async def get_context(self, conversation: str | None) -> ConversationContext:
        """Return the context of a question in this conversation; None or "" starts a new one."""
        if not conversation:
            return NEW
        conversation_id, turns = await self._find(conversation)
        earlier = tuple(turn.understood for turn in turns[-MAX_EARLIER_QUESTIONS:])
        context = ConversationContext(conversation_id, earlier)
        with suppress(ShishoError):  # not begun yet, or a source was purged: it searches everywhere
            inquiry = await self._ledger.find_inquiry(turns[-1].run_id)
            corpora = tuple(name for name in list_limits(inquiry) if name not in inquiry.folders)
            filters = inquiry.scope.filters
            context = replace(context, corpora=corpora, filters=filters, folders=inquiry.folders)
        return context

    async def remove(self, conversation: str) -> ConversationRemoved:
        """Erase a conversation: its questions, discovered URLs and answers.

        Tasks made for them alone are erased too. This cannot be undone.
        """
        conversation_id, turns = await self._find(conversation)
        async with self._access.record_outcome(AuditVerb.REMOVE, conversation_id):
            others: list[TaskId] = []
            while True:
                for turn in turns:
                    others += await self._drop_task(turn)
                runs = [turn.run_id for turn in turns]
                removed = await self._conversations.remove(conversation_id, runs)
                if removed is not None:
                    return replace(removed, kept_tasks=tuple(dict.fromkeys(others)))
                turns = await self._conversations.list_turns(conversation_id)  # asked in the meantime

    async def _drop_task(self, turn: ConversationTurn) -> Sequence[TaskId]:
        """Remove the task that was made for a turn; any other task is kept and returned."""
        with suppress(ShishoError):
            question = await self._find_job(turn.run_id)
            if question is None:
                return []
            task = question[1]
            if task.question != turn.question:
                return [task.id]
            await self._remove_task(task.id)
        return []

    async def _find(self, name: str) -> tuple[str, Sequence[ConversationTurn]]:
        return await self._conversations.find(name, self._access.owner)


def find_question_state(
    level: AnswerLevel | None, loop_stop: LoopStop | None, question: tuple[Job, Task] | None
) -> TurnState:
    """Return the state of a question by its answer and its job."""
    if question is None:
        return derive_turn_state(level, loop_stop, None)
    job, task = question
    needed = bool(task.jobs.get(JobState.AWAITING_AUTH))
    return derive_turn_state(level, loop_stop, job.state, is_person_needed=needed)


def list_limits(inquiry: Inquiry) -> tuple[str, ...]:
    """Return the corpora that a question was limited to; none for a question to the web only."""
    is_web_only = inquiry.web_policy is WebPolicy.FIRST and inquiry.scope.corpora == (WEB_CORPUS,)
    return () if is_web_only else inquiry.scope.corpora


def apply_context(options: AskOptions, context: ConversationContext) -> AskOptions:
    """Return the options; without a scope of their own, they get the scope of the previous question."""
    if options.corpora or options.filters or options.anywhere:
        return options
    return replace(options, corpora=(*context.corpora, *context.folders), filters=context.filters)
