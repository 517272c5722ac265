"""Troubles of PostgreSQL, as visitors are told them: what happened, whether to try again, what to do."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from shisho.errors import Conflict, InvalidParams, ShishoError, StorageUnusable, StoreUnavailable, TimedOut
from shisho.messages.message import list_variables

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

REFUSED = "postgres.denied"
UNREACHABLE = "postgres.unreachable"


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
        raise InvalidParams("postgres.bad_address") from error
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
        "postgres.connection_lost",
        server=facts.server,
    )


# what a class of the server's errors means to a visitor: the error, and what is said
MEANINGS: tuple[tuple[tuple[type[psycopg.Error], ...], type[ShishoError], str], ...] = (
    (
        RAN_INTO_ANOTHER,
        Conflict,
        "postgres.write_conflict",
    ),
    ((errors.LockNotAvailable,), Conflict, "postgres.locked"),
    (
        (errors.QueryCanceled,),
        TimedOut,
        "postgres.timeout",
    ),
    (
        (errors.DiskFull,),
        Conflict,
        "postgres.disk_full",
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        StoreUnavailable,
        "postgres.standby",
    ),
    (
        (errors.TooManyConnections,),
        StoreUnavailable,
        "postgres.too_many_connections",
    ),
    (
        (errors.DataCorrupted, errors.IndexCorrupted),
        StorageUnusable,
        "postgres.damaged",
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
        "postgres.read_only",
        database=facts.database,
        server=facts.server,
    )


def trouble(error: psycopg.Error, facts: ConnectionFacts) -> Exception:
    """The error as visitors are told it; one that has nothing to do with the server as it is."""
    for classes, kind, message in MEANINGS:
        if isinstance(error, classes):
            return _said(kind, message, error, facts)
    if error.sqlstate is None and any(words in str(error) for words in REFUSALS):
        return _said(StorageUnusable, REFUSED, error, facts)
    return _said(StoreUnavailable, UNREACHABLE, error, facts) if is_lost(error) else error


def _said(kind: type[ShishoError], message: str, error: psycopg.Error, facts: ConnectionFacts) -> ShishoError:
    first, _, _ = str(error).strip().partition("\n")
    reason = first.rpartition("FATAL: ")[2].strip().rstrip(".")
    values = {"server": facts.server, "database": facts.database, "reason": reason}
    return kind(message, **{name: value for name, value in values.items() if name in list_variables(message)})
