"""The audit log: who asked, saw and changed what. It holds verbs and ids, never content."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shisho.domain.time import Instant


class AuditVerb(StrEnum):
    """An audited action."""

    ASK = "ask"
    SEARCH = "search"
    READ = "read"
    SHARE = "share"
    UNSHARE = "unshare"
    ADD = "add"
    DESCRIBE = "describe"
    FOLLOW = "follow"
    UNFOLLOW = "unfollow"
    REMOVE = "remove"
    PURGE = "purge"
    RESTORE = "restore"
    GRANT = "grant"
    REVOKE = "revoke"
    LET_IN = "let_in"
    LET_OUT = "let_out"
    RENEW = "renew"
    FOUND = "found"
    DISSOLVE = "dissolve"
    JOIN = "join"
    LEAVE = "leave"
    LIMIT = "limit"
    UNLIMIT = "unlimit"


class AuditOutcome(StrEnum):
    """The outcome of an action.

    It is accepted (done or queued), refused for lack of access or quota, or failed otherwise.
    """

    ACCEPTED = "accepted"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AuditAct:
    """An action that somebody did or tried to do.

    `subjects`: ids of its objects, such as documents and runs, or names of people and corpora; never a
    question, a title or a file name, so that a purge leaves no trace of a document here. `code`: the code of
    the error that ended it.
    """

    actor: str
    verb: AuditVerb
    subjects: tuple[str, ...] = ()
    outcome: AuditOutcome = AuditOutcome.ACCEPTED
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry(AuditAct):
    """A recorded action."""

    seq: int
    at: Instant
