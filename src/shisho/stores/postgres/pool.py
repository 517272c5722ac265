"""A bounded pool of connections to one PostgreSQL server.

psycopg's own pool connects in the background: while a server is down its callers wait for a timeout without
learning the reason, and after the server is back they wait for the next attempt.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.adapt import AdaptersMap
from psycopg.pq import TransactionStatus
from psycopg.types.string import StrDumperUnknown

from shisho.errors import StoreUnavailable
from shisho.stores.nouns import replace_nul
from shisho.telemetry import measure

Connection = psycopg.Connection[Any]
"""A connection whose rows are named tuples."""
WAIT_SECONDS = 30.0  # to wait for a connection while all are in use
LIFE_SECONDS = 1800.0  # so that connections to a server that is being replaced expire


class NotConnected(psycopg.OperationalError):
    """No connection could be opened; nothing was done."""


class ConnectionPool:
    """A pool that lends each connection to one caller at a time, last returned first."""

    def __init__(self, connect: Callable[[], Connection], size: int) -> None:
        self._connect = connect
        self._places = threading.BoundedSemaphore(size)
        self._idle: list[tuple[Connection, float]] = []
        self._changing = threading.Lock()
        self._is_closed = False

    @contextmanager
    def borrow(self) -> Iterator[Connection]:
        """Borrow a connection that is in no transaction.

        Raises: NotConnected; StoreUnavailable if all are in use for `WAIT_SECONDS`.
        """
        began = time.monotonic()
        has_place = self._places.acquire(timeout=WAIT_SECONDS)
        measure("pool_wait_seconds", time.monotonic() - began)
        if not has_place:
            raise StoreUnavailable("postgres.pool_exhausted")
        try:
            connection, since = self._take()
            try:
                yield connection
            finally:
                self._return_connection(connection, since)
        finally:
            self._places.release()

    def forget_idle(self) -> None:
        """Close idle connections: if the server has closed one, it has closed all."""
        with self._changing:
            idle = self._idle
            self._idle = []
        for connection, _ in idle:
            connection.close()

    def close(self) -> None:
        self._is_closed = True
        self.forget_idle()

    def _take(self) -> tuple[Connection, float]:
        with self._changing:
            if self._idle:
                return self._idle.pop()
        try:
            return self._connect(), time.monotonic()
        except psycopg.OperationalError as error:
            raise NotConnected(*error.args) from error

    def _return_connection(self, connection: Connection, since: float) -> None:
        is_idle = not connection.closed and connection.info.transaction_status is TransactionStatus.IDLE
        if not is_idle or self._is_closed or time.monotonic() - since > LIFE_SECONDS:
            connection.close()
            return
        with self._changing:
            self._idle.append((connection, since))


if TYPE_CHECKING:
    from psycopg.abc import Buffer


class NulFreeDumper(StrDumperUnknown):
    """A dumper that replaces NUL characters."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(replace_nul(obj))


class TextContext:
    """The `context` of a connection that sends text without NUL."""

    connection: psycopg.Connection[Any] | None = None

    def __init__(self) -> None:
        self.adapters = AdaptersMap(psycopg.adapters)
        self.adapters.register_dumper(str, NulFreeDumper)
