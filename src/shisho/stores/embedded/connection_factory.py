"""The current usability of a database: writable, read-only, or unusable.

Obstacles can disappear, so each call tries again; damage is permanent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from shisho.domain.time import Anchor, set_anchor
from shisho.errors import Conflict, ShishoError
from shisho.stores.embedded import home
from shisho.stores.embedded.rows import fetch_first
from shisho.stores.embedded.writer_lock import WriterLock
from shisho.system.clock import identify_start, measure_since_start
from shisho.telemetry import log

LOOK_SECONDS = 0.3  # to check for damage before the first write: enough for the whole of a small library
STEPS = 10_000  # SQLite VM instructions between two checks of the time
# Read the anchor of the timeline.
READ_TIMELINE = "SELECT boot, at, monotonic, noted FROM timeline"
# Store a new anchor.
KEEP = """INSERT INTO timeline(one, boot, at, monotonic, noted) VALUES (1, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET boot = excluded.boot, at = excluded.at, monotonic = excluded.monotonic,
        noted = excluded.noted"""
NOT_WRITABLE = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)
# Record the current time of the timeline.
NOTE = "UPDATE timeline SET noted = max(noted, ?)"


class ConnectionFactory:
    """Opens connections to one database. Its methods raise ShishoError or apsw.Error."""

    def __init__(self, path: Path, writer_lock: WriterLock) -> None:
        self.path = path
        self.migrated: list[str] = []
        """Schema scripts that were run since the database was first opened."""
        self._writer_lock = writer_lock
        self._opening = threading.Lock()
        self._spare: apsw.Connection | None = None
        self._no_writing: Exception | None = None
        self._no_reading: Exception | None = None
        self._damage: ShishoError | None = None
        self._looked = False
        self._left = False
        self._noted = time.monotonic()
        self._anchor = set_anchor(None, identify_start(), time.time(), measure_since_start())
        # True if no process can write next to the file, so that it is opened as immutable.
        self._is_unchanging = False

    def open(self) -> None:
        """Determine how the database can be used. Raises nothing: later calls raise the reason."""
        with self._opening:
            self._no_writing = None
            self._no_reading = None
            self._is_unchanging = False
            try:
                self._open_for_writing()
            except Exception as error:
                self._no_writing = home.trouble(error, self.path)
                log.debug("%s cannot be written: %s", self.path, self._no_writing)
                self._no_reading = self._open_for_reading()
                if self._no_reading is None and isinstance(error, NOT_WRITABLE):
                    self._no_writing = home.read_only(self.path)

    @property
    def is_read_only(self) -> bool:
        """True if the database can only be read.

        A connection must then be closed after each read: while one is open, SQLite keeps the read-only files
        that it opened next to the database, and no other connection of this process could write.
        """
        return self._no_writing is not None

    def open_writer(self) -> apsw.Connection:
        """Open a connection that can write."""
        if self._damage is not None:
            raise self._damage
        if self._no_writing is not None:
            self.open()
        if self._no_writing is not None:
            raise self._no_writing
        with self._opening:
            spare = self._spare
            self._spare = None
        return spare or home.connect(self.path, readonly=False)

    def open_reader(self) -> apsw.Connection:
        """Open a read-only connection."""
        if self._no_reading is not None or (self._is_unchanging and home.has_log(self.path)):
            self.open()
        if self._no_reading is not None:
            raise self._no_reading
        return home.connect(self.path, readonly=True, unchanging=self._is_unchanging)

    def expect_undamaged(self, connection: apsw.Connection) -> apsw.Connection:
        """Return the connection if there is no known damage; check briefly before the first write."""
        if not self._looked:
            self._looked = True
            ends = time.monotonic() + LOOK_SECONDS
            self._look(connection, lambda: time.monotonic() > ends)
        if self._damage is not None:
            raise self._damage
        return connection

    def examine(self) -> None:
        """Check the whole file for damage, until `close`."""
        with closing(self.open_reader()) as connection:
            self._look(connection, lambda: self._left)

    def refuse(self, damage: ShishoError) -> None:
        """Refuse all further writes."""
        self._damage = self._damage or damage

    def close(self) -> None:
        """Stop checking, and close the spare connection."""
        self._left = True
        with self._opening:
            if self._spare is not None:
                self._spare.close()
                self._spare = None

    def read_timeline(self) -> float:
        """Return the current time of the timeline, in seconds since 1970."""
        return self._anchor.read_at(measure_since_start())

    @property
    def unsaved_s(self) -> float:
        """Seconds since the timeline was last stored."""
        return time.monotonic() - self._noted

    def note(self, connection: apsw.Connection) -> None:
        """Store the current time of the timeline in the running transaction."""
        connection.execute(NOTE, (self.read_timeline(),))
        self._noted = time.monotonic()

    def _look(self, connection: apsw.Connection, is_enough: Callable[[], bool]) -> None:
        connection.set_progress_handler(is_enough, STEPS)
        try:
            verdict = str(connection.execute("PRAGMA quick_check(1)").get)
            if verdict != "ok":
                self.refuse(home.damaged(self.path, verdict))
        except apsw.InterruptError:
            pass
        except (apsw.CorruptError, apsw.NotADBError) as error:
            self.refuse(home.damaged(self.path, error))
        finally:
            connection.set_progress_handler(None)

    def _open_for_writing(self) -> None:
        try:
            home.make(self.path)
        except OSError as error:
            told_error = home.trouble(error, self.path)
            raise (
                told_error if isinstance(told_error, Conflict) else home.no_home(self.path, error)
            ) from error
        connection = home.connect(self.path, readonly=False)
        try:
            if connection.readonly("main"):
                raise home.read_only(self.path)
            # readers must not wait for writers
            if home.list_missing_migrations(connection, self.path):
                with self._writer_lock.take():
                    self.migrated += home.migrate(connection, self.path)
            self._anchor = self._share_anchor(connection)
        except BaseException:
            connection.close()
            raise
        self._spare = connection

    def _open_for_reading(self) -> Exception | None:
        """Try to open for reading; return the error if that fails too."""
        error = self._try_to_read()
        if error is not None and not home.has_log(self.path):
            self._is_unchanging = True
            error = self._try_to_read()
        return error and self._no_writing

    def _try_to_read(self) -> Exception | None:
        try:
            with closing(
                home.connect(self.path, readonly=True, unchanging=self._is_unchanging)
            ) as connection:
                if home.list_missing_migrations(connection, self.path):
                    return home.read_only(self.path)
                self._anchor = set_anchor(
                    _read_anchor(connection), identify_start(), time.time(), measure_since_start()
                )
        except (ShishoError, apsw.Error) as error:
            return error
        return None

    def _share_anchor(self, connection: apsw.Connection) -> Anchor:
        """Return the anchor that all processes share; store it if it is new."""
        anchor, is_new = self._find_anchor(connection)
        if not is_new:
            return anchor
        with self._writer_lock.take(), connection:
            anchor, is_new = self._find_anchor(connection)
            if is_new:
                connection.execute(KEEP, (anchor.boot, anchor.at, anchor.monotonic, anchor.noted))
        return anchor

    def _find_anchor(self, connection: apsw.Connection) -> tuple[Anchor, bool]:
        stored = _read_anchor(connection)
        anchor = set_anchor(stored, identify_start(), time.time(), measure_since_start())
        return anchor, anchor != stored


def _read_anchor(connection: apsw.Connection) -> Anchor | None:
    row = fetch_first(connection.execute(READ_TIMELINE))
    return None if row is None else Anchor(row.boot, row.at, row.monotonic, row.noted)
