"""PostgreSQL errors as messages to people: what happened, whether to retry, what to do."""

from __future__ import annotations

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from shisho.errors import Conflict, InvalidParams, ShishoError, StorageUnusable, StoreUnavailable, TimedOut
from shisho.messages import list_variables
from shisho.records import dataclass

# conflicts with another transaction, which can be retried
WRITE_CONFLICTS = (errors.SerializationFailure, errors.DeadlockDetected)
# the server is stopping or starting, or has closed this connection
SERVER_ENDS = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.IdleInTransactionSessionTimeout,
)
# words of errors before a connection exists, which have no code
REFUSALS = ("authentication failed", "does not exist", "no pg_hba.conf entry", "is not permitted to log in")

REFUSED = "postgres.denied"
UNREACHABLE = "postgres.unreachable"


@dataclass(frozen=True, slots=True)
class ConnectionFacts:
    """The parts of a connection string that may be shown: never its password."""

    server: str
    database: str


def connection_facts(url: str) -> ConnectionFacts:
    """Parse a connection string. Raises InvalidParams if it is invalid."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise InvalidParams("postgres.bad_address") from error
    host = str(parts.get("host") or "localhost")
    port = str(parts.get("port") or 5432)
    return ConnectionFacts(f"{host}:{port}", str(parts.get("dbname") or parts.get("user") or "postgres"))


def is_lost(error: psycopg.Error) -> bool:
    """Return True if the error means a lost connection, not a failed statement."""
    return isinstance(error, SERVER_ENDS) or (
        isinstance(error, psycopg.OperationalError) and error.sqlstate is None
    )


def unknown_commit(facts: ConnectionFacts) -> StoreUnavailable:
    """Return the error for a connection that was lost during the commit."""
    return StoreUnavailable(
        "postgres.connection_lost",
        server=facts.server,
    )


# The error and message for each class of server errors.
MEANINGS: tuple[tuple[tuple[type[psycopg.Error], ...], type[ShishoError], str], ...] = (
    (
        WRITE_CONFLICTS,
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
    """Return the error for a user without write permission."""
    return StorageUnusable(
        "postgres.read_only",
        database=facts.database,
        server=facts.server,
    )


def trouble(error: psycopg.Error, facts: ConnectionFacts) -> Exception:
    """Translate a server error for people; return unrelated errors unchanged."""
    for classes, kind, message in MEANINGS:
        if isinstance(error, classes):
            return _build_error(kind, message, error, facts)
    if error.sqlstate is None and any(words in str(error) for words in REFUSALS):
        return _build_error(StorageUnusable, REFUSED, error, facts)
    return _build_error(StoreUnavailable, UNREACHABLE, error, facts) if is_lost(error) else error


def _build_error(
    kind: type[ShishoError], message: str, error: psycopg.Error, facts: ConnectionFacts
) -> ShishoError:
    first, _, _ = str(error).strip().partition("\n")
    reason = first.rpartition("FATAL: ")[2].strip().rstrip(".")
    values = {"server": facts.server, "database": facts.database, "reason": reason}
    return kind(message, **{name: value for name, value in values.items() if name in list_variables(message)})
