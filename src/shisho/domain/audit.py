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


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act. `subjects`: ids of what it was about, such as documents and runs, or names of people and
    corpora; never a question, a title or a file's name, so that a purge leaves nothing of a document here."""

    seq: int
    at: Instant
    actor: str
    verb: AuditVerb
    subjects: tuple[str, ...]
