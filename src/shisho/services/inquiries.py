"""Inquiries of the librarian: begun, run and replayed in the same way for callers and answer jobs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from shisho.domain.answer_news import RunNews, ignore_news
from shisho.domain.conversation import NewTurn, Surroundings
from shisho.domain.corpus import WEB_CORPUS, Complexity, Scope
from shisho.domain.inquiry import Answer, Budget, Gap, Inquiry, WebPolicy, with_ceilings
from shisho.domain.model import ModelUse
from shisho.domain.payloads import AnswerJob
from shisho.domain.requirements import NO_REQUIREMENTS, RequestKind, Requirements
from shisho.domain.survey import SurveyKind
from shisho.domain.task import Sources
from shisho.errors import InvalidParams, NotFound
from shisho.ports import BorrowedModel, Clock, SearchSession
from shisho.records import dataclass
from shisho.services.requirements import exclude
from shisho.services.stores import RunHistory

if TYPE_CHECKING:
    from shisho.corpus.session import CorpusSearcher
    from shisho.librarian.loop import InquiryRun
    from shisho.librarian.policy import Policy
    from shisho.librarian.surveys import CitedSurvey
    from shisho.librarian.table import Runner
    from shisho.librarian.web_fallback import AskWeb


@dataclass(slots=True)
class PolicyLoan:
    """A policy, and the runs that began while it was borrowed."""

    policy: Policy
    run_ids: list[str] = field(default_factory=list)
    is_over: bool = False


# The loan of the current caller: two callers of one owner may ask the same question at once, each with their
# own model.
LOAN: ContextVar[PolicyLoan | None] = ContextVar("loan", default=None)


class Policies:
    """The policies that decide for runs; None means rules.

    `build_configured` returns the policy of an owner, `build_recorded` one that gives recorded replies.
    `build_borrowed` returns the policy of a caller's model, None if a model is configured.
    """

    def __init__(
        self,
        build_configured: Callable[[str], Policy | None],
        build_recorded: Callable[[Sequence[ModelUse]], Policy | None],
        build_borrowed: Callable[[BorrowedModel], Policy | None],
    ) -> None:
        self._build_configured = build_configured
        self._build_borrowed = build_borrowed
        self.build_recorded = build_recorded
        self._lent: dict[str, Policy] = {}

    @contextmanager
    def lend(self, model: BorrowedModel) -> Iterator[bool]:
        """Let runs that begin inside the block use this model.

        Yields False if a model is configured, which they use instead.
        """
        policy = self._build_borrowed(model)
        if policy is None:
            yield False
            return
        loan = PolicyLoan(policy)
        token = LOAN.set(loan)
        try:
            yield True
        finally:
            LOAN.reset(token)
            loan.is_over = True  # a task started inside may outlive it
            for run_id in loan.run_ids:
                self._lent.pop(run_id, None)

    def assign(self, run_id: str) -> None:
        """Assign the borrowed policy, if there is one, to a run that begins here."""
        loan = LOAN.get()
        if loan is not None and not loan.is_over:
            loan.run_ids.append(run_id)
            self._lent[run_id] = loan.policy

    def has_model(self) -> bool:
        """Return True if a run that begins here would use a model."""
        loan = LOAN.get()
        return (loan is not None and not loan.is_over) or self._build_configured("") is not None

    def find(self, run_id: str, owner: str) -> Policy | None:
        """Return the policy of an owner's run: a borrowed one, or else the configured one."""
        return self._lent.get(run_id) or self._build_configured(owner)


RULES = Policies(lambda owner: None, lambda uses: None, lambda model: None)
NO_CEILINGS: Mapping[str, float] = {}
WEB_POLICIES = {
    Sources.AUTO: WebPolicy.LAST,
    Sources.DOCUMENTS: WebPolicy.NEVER,
    Sources.WEB: WebPolicy.FIRST,
    Sources.BOTH: WebPolicy.FIRST,
}


def load_own_runner() -> Runner:
    """Return the built-in runner, which needs no extras."""
    from shisho.librarian.table import run_table

    return run_table


@dataclass(frozen=True, slots=True)
class LibrarianInquiries:
    """The inquiries of the librarian: begun from requests, run, and replayed, whoever asks.

    `room_tokens`: the size of one round. `budget`: the configured limits of a question. `report_gap`: why the
    web is not searched for an owner, if so. `load_runner` returns what executes runs through the table of
    nodes. `recall` provides the context of a question for a model: earlier turns and the library.
    """

    find_searcher: Callable[[], CorpusSearcher]
    history: RunHistory
    clock: Clock
    room_tokens: int
    budget: Budget
    report_gap: Callable[[str], Gap]
    load_runner: Callable[[], Runner]
    policies: Policies
    recall: Callable[[Inquiry], Awaitable[Surroundings]]

    def check(self, question: str, required: Requirements = NO_REQUIREMENTS) -> None:
        """Raise InvalidParams for a question that can't be asked, and for requirements that can't be met."""
        from shisho.librarian.strategy import check_question, strategy

        if required.kind is RequestKind.REPORT and not self.policies.has_model():
            raise InvalidParams("report.no_model")
        if required.goals or required.condition:
            strategy(question, required)
        else:
            check_question(question)

    def understand(self, question: str, earlier: Sequence[str]) -> str:
        """Return a question as understood after earlier ones.

        Raises InvalidParams for an invalid question.
        """
        from shisho.librarian.splitting import resolve
        from shisho.librarian.strategy import check_question

        return resolve(check_question(question), earlier)

    async def begin(
        self,
        run_id: str,
        request: AnswerJob,
        *,
        turn: NewTurn | None = None,
        folders: Sequence[str] = (),
        task_id: str = "",
        left: Mapping[str, float] = NO_CEILINGS,
    ) -> None:
        """Record the inquiry of a request and, in the same transaction, its turn of a conversation.

        A run that was begun earlier under this id stays unchanged. `folders`: corpora that mirror folders;
        `left`: the rest of the task's budget.
        """
        scope = Scope(request.owner, list_searched(request), request.filters)
        excluded = await self.history.opinions.list_left_out(request.owner)
        inquiry = Inquiry(
            run_id,
            request.question,
            exclude(scope, excluded, request.excluded),
            limit_budget(with_ceilings(self.budget, request.budget), left),
            task_id,
            WEB_POLICIES[request.sources],
            tuple(folders),
            request.conversation_id,
            request.earlier,
            request.requirements,
        )
        await self.history.ledger.begin(inquiry, turn)

    async def has_begun(self, run_id: str) -> bool:
        """Return True if the ledger has this run. Raises SourceRemoved as `run` would."""
        with suppress(NotFound):
            await self.history.ledger.find_inquiry(run_id)
            return True
        return False

    async def run(
        self,
        run_id: str,
        notify: Callable[[RunNews], None],
        stop: Callable[[], bool],
        ask_web: AskWeb | None = None,
    ) -> Answer:
        """Run the inquiry with this id to its end, resuming after the last step in the ledger.

        `notify` receives its progress. If `stop` turns true, the answer says STOPPED.
        """
        runner = self.load_runner()
        return await (await self.prepare(run_id, notify, stop, ask_web)).take(runner)

    async def cut_short(self, run_id: str) -> Answer:
        """Save the answer of a run as it is now, without continuing.

        The answer says STOPPED unless the run had finished. It is written by rules, so that stopping does not
        wait for a model. Raises NotFound for a run that has not begun, SourceRemoved.
        """
        return await replace(self, policies=RULES).run(run_id, ignore_news, lambda: True)

    async def prepare(
        self,
        run_id: str,
        notify: Callable[[RunNews], None],
        stop: Callable[[], bool],
        ask_web: AskWeb | None = None,
    ) -> InquiryRun:
        """Return the run with this id, before its first node or replayed to its last step."""
        from shisho.librarian import loop
        from shisho.librarian.surveys import survey_nothing
        from shisho.surveys.recognise import recognise

        inquiry = await self.history.ledger.find_inquiry(run_id)
        policy = self.policies.find(run_id, inquiry.scope.owner)

        async def survey(question: str, required: Requirements) -> CitedSurvey | None:
            request = None if required.goals or required.condition else recognise(question, required.kind)
            if request is None or (request.kind is SurveyKind.MODEL and policy is not None):
                return None
            from shisho.services.collection import CollectionLook  # imported here: few questions need it

            look = CollectionLook(self.find_searcher(), inquiry.scope, question, self.clock.now())
            return await look.survey(request, has_model=policy is not None)

        async def open_session(complexity: Complexity, is_reached: bool) -> SearchSession:
            scope = await self._with_web(inquiry.scope) if is_reached else inquiry.scope
            return await self.find_searcher().open(scope, complexity, self.room_tokens, run_id)

        return await loop.prepare(
            inquiry,
            open_session,
            self.history.ledger,
            self.clock,
            notify,
            stop,
            ask_web,
            self.report_gap(inquiry.scope.owner),
            policy,
            partial(self.recall, inquiry),
            survey_nothing if inquiry.web_policy is WebPolicy.FIRST else survey,
        )

    async def replay(self, run_id: str, answer: Answer) -> Answer:
        """Recompute the answer from the inputs that the run had.

        Raises: NotFound if these are no longer stored, SourceRemoved after a purge.
        """
        from shisho.librarian.replay import RecordedRun, replay

        inquiry = await self.history.ledger.find_inquiry(run_id)
        recorded = RecordedRun(await self.history.ledger.list_steps(run_id))
        policy = self.policies.build_recorded(recorded.uses()) if recorded.had_model() else None
        return await replay(inquiry, recorded, answer, policy)

    async def _with_web(self, scope: Scope) -> Scope:
        """Add the web corpus to a scope, and exclude sources that were blocked or rejected since."""
        excluded = await self.history.opinions.list_left_out(scope.owner)
        corpora = (*scope.corpora, WEB_CORPUS) if scope.corpora else ()
        return exclude(replace(scope, corpora=tuple(dict.fromkeys(corpora))), excluded)


def list_searched(request: AnswerJob) -> tuple[str, ...]:
    """Return the corpora that the documents of an answer come from; none for all."""
    return (WEB_CORPUS,) if request.sources is Sources.WEB else request.corpora


def limit_budget(budget: Budget, allowance: Mapping[str, float]) -> Budget:
    """Limit the budget to the remaining budget of the task."""
    return with_ceilings(
        budget, {name: most for name, most in allowance.items() if most < getattr(budget, name, most)}
    )
