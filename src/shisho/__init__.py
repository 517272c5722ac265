"""Shisho: a research librarian you run yourself.

`async with shisho.open() as library: await library.questions.ask("…")`.

`__all__` is the public API: `open`, the library with its parts, every type that their methods take and
return, and every error. Each name is loaded on first use, so that `import shisho` stays free of heavy
imports.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from shisho.version import VERSION

if TYPE_CHECKING:
    from shisho.bootstrap.library import open_library as open
    from shisho.domain.answer_log import (
        AcceptedEvidence,
        AnswerDifference,
        AnswerLog,
        EndReason,
        FoundPage,
        GoalProgress,
        NodeModelUse,
        PageFate,
        ReplayReport,
        SearchRound,
        WebRound,
    )
    from shisho.domain.answer_news import AnswerStep, ModelWaits, SentenceWritten, StepForgotten, StepTaken
    from shisho.domain.codec import Payload
    from shisho.domain.conversation import (
        Conversation,
        ConversationContext,
        ConversationPage,
        ConversationRemoved,
        ConversationSummary,
        ConversationTurn,
        QuestionTurn,
        TurnState,
    )
    from shisho.domain.corpus import (
        Check,
        Complexity,
        Corpus,
        Document,
        DocumentId,
        DocumentState,
        FileSurvey,
        FilterRange,
        IntakeOutcome,
        IntakeStage,
        NumberedPassage,
        PassageHit,
        PassageId,
        Receipt,
        SearchRequest,
        Source,
    )
    from shisho.domain.embedding import (
        CalibrationTarget,
        EmbedderAbout,
        EmbeddingProgress,
        StoredModel,
        WordShare,
    )
    from shisho.domain.event import EventKind
    from shisho.domain.folder import FolderState, FolderStatus, WatchedFolder
    from shisho.domain.inquiry import (
        Answer,
        AnswerHeading,
        AnswerLevel,
        AnswerList,
        AnswerNote,
        AnswerParagraph,
        AnswerPassage,
        AnswerTable,
        Budget,
        ContradictedSentences,
        Evidence,
        Finding,
        Gap,
        Goal,
        GoalState,
        GoalStatus,
        LoopStop,
        NextStep,
        NoteRole,
        PassageMark,
        PlannedSection,
        Sentence,
        Stance,
        Strategy,
        SupportedBy,
        SupportOutcome,
        UnsearchedQuery,
        Verdict,
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
        Delay,
        Job,
        JobError,
        JobId,
        JobState,
        Priority,
        StopMode,
        Task,
        TaskId,
        TaskState,
        WorkerId,
    )
    from shisho.domain.library import LibraryMetrics, MetadataField, MetadataValue, SettingValue
    from shisho.domain.loop_state import LoopState
    from shisho.domain.model import (
        FoundModel,
        ModelFault,
        ModelSetting,
        ModelUsage,
        ModelUse,
        ModelWork,
        ModelWorkKind,
        ModelWorkState,
    )
    from shisho.domain.politeness import BreakerState
    from shisho.domain.proof import EvidenceExhibit, PageCrop
    from shisho.domain.reference import MatchedBy, ReferenceMatch
    from shisho.domain.report import ReportEstimate
    from shisho.domain.requirements import RequestKind, Requirements
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
    from shisho.domain.team import (
        Access,
        AuditEntry,
        AuditOutcome,
        AuditVerb,
        CorpusGrant,
        CorpusKey,
        Grantee,
        GranteeKind,
        NewToken,
        Quota,
        QuotaResource,
        TaskShare,
        User,
        UserGroup,
    )
    from shisho.domain.time import Instant
    from shisho.domain.viewing import (
        DocumentView,
        EvidenceBoxes,
        LayoutLine,
        PageImage,
        PageLayout,
        PageStrip,
        SpanBoxes,
        TextMatch,
        TextMatches,
        Viewable,
    )
    from shisho.domain.web import PagingStop, SearchPaging, TimeRange
    from shisho.errors import (
        AccessDenied,
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
        NameConflict,
        NeedsOcr,
        NotFound,
        ParserFailed,
        QuotaExhausted,
        RobotsDisallowed,
        ServerBusy,
        ShishoError,
        SourceRemoved,
        StorageUnusable,
        StoreUnavailable,
        TaskNotFound,
        TimedOut,
        TooLarge,
        UnsupportedMedia,
        UnusableDocument,
    )
    from shisho.ports.librarian import BorrowedModel, PreparedInquiry
    from shisho.ports.queue import Notifier
    from shisho.services.conversations import Conversations
    from shisho.services.documents import Documents
    from shisho.services.exports import Exports, Proofs
    from shisho.services.folders import Folders
    from shisho.services.library import Library
    from shisho.services.models import Embeddings, Models
    from shisho.services.news import (
        AnswerReady,
        FilesSurveyed,
        FileTakenIn,
        FolderFailed,
        FolderUpToDate,
        PageRecognised,
        PagesRead,
        TaskChanged,
        TextPartStored,
        VectorsMade,
    )
    from shisho.services.questions import Questions
    from shisho.services.references import References
    from shisho.services.sessions import Sessions
    from shisho.services.tasks import Tasks
    from shisho.services.team import Team
    from shisho.services.viewer import Viewer
    from shisho.services.web import Web

__version__ = VERSION
# fmt: off
__all__ = [
    "AcceptedEvidence", "Access", "AccessDenied", "AllEnginesBlocked", "AllFetchesFailed", "Answer",
    "AnswerDifference", "AnswerHandle", "AnswerHeading", "AnswerLevel", "AnswerList", "AnswerLog", "AnswerNote",
    "AnswerParagraph", "AnswerPassage", "AnswerReady", "AnswerStep", "AnswerTable", "AskOptions", "AuditEntry",
    "AuditOutcome", "AuditVerb", "AuthAction", "AuthRequired", "AuthResolved", "AuthTarget", "BorrowedModel",
    "BreakerState", "Budget", "BudgetExhausted", "Bytes", "CalibrationTarget", "Check", "CitedSentence", "Claim",
    "Complexity", "ComposedAnswer", "Conflict", "ConsentRequired", "ContradictedSentences", "Conversation",
    "ConversationContext", "ConversationPage", "ConversationRemoved", "ConversationSummary", "ConversationTurn",
    "Conversations", "Corpus", "CorpusGrant", "CorpusKey", "Delay", "Document", "DocumentEncrypted", "DocumentId",
    "DocumentState", "DocumentUnreadable", "DocumentView", "Documents", "DocumentsQueued", "EmbedderAbout",
    "EmbeddingProgress", "Embeddings", "EmptyCorpus", "EndReason", "EngineStatus", "EngineUnavailable", "EventKind",
    "Evidence", "EvidenceBoxes", "EvidenceExhibit", "ExistingDocument", "Exports", "ExtraMissing", "FailedItem",
    "FeedbackRecorded", "FileSurvey", "FileTakenIn", "FilesSurveyed", "FilterRange", "Finding", "FindingVerdict",
    "FindingVerdicts", "FolderFailed", "FolderState", "FolderStatus", "FolderUpToDate", "Folders", "ForbiddenAddress",
    "ForbiddenPath", "FoundModel", "FoundPage", "Gap", "Goal", "GoalProgress", "GoalState", "GoalStatus", "Grantee",
    "GranteeKind", "HumanChallenge", "Instant", "IntakeOutcome", "IntakeStage", "InternalError", "InterventionState",
    "InvalidParams", "Job", "JobError", "JobId", "JobPage", "JobState", "KeyConflict", "LayoutLine", "Library",
    "LibraryMetrics", "LoopState", "LoopStop", "MatchedBy", "MetadataField", "MetadataValue", "ModelFailed",
    "ModelFault", "ModelSetting", "ModelUsage", "ModelUse", "ModelWaits", "ModelWork", "ModelWorkKind",
    "ModelWorkState", "Models", "NameConflict", "NeedsOcr", "NewToken", "NextStep", "NodeModelUse", "NotFound",
    "NoteRole", "Notifier", "NumberedPassage", "Opinion", "OutgoingQueries", "PageCrop", "PageFate", "PageImage",
    "PageLayout", "PageRecognised", "PageStrip", "PagesRead", "PagingStop", "ParserFailed", "PassageHit", "PassageId",
    "PassageMark", "PassageReading", "Payload", "PendingIntervention", "PendingJobs", "PlannedSection",
    "PreparedInquiry", "Priority", "Progress", "Proofs", "PurgeScope", "QuestionTurn", "Questions", "Quota",
    "QuotaExhausted", "QuotaResource", "RankedPassages", "Receipt", "ReferenceMatch", "References", "ReplayReport",
    "ReportEstimate", "RequestKind", "Requirements", "ResultRow", "RobotsDisallowed", "SearchOptions", "SearchPaging",
    "SearchRequest", "SearchRound", "SearchesQueued", "Sentence", "SentenceRevision", "SentenceWritten", "ServerBusy",
    "SessionOpened", "Sessions", "SettingValue", "ShishoError", "SkippedItem", "Source", "SourceRemoved", "Sources",
    "SpanBoxes", "Stance", "StatusDetail", "StepForgotten", "StepTaken", "StopMode", "StopStrategy", "StorageUnusable",
    "StoreUnavailable", "StoredModel", "Strategy", "SupportCounts", "SupportOutcome", "SupportedBy", "Task",
    "TaskChanged", "TaskDeleted", "TaskId", "TaskNotFound", "TaskPage", "TaskProgress", "TaskResumed", "TaskShare",
    "TaskSnapshot", "TaskState", "TaskStopped", "TaskSummary", "Tasks", "Team", "TextMatch", "TextMatches",
    "TextPartStored", "TimeRange", "TimedOut", "TooLarge", "TurnState", "UnsearchedQuery", "UnsupportedMedia",
    "UnusableDocument", "UrlsQueued", "User", "UserGroup", "VectorsMade", "Verdict", "Viewable", "Viewer",
    "WaitCondition", "WatchedFolder", "Web", "WebConsent", "WebRound", "WindowResult", "WordShare", "WorkerId",
    "__version__", "open",
]
# fmt: on

# Where public names stand, below this package.
_PAGES = """
errors services.conversations services.documents services.library services.exports services.folders
services.models services.news services.questions services.references services.sessions services.tasks
services.team services.viewer services.web domain.answer_log domain.answer_news domain.codec
domain.conversation domain.corpus domain.embedding domain.event domain.folder domain.inquiry
domain.intervention domain.job domain.loop_state domain.model domain.politeness domain.proof
domain.reference domain.report domain.requirements domain.session domain.library domain.task domain.team
domain.time domain.viewing domain.web ports.queue ports.librarian
"""


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in __all__:
        raise AttributeError(f"module 'shisho' has no attribute {name!r}")
    if name == "open":
        return import_module("shisho.bootstrap.library").open_library
    return next(vars(page)[name] for page in _load_pages() if name in vars(page))


def _load_pages() -> Iterator[ModuleType]:
    return (import_module(f"{__name__}.{page}") for page in _PAGES.split())


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
