"""A PostgreSQL database: a bounded connection pool, and transactions.

Each piece of work is one transaction. No session state is used, so that a transaction-level pooler may sit in
between: limits are set in each transaction, and no statement is prepared.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.rows import namedtuple_row

from shisho.errors import ShishoError
from shisho.stores.postgres.migrations import has_migrations, migrate
from shisho.stores.postgres.pool import Connection, ConnectionPool, NotConnected, TextContext
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.postgres.server_time import ServerTime
from shisho.stores.postgres.troubles import (
    WRITE_CONFLICTS,
    connection_facts,
    is_lost,
    only_reads,
    trouble,
    unknown_commit,
)
from shisho.stores.refusals import library_closed, no_value_for_storing
from shisho.stores.sql import Queries

T = TypeVar("T")
Work = Callable[[Connection], T]

WRITERS = 4
READERS = 4
OTHER_THREADS = 4  # further threads: notification sender, dead-worker check
TRIES = 5  # attempts for work that conflicted with other work, or lost its connection before its commit
CONNECT_SECONDS = 5
# Detect a broken network connection within half a minute; the system default is a quarter of an hour.
NOTICE_BREAKS: dict[str, Any] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
# Limits of a writing transaction: statement time, wait for row locks, and idle time within it.
LIMITS = """SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '10s';
    SET LOCAL idle_in_transaction_session_timeout = '10s'"""
# Begin a writing transaction.
BEGIN = f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {LIMITS}"
# Begin a writing transaction that a crash of the server may undo.
BEGIN_PASSING = f"{BEGIN}; SET LOCAL synchronous_commit = off"
# Autocommit: the server makes each statement a transaction.
NO_BEGIN = ""
# Begin a read-only transaction: all statements see one snapshot.
BEGIN_READING = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {LIMITS}"
# Check whether this user may write.
MAY_WRITE = "SELECT has_table_privilege('jobs', 'INSERT') AND has_table_privilege('jobs', 'UPDATE') AS yes"


class PostgresDatabase:
    """A PostgreSQL database, used by functions that run in a transaction or a snapshot.

    `await write(f)` runs f in a transaction and returns after the commit; `await read(f)` runs f in a
    snapshot. `url` is a PostgreSQL connection string. The object can be created while the server is
    unreachable: calls then raise StoreUnavailable or StorageUnusable, and each call tries to connect again.
    """

    def __init__(self, url: str) -> None:
        self.facts = connection_facts(url)
        self._connect: Callable[[], Connection] = partial(
            psycopg.connect,
            url,
            autocommit=True,
            prepare_threshold=None,
            context=TextContext(),
            row_factory=namedtuple_row,
            connect_timeout=CONNECT_SECONDS,
            application_name="shisho",
            **NOTICE_BREAKS,
        )
        self._pool = ConnectionPool(self._connect, WRITERS + READERS + OTHER_THREADS)
        self._opening = threading.Lock()
        self._noting = threading.Lock()
        self._opened = threading.Event()
        self._closing = threading.Event()
        self._time = ServerTime()
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="shisho-pg-write")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="shisho-pg-read")

    async def write(self, work: Work[T], *, lasting: bool = True) -> T:
        """Run `work` in a transaction, and return its result after the commit.

        `work` runs again if it conflicted with other work, or if its connection was lost before the commit,
        so it must have no side effects outside the database. If not `lasting`, a crash of the server may undo
        it, unless something lasting was written after it.

        Raises: what `work` raises (its changes are rolled back); StoreUnavailable if the server cannot be
        reached, or if the outcome of the commit is unknown; Conflict, StorageUnusable.
        """
        return await self._run_in_writer(partial(self.commit, work, lasting=lasting))

    async def execute(self, work: Work[T]) -> T:
        """Run one statement in autocommit mode: a third of the round trips of `write`.

        If the connection is lost, the statement is repeated although it may have been committed: use this
        only for statements that can be repeated.
        """
        return await self._run_in_writer(partial(self._commit, NO_BEGIN, work))

    async def _run_in_writer(self, commit: Callable[[], T]) -> T:
        self._check_open()
        running = asyncio.get_running_loop().run_in_executor(self._writers, commit)
        # A cancelled caller will not retrieve the result or exception.
        running.add_done_callback(lambda done: done.cancelled() or done.exception())
        # The work is running and may be committed: a cancelled caller must not assume that it was rolled
        # back.
        return await asyncio.shield(running)

    async def read(self, work: Work[T]) -> T:
        """Run `work` in a thread, with all its queries on one snapshot.

        Raises: StorageUnusable, StoreUnavailable, Conflict.
        """
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.snapshot, work)

    def _check_open(self) -> None:
        if self.is_closed:
            raise library_closed()

    def snapshot(self, work: Work[T]) -> T:
        """Do the same as `read`, for code that already runs in a thread."""
        return self._attempt(BEGIN_READING, work)

    def commit(self, work: Work[T], *, lasting: bool = True) -> T:
        """Do the same as `write`, for code that already runs in a thread."""
        return self._commit(BEGIN if lasting else BEGIN_PASSING, work)

    def _commit(self, begin: str, work: Work[T]) -> T:
        if self._time.is_due and self._noting.acquire(blocking=False):
            try:
                self._attempt(BEGIN_PASSING, self._time.note)
            finally:
                self._noting.release()
        return self._attempt(begin, work)

    def run(self, work: Work[T]) -> T:
        """Run `work` in autocommit mode without retries, for code that already runs in a thread.

        Raises: StorageUnusable, StoreUnavailable, Conflict.
        """
        with self._translate_errors():
            self._open()
            with self._pool.borrow() as connection:
                return work(connection)

    async def migrate(self) -> list[str]:
        """Migrate the schema to this version, and return the names of the scripts that were run.

        Raises: StorageUnusable, StoreUnavailable, Conflict.
        """

        def run() -> list[str]:
            with self._translate_errors(), self._opening, self._connect() as connection:
                return migrate(connection, self.facts)

        return await asyncio.to_thread(run)

    async def has_schema(self) -> bool:
        """Return True if the database already has a library's schema; any other use creates one.

        Raises: StorageUnusable, StoreUnavailable.
        """

        def run() -> bool:
            with self._translate_errors(), self._connect() as connection:
                return has_migrations(connection)

        return await asyncio.to_thread(run)

    def open_connection(self) -> Connection:
        """Open a connection outside the pool, which the caller must close.

        Raises: StorageUnusable, StoreUnavailable, Conflict.
        """
        with self._translate_errors():
            self._open()
            return self._connect()

    def read_timeline(self) -> float:
        """Return the current time of the timeline that all waits use, in seconds since 1970.

        It is the same for all machines that share the database.
        """
        if not self._time.is_known:
            self.snapshot(self._time.sample)
        return self._time.read_timeline()

    async def check_ready(self) -> None:
        """Check that data can be stored now. Raises StorageUnusable, StoreUnavailable, Conflict."""
        (row,) = await self.write(lambda connection: connection.execute(MAY_WRITE).fetchall())
        if not row.yes:
            raise only_reads(self.facts)

    async def examine(self) -> None:
        """Connect to the server and migrate the schema; errors are left for later calls to report."""
        with suppress(ShishoError):
            await self.check_ready()

    @property
    def is_closed(self) -> bool:
        """True from the moment it begins to close."""
        return self._closing.is_set()

    async def close(self) -> None:
        """Wait for running work, then end the threads and connections."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._closing.set()
        self._writers.shutdown(wait=True)
        self._readers.shutdown(wait=True)
        self._pool.close()

    def _open(self) -> None:
        """Migrate the schema, once for each database."""
        if self._opened.is_set():
            return
        with self._opening:
            if not self._opened.is_set():
                with self._connect() as connection:
                    migrate(connection, self.facts)
                self._opened.set()

    def _attempt(self, begin: str, work: Work[T]) -> T:
        with self._translate_errors():
            self._open()
            for _ in range(TRIES - 1):
                try:
                    return self._attempt_once(begin, work)
                except WRITE_CONFLICTS:
                    continue
                except psycopg.OperationalError as error:
                    if isinstance(error, NotConnected) or not is_lost(error):
                        raise
                    self._pool.forget_idle()
            return self._attempt_once(begin, work)

    def _attempt_once(self, begin: str, work: Work[T]) -> T:
        with self._pool.borrow() as connection:
            if begin is NO_BEGIN:
                return work(connection)
            connection.execute(begin)
            try:
                result = work(connection)
            except BaseException:
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
                raise
            try:
                connection.execute("COMMIT")
            except psycopg.OperationalError as error:
                if is_lost(error) and begin is not BEGIN_READING:
                    raise unknown_commit(self.facts) from error
                raise
            return result

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (errors.NumericValueOutOfRange, UnicodeEncodeError) as error:
            raise no_value_for_storing() from error
        except psycopg.Error as error:
            raise trouble(error, self.facts) from error


# Try to lock a name until the connection ends.
TAKE = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0)) AS is_taken"


class PostgresTurn:
    """`ports.FollowerTurn` on a separate connection, which no pooler may share."""

    def __init__(self, database: PostgresDatabase, name: str) -> None:
        self._database = database
        self._name = name
        self._connection: Connection | None = None

    def take(self) -> bool:
        with suppress(ShishoError, psycopg.Error):
            if self._connection is None:
                self._connection = self._database.open_connection()
            row = self._connection.execute(TAKE, (self._name,)).fetchone()
            if row is not None and row.is_taken:
                return True
        self.end()
        return False

    def end(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def find_holder(self) -> int | None:
        """Return None: process IDs of other machines mean nothing here."""
        return None


class PostgresQueryStore:
    """`stores.sql.QueryStore` over one PostgreSQL database."""

    spans_machines = True

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def write(self, work: Callable[[Queries], T], *, lasting: bool = True) -> T:
        return await self._database.write(
            lambda connection: work(PostgresQueries(connection)), lasting=lasting
        )

    async def read(self, work: Callable[[Queries], T]) -> T:
        return await self._database.read(lambda connection: work(PostgresQueries(connection)))
