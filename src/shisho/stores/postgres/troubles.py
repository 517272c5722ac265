"""Troubles of PostgreSQL, as visitors are told them: what happened, whether to try again, what to do."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from shisho.errors import Conflict, InvalidParams, ShishoError, StorageUnusable, StoreUnavailable, TimedOut

# what may simply be done again: the transaction was undone because of another one
RAN_INTO_ANOTHER = (errors.SerializationFailure, errors.DeadlockDetected)
# the server ends or begins, or ended this connection
SERVER_ENDS = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.IdleInTransactionSessionTimeout,
)
# words of a refusal before there is a connection, which comes without a code
REFUSALS = ("authentication failed", "does not exist", "no pg_hba.conf entry", "is not permitted to log in")

REFUSED = (
    "PostgreSQL at {server} does not let Shisho use the database {database}: {reason}. Mend the setting store, or make "
    "the user and the database."
)
UNREACHABLE = (
    "PostgreSQL at {server} cannot be reached. Try again; if that lasts, see that it runs and that the setting store "
    "names it."
)


@dataclass(frozen=True, slots=True)
class ConnectionFacts:
    """The parts of a connection string that may be shown: never its password."""

    server: str
    database: str


def connection_facts(url: str) -> ConnectionFacts:
    """Raises InvalidParams for what is no connection string."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise InvalidParams(
            "The setting store is no address of PostgreSQL. It looks like postgresql://user:password@host:5432/shisho."
        ) from error
    host = str(parts.get("host") or "localhost")
    port = str(parts.get("port") or 5432)
    return ConnectionFacts(f"{host}:{port}", str(parts.get("dbname") or parts.get("user") or "postgres"))


def is_lost(error: psycopg.Error) -> bool:
    """True where the error says that the connection is gone, not that the statement was wrong."""
    return isinstance(error, SERVER_ENDS) or (
        isinstance(error, psycopg.OperationalError) and error.sqlstate is None
    )


def unknown_commit(facts: ConnectionFacts) -> StoreUnavailable:
    """The error where the server went away while it committed."""
    return StoreUnavailable(
        "The connection to PostgreSQL at {server} broke off while something was being stored, so it may be stored or not. "
        "Look whether it is there, then try again.",
        server=facts.server,
    )


# what a class of the server's errors means to a visitor: the error, and what is said
MEANINGS: tuple[tuple[tuple[type[psycopg.Error], ...], type[ShishoError], str], ...] = (
    (
        RAN_INTO_ANOTHER,
        Conflict,
        "Others were storing the same at that moment, again and again. Try again.",
    ),
    ((errors.LockNotAvailable,), Conflict, "Others hold in PostgreSQL what this needs. Try again."),
    (
        (errors.QueryCanceled,),
        TimedOut,
        "PostgreSQL at {server} took too long. Try again; if that lasts, see what it does (pg_stat_activity).",
    ),
    (
        (errors.DiskFull,),
        Conflict,
        "The disk of PostgreSQL at {server} is full: nothing was stored. Free some space and try again.",
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        StoreUnavailable,
        "PostgreSQL at {server} only follows another server just now. Try again; if that lasts, name the leading one "
        "in the setting store.",
    ),
    (
        (errors.TooManyConnections,),
        StoreUnavailable,
        "PostgreSQL at {server} takes no more connections. Try again; if that lasts, raise its max_connections or put a "
        "pooler before it.",
    ),
    (
        (errors.DataCorrupted, errors.IndexCorrupted),
        StorageUnusable,
        "The database {database} on {server} is damaged ({reason}). Restore a backup.",
    ),
    (
        (
            errors.InvalidPassword,
            errors.InvalidAuthorizationSpecification,
            errors.InvalidCatalogName,
            errors.InsufficientPrivilege,
        ),
        StorageUnusable,
        REFUSED,
    ),
)


def only_reads(facts: ConnectionFacts) -> StorageUnusable:
    """The error where the user may change nothing."""
    return StorageUnusable(
        "The user of the setting store may only read the database {database} on {server}. Let that user write, or "
        "name another one.",
        database=facts.database,
        server=facts.server,
    )


def trouble(error: psycopg.Error, facts: ConnectionFacts) -> Exception:
    """The error as visitors are told it; one that has nothing to do with the server as it is."""
    for classes, kind, template in MEANINGS:
        if isinstance(error, classes):
            return _said(kind, template, error, facts)
    if error.sqlstate is None and any(words in str(error) for words in REFUSALS):
        return _said(StorageUnusable, REFUSED, error, facts)
    return _said(StoreUnavailable, UNREACHABLE, error, facts) if is_lost(error) else error


def _said(
    kind: type[ShishoError], template: str, error: psycopg.Error, facts: ConnectionFacts
) -> ShishoError:
    first, _, _ = str(error).strip().partition("\n")
    reason = first.rpartition("FATAL: ")[2].strip().rstrip(".")
    values = {"server": facts.server, "database": facts.database, "reason": reason}
    return kind(template, **{name: value for name, value in values.items() if f"{{{name}}}" in template})
