"""The record of who asked, saw and changed what: verbs and ids, and nothing that was read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shisho.domain.time import Instant


class AuditVerb(StrEnum):
    """What somebody did."""

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
    """What became of an act: done or queued; refused for want of access or of a quota; failed otherwise."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AuditAct:
    """Something that somebody did or tried to do. `subjects`: ids of what it was about, such as documents and
    runs, or names of people and corpora; never a question, a title or a file's name, so that a purge leaves
    nothing of a document here. `code`: of the error that it ended with."""

    actor: str
    verb: AuditVerb
    subjects: tuple[str, ...] = ()
    outcome: AuditOutcome = AuditOutcome.ACCEPTED
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry(AuditAct):
    """An act on record."""

    seq: int
    at: Instant
