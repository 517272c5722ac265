"""People who share a library: users, their groups, and who may read or add to whose corpus."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from shisho.domain.time import Instant

BETWEEN = "@"
"""Stands between the name of a corpus and its owner where another person speaks of it."""


class Access(StrEnum):
    """The rights of a person in a corpus. Who may write may read; what is one's own is granted by nobody."""

    READ = "read"
    WRITE = "write"
    OWN = "own"

    @property
    def is_writable(self) -> bool:
        return self is not Access.READ


class GranteeKind(StrEnum):
    """The receiver of a grant: one user, or all members of a group."""

    USER = "user"
    GROUP = "group"


class CorpusKey(NamedTuple):
    """A corpus, whoever speaks of it."""

    owner: str
    name: str

    def address(self, reader: str) -> str:
        """What a reader calls it: its name where it is theirs, `name@owner` else."""
        return self.name if self.owner == reader else f"{self.name}{BETWEEN}{self.owner}"


class Grantee(NamedTuple):
    """A user or a group that corpora are granted to."""

    kind: GranteeKind
    name: str


@dataclass(frozen=True, slots=True)
class CorpusGrant:
    """A corpus is granted to a user or a group."""

    corpus: CorpusKey
    grantee: Grantee
    access: Access
    granted_at: Instant


@dataclass(frozen=True, slots=True)
class ReachableCorpus:
    """A corpus that a reader may search, and the most that they may do with it."""

    corpus: CorpusKey
    access: Access


@dataclass(frozen=True, slots=True)
class TokenHashes:
    """The stored hashes of a user's token: the hash of itself and of the cookie that a browser gets for
    it."""

    token: str
    cookie: str


def hash_token(token: str) -> TokenHashes:
    """The stored hash of a token. Tokens are long and random, so that a plain hash keeps them."""
    return TokenHashes(digest_of(token), digest_of(cookie_of(token)))


def cookie_of(token: str) -> str:
    """The cookie that a browser gets for a token, which cannot be told from it, nor from what is stored."""
    return hmac.new(token.encode(), b"shisho reading room", hashlib.sha256).hexdigest()


def digest_of(word: str) -> str:
    """The hash of a token or a cookie."""
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token in clear, as it is shown once and never again."""

    user: str
    token: str


@dataclass(frozen=True, slots=True)
class User:
    """A person who has been let in. `removed_at`: may not come in since; what is theirs stays, and they can
    be let in again."""

    name: str
    groups: tuple[str, ...]
    has_token: bool
    created_at: Instant
    removed_at: Instant | None = None


@dataclass(frozen=True, slots=True)
class UserGroup:
    """Users to whom corpora are granted together."""

    name: str
    members: tuple[str, ...]


class TaskShare(NamedTuple):
    """A task, or an answer that no task has made, which the members of a group may read."""

    shared_id: str
    group: str
    owner: str
    shared_at: Instant
