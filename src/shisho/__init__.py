"""Shisho: a research librarian you run yourself. `async with shisho.open() as desk: await desk.ask("…")`.

What stands in `__all__` is the public API: `open`, the desk with its verbs, every type that they take and
give, and every error. Each name is loaded on first use, so that `import shisho` stays free of heavy
imports."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shisho.version import VERSION

if TYPE_CHECKING:
    from shisho.bootstrap.desk import open_desk as open
    from shisho.desk.conversing import ConversationDesk
    from shisho.desk.desk import Desk
    from shisho.desk.embeddings import EmbeddingDesk
    from shisho.desk.folders import FolderDesk
    from shisho.desk.references import ReferenceDesk
    from shisho.desk.sessions import Sessions
    from shisho.desk.tasks import TaskDesk
    from shisho.domain.codec import Payload
    from shisho.domain.conversation import ConversationContext, ConversationRemoved, ConversationTurn
    from shisho.domain.corpus import (
        Check,
        Complexity,
        Corpus,
        Document,
        DocumentId,
        DocumentState,
        FilterRange,
        IntakeOutcome,
        NumberedPassage,
        PassageHit,
        PassageId,
        Receipt,
        SearchRequest,
        Source,
    )
    from shisho.domain.embedding import EmbeddingProgress
    from shisho.domain.folder import WatchedFolder
    from shisho.domain.inquiry import (
        Answer,
        AnswerLevel,
        Budget,
        Evidence,
        Finding,
        Goal,
        GoalStatus,
        LoopStop,
        Sentence,
        Strategy,
        SupportOutcome,
    )
    from shisho.domain.intervention import (
        AuthAction,
        AuthResolved,
        AuthTarget,
        HumanChallenge,
        InterventionState,
        PendingIntervention,
        WindowResult,
    )
    from shisho.domain.job import (
        Claim,
        Job,
        JobError,
        JobId,
        JobState,
        Priority,
        StopMode,
        TaskId,
        TaskState,
        WorkerId,
    )
    from shisho.domain.model import ModelFault, ModelUsage, ModelUse
    from shisho.domain.politeness import BreakerState
    from shisho.domain.reference import MatchedBy, ReferenceMatch
    from shisho.domain.session import (
        CitedSentence,
        ComposedAnswer,
        FindingVerdict,
        FindingVerdicts,
        PassageReading,
        RankedPassages,
        SentenceRevision,
        SessionOpened,
        SupportCounts,
    )
    from shisho.domain.task import (
        AnswerHandle,
        AskOptions,
        Bytes,
        DocumentsQueued,
        EngineStatus,
        ExistingDocument,
        FailedItem,
        FeedbackRecorded,
        JobPage,
        Opinion,
        OutgoingQueries,
        PendingJobs,
        Progress,
        PurgeScope,
        ResultRow,
        SearchesQueued,
        SearchOptions,
        SkippedItem,
        Sources,
        StatusDetail,
        StopStrategy,
        TaskDeleted,
        TaskPage,
        TaskProgress,
        TaskResumed,
        TaskSnapshot,
        TaskStopped,
        TaskSummary,
        UrlsQueued,
        WaitCondition,
        WebConsent,
    )
    from shisho.domain.time import Instant
    from shisho.domain.web import TimeRange
    from shisho.errors import (
        AllEnginesBlocked,
        AllFetchesFailed,
        AuthRequired,
        BudgetExhausted,
        Conflict,
        ConsentRequired,
        DocumentEncrypted,
        DocumentUnreadable,
        EmptyCorpus,
        EngineUnavailable,
        ExtraMissing,
        ForbiddenAddress,
        ForbiddenPath,
        InternalError,
        InvalidParams,
        KeyConflict,
        ModelFailed,
        NeedsOcr,
        NotFound,
        ParserFailed,
        RobotsDisallowed,
        ShishoError,
        SourceRemoved,
        StorageUnusable,
        TaskNotFound,
        TimedOut,
        TooLarge,
        UnsupportedMedia,
        UnusableDocument,
    )
    from shisho.ports.interventions import Notifier
    from shisho.ports.librarian import PreparedInquiry

__version__ = VERSION
__all__ = [
    "AllEnginesBlocked",
    "AllFetchesFailed",
    "Answer",
    "AnswerHandle",
    "AnswerLevel",
    "AskOptions",
    "AuthAction",
    "AuthRequired",
    "AuthResolved",
    "AuthTarget",
    "BreakerState",
    "Budget",
    "BudgetExhausted",
    "Bytes",
    "Check",
    "CitedSentence",
    "Claim",
    "Complexity",
    "ComposedAnswer",
    "Conflict",
    "ConsentRequired",
    "ConversationContext",
    "ConversationDesk",
    "ConversationRemoved",
    "ConversationTurn",
    "Corpus",
    "Desk",
    "Document",
    "DocumentEncrypted",
    "DocumentId",
    "DocumentState",
    "DocumentUnreadable",
    "DocumentsQueued",
    "EmbeddingDesk",
    "EmbeddingProgress",
    "EmptyCorpus",
    "EngineStatus",
    "EngineUnavailable",
    "Evidence",
    "ExistingDocument",
    "ExtraMissing",
    "FailedItem",
    "FeedbackRecorded",
    "FilterRange",
    "Finding",
    "FindingVerdict",
    "FindingVerdicts",
    "FolderDesk",
    "ForbiddenAddress",
    "ForbiddenPath",
    "Goal",
    "GoalStatus",
    "HumanChallenge",
    "Instant",
    "IntakeOutcome",
    "InternalError",
    "InterventionState",
    "InvalidParams",
    "Job",
    "JobError",
    "JobId",
    "JobPage",
    "JobState",
    "KeyConflict",
    "LoopStop",
    "MatchedBy",
    "ModelFailed",
    "ModelFault",
    "ModelUsage",
    "ModelUse",
    "NeedsOcr",
    "NotFound",
    "Notifier",
    "NumberedPassage",
    "Opinion",
    "OutgoingQueries",
    "ParserFailed",
    "PassageHit",
    "PassageId",
    "PassageReading",
    "Payload",
    "PendingIntervention",
    "PendingJobs",
    "PreparedInquiry",
    "Priority",
    "Progress",
    "PurgeScope",
    "RankedPassages",
    "Receipt",
    "ReferenceDesk",
    "ReferenceMatch",
    "ResultRow",
    "RobotsDisallowed",
    "SearchOptions",
    "SearchRequest",
    "SearchesQueued",
    "Sentence",
    "SentenceRevision",
    "SessionOpened",
    "Sessions",
    "ShishoError",
    "SkippedItem",
    "Source",
    "SourceRemoved",
    "Sources",
    "StatusDetail",
    "StopMode",
    "StopStrategy",
    "StorageUnusable",
    "Strategy",
    "SupportCounts",
    "SupportOutcome",
    "TaskDeleted",
    "TaskDesk",
    "TaskId",
    "TaskNotFound",
    "TaskPage",
    "TaskProgress",
    "TaskResumed",
    "TaskSnapshot",
    "TaskState",
    "TaskStopped",
    "TaskSummary",
    "TimeRange",
    "TimedOut",
    "TooLarge",
    "UnsupportedMedia",
    "UnusableDocument",
    "UrlsQueued",
    "WaitCondition",
    "WatchedFolder",
    "WebConsent",
    "WindowResult",
    "WorkerId",
    "__version__",
    "open",
]

_PAGES = (
    "shisho.errors",
    "shisho.desk.conversing",
    "shisho.desk.desk",
    "shisho.desk.embeddings",
    "shisho.desk.folders",
    "shisho.desk.references",
    "shisho.desk.sessions",
    "shisho.desk.tasks",
    "shisho.domain.codec",
    "shisho.domain.conversation",
    "shisho.domain.corpus",
    "shisho.domain.embedding",
    "shisho.domain.folder",
    "shisho.domain.inquiry",
    "shisho.domain.intervention",
    "shisho.domain.job",
    "shisho.domain.model",
    "shisho.domain.politeness",
    "shisho.domain.reference",
    "shisho.domain.session",
    "shisho.domain.task",
    "shisho.domain.time",
    "shisho.domain.web",
    "shisho.ports.interventions",
    "shisho.ports.librarian",
)


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in __all__:
        raise AttributeError(f"module 'shisho' has no attribute {name!r}")
    if name == "open":
        return import_module("shisho.bootstrap.desk").open_desk
    return next(vars(page)[name] for page in map(import_module, _PAGES) if name in vars(page))


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
