"""The librarian's loop over the searcher: what the shell runs at once and an answer job runs in its turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
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
from shisho.handlers.lent_policies import LentPolicies
from shisho.ports import BorrowedModel, Clock, Ledger, SearchSession

if TYPE_CHECKING:
    from shisho.corpus.session import CorpusSearcher
    from shisho.librarian.loop import InquiryRun
    from shisho.librarian.policy import Policy
    from shisho.librarian.surveys import CitedSurvey
    from shisho.librarian.table import Runner
    from shisho.librarian.web_fallback import AskWeb


def load_own_runner() -> Runner:
    """The runner that needs nothing but this house."""
    from shisho.librarian.runner import run_table

    return run_table


def think_by_rules(owner: str) -> Policy | None:
    """No model is set."""
    return None


def replay_rules(uses: Sequence[ModelUse]) -> Policy | None:
    """No reply of a model can be read here."""
    return None


def borrow_none(model: BorrowedModel) -> Policy | None:
    """No model is borrowed here."""
    return None


def report_no_way(owner: str) -> Gap:
    """There is no search engine here."""
    return Gap.NO_WAY


async def recall_nothing(inquiry: Inquiry) -> Surroundings:
    """No conversation and no library is known here."""
    return Surroundings()


@dataclass(frozen=True, slots=True)
class LibrarianInquiries:
    """Runs inquiries that the ledger holds. `room_tokens`: what is shown in one round. `report_gap`: why the
    web is not searched for an owner where it is not. `runner` takes runs through the table of nodes, `policy`
    thinks for those of an owner; both are asked for when a run begins. `recorded_policy`: thinks with the
    replies of these uses; `borrowed_policy` with a model that is lent, unless one is set; `lent` has those
    that are. `recall` tells a model what went before the question and what the library holds."""

    searcher: CorpusSearcher
    ledger: Ledger
    clock: Clock
    list_left_out: Callable[[str], Awaitable[ExcludedSources]]
    room_tokens: int
    report_gap: Callable[[str], Gap] = report_no_way
    runner: Callable[[], Runner] = load_own_runner
    policy: Callable[[str], Policy | None] = think_by_rules
    recorded_policy: Callable[[Sequence[ModelUse]], Policy | None] = replay_rules
    borrowed_policy: Callable[[BorrowedModel], Policy | None] = borrow_none
    lent: LentPolicies = field(default_factory=LentPolicies)
    recall: Callable[[Inquiry], Awaitable[Surroundings]] = recall_nothing

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
        """While it is entered, runs that are begun inside think with this model; False: they think as is
        set."""
        policy = self.borrowed_policy(model)
        if policy is None:
            yield False
            return
        with self.lent.lend(policy):
            yield True

    def assign(self, run_id: str) -> None:
        """Let a run that is begun here think with the model that is lent here, if one is."""
        self.lent.assign(run_id)

    def understand(self, question: str, earlier: Sequence[str]) -> str:
        """How a question is understood after these. Raises InvalidParams for one that cannot be asked."""
        from shisho.librarian.follow_up import resolve
        from shisho.librarian.strategy import check_question

        return resolve(check_question(question), earlier)

    async def run(
        self,
        run_id: str,
        notify: Callable[[RunNews], None],
        stop: Callable[[], bool],
        ask_web: AskWeb | None = None,
    ) -> Answer:
        """Begin or go on with the run that the ledger holds under this id."""
        runner = self.runner()
        return await (await self.prepare(run_id, notify, stop, ask_web)).take(runner)

    async def cut_short(self, run_id: str) -> Answer:
        """Save the answer of what a run has come to, without going on; it says STOPPED unless the run had
        come to its end. Rules write it: whoever stops does not wait for a model. Raises NotFound for a run
        that has not begun, SourceRemoved."""
        by_rules = replace(self, policy=think_by_rules, lent=LentPolicies())
        return await by_rules.run(run_id, ignore_news, lambda: True)

    async def prepare(
        self,
        run_id: str,
        notify: Callable[[RunNews], None],
        stop: Callable[[], bool],
        ask_web: AskWeb | None = None,
    ) -> InquiryRun:
        """The run that the ledger holds under this id, before its first node or, replayed, where it has come
        to."""
        from shisho.librarian import loop
        from shisho.librarian.surveys import survey_nothing

        inquiry = await self.ledger.find_inquiry(run_id)
        policy = self.lent.find(run_id) or self.policy(inquiry.scope.owner)

        async def survey(question: str, required: Requirements) -> CitedSurvey | None:
            from shisho.handlers.collection import CollectionLook

            look = CollectionLook(self.searcher, inquiry.scope, question, self.clock.now())
            return await look.survey(required, has_model=policy is not None)

        async def opened(complexity: Complexity, is_reached: bool) -> SearchSession:
            scope = await self._with_web(inquiry.scope) if is_reached else inquiry.scope
            return await self.searcher.open(scope, complexity, self.room_tokens, run_id)

        return await loop.prepare(
            inquiry,
            opened,
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
        """The answer that the run comes to now, over what it was given then. Raises NotFound where that is no
        longer kept, SourceRemoved after a purge."""
        from shisho.librarian.replay import RecordedRun, replay

        inquiry = await self.ledger.find_inquiry(run_id)
        recorded = RecordedRun(await self.ledger.list_steps(run_id))
        return await replay(inquiry, recorded, answer, self.recorded_policy(recorded.uses()))

    async def _with_web(self, scope: Scope) -> Scope:
        """The web's pages too, without what was blocked or cancelled meanwhile."""
        excluded = await self.list_left_out(scope.owner)
        corpora = (*scope.corpora, WEB_CORPUS) if scope.corpora else ()
        return replace(
            scope,
            corpora=tuple(dict.fromkeys(corpora)),
            without=tuple({**dict.fromkeys(scope.without), **dict.fromkeys(excluded.documents)}),
            rejected=tuple({**dict.fromkeys(scope.rejected), **dict.fromkeys(excluded.passages)}),
        )
