"""People who share a library: users, groups, and their access to each other's corpora."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from shisho.domain.time import Instant

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
