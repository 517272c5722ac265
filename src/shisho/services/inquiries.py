"""The librarian's loop over the searcher, as run by the shell and by answer jobs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from shisho.domain.answer_news import RunNews, ignore_news
from shisho.domain.conversation import Surroundings
from shisho.domain.corpus import WEB_CORPUS, Complexity, Scope
from shisho.domain.find import ExcludedSources
from shisho.domain.inquiry import Answer, Gap, Inquiry, WebPolicy
from shisho.domain.model import ModelUse
from shisho.domain.requirements import NO_REQUIREMENTS, RequestKind, Requirements
from shisho.errors import InvalidParams
from shisho.ports import BorrowedModel, Clock, Ledger, SearchSession

if TYPE_CHECKING:
    from shisho.corpus.session import CorpusSearcher
    from shisho.librarian.loop import InquiryRun
    from shisho.librarian.plan import AskWeb
    from shisho.librarian.policy import Policy
    from shisho.librarian.surveys import CitedSurvey
    from shisho.librarian.table import Runner


@dataclass(slots=True)
class PolicyLoan:
    """A policy, and the runs that began while it was borrowed."""

    policy: Policy
    run_ids: list[str] = field(default_factory=list)
    is_over: bool = False


# The loan of the current caller: two callers of one owner may ask the same question at once, each with their
# own model.
LOAN: ContextVar[PolicyLoan | None] = ContextVar("loan", default=None)


class LentPolicies:
    """The borrowed policies of this process, by run."""

    def __init__(self) -> None:
        self._policies: dict[str, Policy] = {}

    @contextmanager
    def lend(self, policy: Policy) -> Iterator[None]:
        """Let runs that begin inside the block use this policy."""
        loan = PolicyLoan(policy)
        token = LOAN.set(loan)
        try:
            yield
        finally:
            LOAN.reset(token)
            loan.is_over = True  # a task started inside may outlive it
            for run_id in loan.run_ids:
                self._policies.pop(run_id, None)

    def is_lent(self) -> bool:
        """Return whether a run that begins here would use a borrowed policy."""
        loan = LOAN.get()
        return loan is not None and not loan.is_over

    def assign(self, run_id: str) -> None:
        """Assign the borrowed policy, if there is one, to a run that begins here."""
        loan = LOAN.get()
        if loan is not None and not loan.is_over:
            loan.run_ids.append(run_id)
            self._policies[run_id] = loan.policy

    def find(self, run_id: str) -> Policy | None:
        """Return the borrowed policy of a run, or None."""
        return self._policies.get(run_id)


def load_own_runner() -> Runner:
    """Return the built-in runner, which needs no extras."""
    from shisho.librarian.table import run_table

    return run_table


def think_by_rules(owner: str) -> Policy | None:
    """Return None: no model is configured."""
    return None


@dataclass(frozen=True, slots=True)
class LibrarianInquiries:
    """A runner of inquiries from the ledger.

    `room_tokens`: the size of one round. `report_gap`: why the web is not searched for an owner, if so.
    `runner` executes runs through the table of nodes, `policy` decides for those of an owner; both are
    requested when a run begins. `recorded_policy` uses the replies of these uses; `borrowed_policy` uses a
    borrowed model, unless one is configured; `lent` are the borrowed ones. `recall` provides the context of a
    question for a model: earlier turns and the library.
    """

    find_searcher: Callable[[], CorpusSearcher]
    ledger: Ledger
    clock: Clock
    list_left_out: Callable[[str], Awaitable[ExcludedSources]]
    room_tokens: int
    report_gap: Callable[[str], Gap]
    runner: Callable[[], Runner]
    policy: Callable[[str], Policy | None]
    recorded_policy: Callable[[Sequence[ModelUse]], Policy | None]
    borrowed_policy: Callable[[BorrowedModel], Policy | None]
    recall: Callable[[Inquiry], Awaitable[Surroundings]]
    lent: LentPolicies = field(default_factory=LentPolicies)

    def check(self, question: str, required: Requirements = NO_REQUIREMENTS) -> None:
        """Raise InvalidParams for a question that can't be asked, and for requirements that can't be met."""
        from shisho.librarian.strategy import check_question, strategy

        if required.kind is RequestKind.REPORT and not (self.lent.is_lent() or self.policy("")):
            raise InvalidParams("report.no_model")
        if required.goals or required.condition:
            strategy(question, required)
        else:
            check_question(question)

    @contextmanager
    def lend(self, model: BorrowedModel) -> Iterator[bool]:
        """Let runs that begin inside the block use this model.

        Yields False if a model is configured, which they use instead.
        """
        policy = self.borrowed_policy(model)
        if policy is None:
            yield False
            return
        with self.lent.lend(policy):
            yield True

    def assign(self, run_id: str) -> None:
        """Let a run that begins here use the borrowed model, if there is one."""
        self.lent.assign(run_id)

    def understand(self, question: str, earlier: Sequence[str]) -> str:
        """Return a question as understood after earlier ones.

        Raises InvalidParams for an invalid question.
        """
        from shisho.librarian.splitting import resolve
        from shisho.librarian.strategy import check_question

        return resolve(check_question(question), earlier)

    async def run(
        self,
        run_id: str,
        notify: Callable[[RunNews], None],
        stop: Callable[[], bool],
        ask_web: AskWeb | None = None,
    ) -> Answer:
        """Begin or resume the run with this id."""
        runner = self.runner()
        return await (await self.prepare(run_id, notify, stop, ask_web)).take(runner)

    async def cut_short(self, run_id: str) -> Answer:
        """Save the answer of a run as it is now, without continuing.

        The answer says STOPPED unless the run had finished. It is written by rules, so that stopping does not
        wait for a model. Raises NotFound for a run that has not begun, SourceRemoved.
        """
        by_rules = replace(self, policy=think_by_rules, lent=LentPolicies())
        return await by_rules.run(run_id, ignore_news, lambda: True)

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

        inquiry = await self.ledger.find_inquiry(run_id)
        policy = self.lent.find(run_id) or self.policy(inquiry.scope.owner)

        async def survey(question: str, required: Requirements) -> CitedSurvey | None:
            from shisho.services.collection import CollectionLook

            look = CollectionLook(self.find_searcher(), inquiry.scope, question, self.clock.now())
            return await look.survey(required, has_model=policy is not None)

        async def open_session(complexity: Complexity, is_reached: bool) -> SearchSession:
            scope = await self._with_web(inquiry.scope) if is_reached else inquiry.scope
            return await self.find_searcher().open(scope, complexity, self.room_tokens, run_id)

        return await loop.prepare(
            inquiry,
            open_session,
            self.ledger,
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

        inquiry = await self.ledger.find_inquiry(run_id)
        recorded = RecordedRun(await self.ledger.list_steps(run_id))
        return await replay(inquiry, recorded, answer, self.recorded_policy(recorded.uses()))

    async def _with_web(self, scope: Scope) -> Scope:
        """Add the web corpus to a scope, and exclude sources that were blocked or rejected since."""
        excluded = await self.list_left_out(scope.owner)
        corpora = (*scope.corpora, WEB_CORPUS) if scope.corpora else ()
        return replace(
            scope,
            corpora=tuple(dict.fromkeys(corpora)),
            without=tuple({**dict.fromkeys(scope.without), **dict.fromkeys(excluded.documents)}),
            rejected=tuple({**dict.fromkeys(scope.rejected), **dict.fromkeys(excluded.passages)}),
        )
