"""Change notifications across the processes that share one SQLite file.

While there are listeners, a thread checks every 20 ms whether another connection has committed, and reads
which tasks have new events. The longer nothing happens, the less often it checks. It asks SQLite only if the
log was written since or after a while, so that an idle server costs nearly nothing.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from shisho.ports import Subscription
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import fetch_all
from shisho.stores.subscribers import Subscribers
from shisho.telemetry import log

POLL_SECONDS = 0.02
# Poll intervals after so many seconds without a commit of another connection. Only the first notification
# after such a pause is late by the interval, too little for people to notice.
QUIET_POLLS = ((60.0, 0.2), (5.0, 0.08))
ASK_SECONDS = 2.0  # between two questions to SQLite, whatever the log looks like
# SQLite writes the log, waits for the disk, and publishes the commit only then.
SETTLE_SECONDS = 1.0
# List the events after a given one. Without GROUP BY, for which the planner would scan all events ever
# recorded, fifty times a second.
NEWS = "SELECT seq, task_id, kind FROM events WHERE seq > ? ORDER BY seq"
# Read the number of the last event.
LAST = "SELECT coalesce(max(seq), 0) FROM events"


class EmbeddedNotifier:
    """`ports.ChangeNotifier` over one SQLite file.

    Commits of this process are notified at once, those of other processes within the poll interval.
    """

    def __init__(self, database: Database, poll_seconds: float = POLL_SECONDS) -> None:
        self._database = database
        self._poll_seconds = poll_seconds
        self._local = Subscribers()
        self._listeners = 0
        self._watch: _Watch | None = None

    def notify(self, topics: Iterable[str]) -> None:
        self._local.notify(topics)

    @contextmanager
    def subscribe(self, *topics: str) -> Iterator[Subscription]:
        self._listeners += 1
        if self._watch is None:
            self._watch = _Watch(self._database, self._local, self._poll_seconds)
        try:
            with self._local.subscribe(*topics) as subscription:
                yield subscription
        finally:
            self._listeners -= 1
            if not self._listeners and self._watch is not None:
                self._watch.ended.set()
                self._watch = None

    @property
    def listening(self) -> int:
        """Number of current listeners."""
        return self._local.listening


class _Watch:
    """The polling thread. It starts before the listener reads, so no change is lost in between."""

    def __init__(self, database: Database, subscribers: Subscribers, poll_seconds: float) -> None:
        self._subscribers = subscribers
        self._loop = asyncio.get_running_loop()
        self._poll_seconds = poll_seconds
        self.ended = threading.Event()
        self._connection = database.open_reader()
        self._version = self._read_data_version()
        self._seq = self._read_last_seq()
        self._changed_at = self._asked_at = time.monotonic()
        self._log = Path(f"{database.path}-wal")
        self._log_state = (0, 0)
        self._log_changed_at = 0.0
        threading.Thread(target=self._run, name="shisho-notifier", daemon=True).start()

    def _run(self) -> None:
        while not self.ended.wait(self._pause()):
            try:
                topics = self._read_news() if self._may_have_news() else None
                if topics:
                    self._loop.call_soon_threadsafe(self._subscribers.notify, topics)
            except apsw.Error as error:  # the next poll may succeed; waiting callers read the table anyway
                log.debug("the notifier could not read changes: %s", error)
            except RuntimeError:  # the event loop has ended, and its listeners with it
                break
        self._connection.close()

    def _pause(self) -> float:
        quiet = time.monotonic() - self._changed_at
        longer = (poll for seconds, poll in QUIET_POLLS if quiet > seconds)
        return max(self._poll_seconds, next(longer, 0.0))

    def _may_have_news(self) -> bool:
        """Check the log's size and time, which a commit changes: this takes a fiftieth of SQLite's time."""
        try:
            status = self._log.stat()
            state = (status.st_mtime_ns, status.st_size)
        except OSError:
            return True
        now = time.monotonic()
        if state != self._log_state:
            self._log_state = state
            self._log_changed_at = now
        if now - self._log_changed_at > SETTLE_SECONDS and now - self._asked_at < ASK_SECONDS:
            return False
        self._asked_at = now
        return True

    def _read_news(self) -> set[str]:
        version = self._read_data_version()
        if version == self._version:
            return set()
        self._changed_at = time.monotonic()
        topics: set[str] = set()
        for event in fetch_all(self._connection.execute(NEWS, (self._seq,))):
            topics |= {event.task_id, event.kind}
            self._seq = event.seq
        self._version = version
        return topics

    def _read_data_version(self) -> int:
        return int(self._connection.pragma("data_version"))

    def _read_last_seq(self) -> int:
        return int(self._connection.execute(LAST).get)
