"""The dependencies of the session verbs, including the librarian's rules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from shisho.domain.corpus import (
    Complexity,
    NumberedPassage,
    Scope,
)
from shisho.domain.find import ExcludedSources
from shisho.domain.inquiry import (
    AnswerBlock,
    EvidenceRef,
    Finding,
    GoalStatus,
    Strategy,
)
from shisho.domain.requirements import Requirements
from shisho.domain.session import (
    CitedSentence,
    SentenceRevision,
    StoredEvidence,
    SupportCounts,
)
from shisho.ports import Clock, Ledger, Quotas, SearchSession, SessionBook, SessionLog, Shelf
from shisho.services.access import CorpusAccess


class Span(Protocol):
    """A span of a shown passage. `replaced`: a finding quoted it in other words."""

    @property
    def index(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def replaced(self) -> bool: ...


class AssistantRules(Protocol):
    """The librarian's rules for assistants."""

    def aim(self, question: str, required: Requirements) -> Strategy: ...

    def judge(self, finding: Finding, passages: Sequence[NumberedPassage], aim: Strategy) -> Span | str: ...

    def status(
        self, aim: Strategy, refs: Sequence[StoredEvidence], *, is_over: bool
    ) -> tuple[tuple[GoalStatus, ...], bool]: ...

    def list_missing(self, aim: Strategy, status: Sequence[GoalStatus]) -> tuple[str, ...]: ...

    def name_headers(self, aim: Strategy, refs: Sequence[StoredEvidence]) -> list[StoredEvidence]: ...

    def counts(self, revisions: Sequence[SentenceRevision]) -> SupportCounts: ...

    def write(
        self,
        aim: Strategy,
        evidence: Sequence[EvidenceRef],
        revisions: Sequence[SentenceRevision],
    ) -> tuple[tuple[AnswerBlock, ...], str]: ...


class SentenceChecks(Protocol):
    """A checker of an assistant's sentences with limited CPU time. Cancelling a call ends its work."""

    async def find_citations(
        self,
        evidence: Sequence[EvidenceRef],
        passages: Sequence[NumberedPassage],
        aim: Strategy,
        sentences: Sequence[CitedSentence],
    ) -> list[CitedSentence | Finding]: ...

    async def check(
        self, aim: Strategy, evidence: Sequence[EvidenceRef], sentences: Sequence[CitedSentence]
    ) -> list[SentenceRevision]: ...


class SessionSearcher(Protocol):
    """A factory of search sessions."""

    async def open(
        self, scope: Scope, complexity: Complexity, room_tokens: int, session_id: str
    ) -> SearchSession: ...


@dataclass(frozen=True, slots=True)
class SessionParts:
    """The dependencies of the session verbs."""

    owner: str
    access: CorpusAccess
    shelf: Shelf
    ledger: Ledger
    log: SessionLog
    book: SessionBook
    searching: SessionSearcher
    rules: AssistantRules
    checks: SentenceChecks
    quotas: Quotas
    list_left_out: Callable[[str], Awaitable[ExcludedSources]]
    clock: Clock
    make_id: Callable[[], str]
    room_tokens: int
