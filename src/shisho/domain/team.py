"""People who share a library: users, groups, grants, quotas, and the audit log."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from shisho.domain.time import Instant, add_seconds
from shisho.records import dataclass

BETWEEN = "@"
"""Separates a corpus's name from its owner's, in names that other people use."""


class Access(StrEnum):
    """The rights of a person in a corpus.

    Writers may read. Owners need no grant.
    """

    READ = "read"
    WRITE = "write"
    OWN = "own"

    @property
    def is_writable(self) -> bool:
        return self is not Access.READ


class GranteeKind(StrEnum):
    """The kind of a grantee: one user, or all members of a group."""

    USER = "user"
    GROUP = "group"


class CorpusKey(NamedTuple):
    """A corpus, independent of the reader."""

    owner: str
    name: str

    def format_address(self, reader: str) -> str:
        """Return a reader's name for it: its plain name if they own it, else `name@owner`."""
        return self.name if self.owner == reader else f"{self.name}{BETWEEN}{self.owner}"


class Grantee(NamedTuple):
    """A user or a group with access to corpora."""

    kind: GranteeKind
    name: str


@dataclass(frozen=True, slots=True)
class CorpusGrant:
    """The access of a user or group to a corpus."""

    corpus: CorpusKey
    grantee: Grantee
    access: Access
    granted_at: Instant


@dataclass(frozen=True, slots=True)
class ReachableCorpus:
    """A corpus that a reader may search, and their highest access to it."""

    corpus: CorpusKey
    access: Access


@dataclass(frozen=True, slots=True)
class TokenHashes:
    """The stored hashes of a user's token and of the browser cookie derived from it."""

    token: str
    cookie: str


def hash_token(token: str) -> TokenHashes:
    """Return the stored hashes of a token. Tokens are long and random, so a plain hash is safe."""
    return TokenHashes(hash_secret(token), hash_secret(derive_cookie(token)))


def derive_cookie(token: str) -> str:
    """Return the browser cookie of a token.

    The token cannot be derived from it, and it cannot be derived from the stored hashes.
    """
    return hmac.new(token.encode(), b"shisho reading room", hashlib.sha256).hexdigest()


def hash_secret(word: str) -> str:
    """Return the hash of a token or a cookie."""
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token in clear text, shown once."""

    user: str
    token: str


@dataclass(frozen=True, slots=True)
class User:
    """A user of the library.

    `removed_at`: access ended then; their data stays, and they can be added again.
    """

    name: str
    groups: tuple[str, ...]
    has_token: bool
    created_at: Instant
    removed_at: Instant | None = None


@dataclass(frozen=True, slots=True)
class UserGroup:
    """A group of users to whom corpora are granted together."""

    name: str
    members: tuple[str, ...]


class TaskShare(NamedTuple):
    """A task, or an answer without a task, that the members of a group may read."""

    shared_id: str
    group: str
    owner: str
    shared_at: Instant


MAX_PER_DAY = 1_000_000_000_000
DAY_SECONDS = 86_400


class QuotaResource(StrEnum):
    """The counted resources.

    Accepted jobs, pages requested from the web, and tokens that models have read and written.
    """

    JOBS = "jobs"
    PAGES = "pages"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Quota:
    """A daily ceiling, and the amount used on that day (UTC, by the clock of the database).

    It is free again at `free_at`.
    """

    grantee: Grantee
    resource: QuotaResource
    per_day: int
    used: int
    day: str

    @property
    def free_at(self) -> Instant:
        """The beginning of the next day."""
        return add_seconds(Instant(f"{self.day}T00:00:00+00:00"), DAY_SECONDS)

    def has_room(self, amount: int) -> bool:
        """Return whether this much more may be used today."""
        return self.used + amount <= self.per_day

    def begin_day(self, today: str) -> Quota:
        """Return the quota for a day, with the usage of earlier days dropped.

        No day is repeated, even if a clock is set back.
        """
        return self if self.day >= today else replace(self, day=today, used=0)


@dataclass(frozen=True, slots=True)
class QuotaCharge:
    """The amounts charged to quotas, so that unused parts can be refunded to the same ones."""

    charged: tuple[Quota, ...]
    amount: int


def find_full(quotas: Iterable[Quota], amount: int) -> Quota | None:
    """Return the first quota that has no room for this much more."""
    return next((quota for quota in quotas if not quota.has_room(amount)), None)


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
