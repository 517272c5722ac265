"""A bounded pool of connections to one PostgreSQL server.

psycopg's own pool makes connections in the background: while a server is away its callers wait out a timeout
and are not told why, and after it is back they wait for the next attempt.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from shisho.errors import StoreUnavailable
from shisho.telemetry import measure

Connection = psycopg.Connection[Any]
"""Its rows are read by the names of their columns."""
WAIT_SECONDS = 30.0  # for a connection that others use
LIFE_SECONDS = 1800.0  # so that those to a server that others should take over end in time


class NotConnected(psycopg.OperationalError):
    """No connection could be made; nothing was done."""


class ConnectionPool:
    """Lends each connection to one at a time; the one given back last is lent first."""

    def __init__(self, connect: Callable[[], Connection], size: int) -> None:
        self._connect = connect
        self._places = threading.BoundedSemaphore(size)
        self._idle: list[tuple[Connection, float]] = []
        self._changing = threading.Lock()
        self._is_closed = False

    @contextmanager
    def borrow(self) -> Iterator[Connection]:
        """A connection in no transaction. Raises NotConnected; StoreUnavailable where all are in use for
        long."""
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
                self._give_back(connection, since)
        finally:
            self._places.release()

    def forget_idle(self) -> None:
        """Ends those that nobody uses: where the server has ended one, it has ended all."""
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

    def _give_back(self, connection: Connection, since: float) -> None:
        is_idle = not connection.closed and connection.info.transaction_status is TransactionStatus.IDLE
        if not is_idle or self._is_closed or time.monotonic() - since > LIFE_SECONDS:
            connection.close()
            return
        with self._changing:
            self._idle.append((connection, since))
