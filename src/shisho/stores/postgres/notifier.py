"""Change notifications across all processes and machines that share a PostgreSQL database.

Topics with listeners are sent after the commit and received on a separate connection. Polling the tasks that
have listeners finds notifications that were lost, because a process died or a pooler does not forward them.
"""

from __future__ import annotations

import asyncio
import queue
import selectors
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from uuid import uuid4
from zlib import crc32

import psycopg

from shisho.errors import ShishoError
from shisho.ports import Subscription
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.subscribers import Subscribers
from shisho.telemetry import log

PLACES = 256  # slots shared by all topics: one lock per topic would fill the server's lock table
SPACE = 19_08_09  # first key of the advisory locks; the second is the slot
SLOT_LINGER_SECONDS = 10.0  # before a slot is released: a worker listens for new jobs again and again
# Lock slots in shared mode.
TAKE = "SELECT pg_advisory_lock_shared(%(space)s, slot) FROM unnest(%(slots)s::integer[]) slot"
# Unlock them.
LEAVE = "SELECT pg_advisory_unlock_shared(%(space)s, slot) FROM unnest(%(slots)s::integer[]) slot"
# Select the slots that somebody holds.
LIST_USED_SLOTS = """SELECT slot FROM unnest(%(slots)s::integer[]) slot
    WHERE NOT pg_try_advisory_xact_lock(%(space)s, slot)"""


def compute_slot(topic: str) -> int:
    return crc32(topic.encode()) % PLACES


def select_subscribed_topics(connection: Connection, topics: Iterable[str]) -> set[str]:
    """Return the topics that may have a listener."""
    by_topic = {topic: compute_slot(topic) for topic in topics}
    values = {"space": SPACE, "slots": sorted(set(by_topic.values()))}
    taken = {row.slot for row in connection.execute(LIST_USED_SLOTS, values).fetchall()}
    return {topic for topic, slot in by_topic.items() if slot in taken}


class TopicLocks:
    """The slots of one listening connection. Any thread registers topics; one thread locks."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._wanted: dict[int, float] = {}  # slot -> time of the last registration
        self._waiting: set[str] = set()  # topics whose slots are not locked yet
        self._taken: set[int] = set()

    def want(self, topics: Iterable[str]) -> bool:
        """Register topics; return True if a slot must be locked before others can notify of it."""
        now = time.monotonic()
        with self._changing:
            for topic in topics:
                self._wanted[compute_slot(topic)] = now
                if compute_slot(topic) not in self._taken:
                    self._waiting.add(topic)
            return bool(self._waiting)

    def begin(self, connection: Connection) -> None:
        """Lock all registered slots, on a new connection."""
        with self._changing:
            self._taken = set(self._wanted)
            self._waiting.clear()
            slots = sorted(self._taken)
        connection.execute(TAKE, {"space": SPACE, "slots": slots})

    def take(self, connection: Connection) -> frozenset[str]:
        """Lock newly registered slots; return the topics of which others sent no notification until now."""
        with self._changing:
            if not self._waiting:
                return frozenset()
            topics = frozenset(self._waiting)
            self._waiting.clear()
            slots = sorted({compute_slot(topic) for topic in topics} - self._taken)
        if slots:
            connection.execute(TAKE, {"space": SPACE, "slots": slots})
        with self._changing:
            self._taken.update(slots)
        return topics

    def leave(self, connection: Connection, topics: Iterable[str]) -> None:
        """Unlock slots that belong to none of these topics and were not registered recently."""
        kept = {compute_slot(topic) for topic in topics}
        latest = time.monotonic() - SLOT_LINGER_SECONDS
        with self._changing:
            slots = [
                slot for slot in self._taken if slot not in kept and self._wanted.get(slot, 0.0) < latest
            ]
            self._taken.difference_update(slots)
            for slot in slots:
                self._wanted.pop(slot, None)
        if slots:
            connection.execute(LEAVE, {"space": SPACE, "slots": slots})


CHANNEL = "shisho"
POLL_SECONDS = 3.0
TICK_SECONDS = 0.5  # between two checks for remaining listeners
REST_SECONDS = 0.02  # between two notifications: each wakes every listening process
IDLE_SEND_SECONDS = 0.04  # between two sends while nobody listens
AGAIN_SECONDS = 1.0  # before a broken connection is reopened
BEGIN_SECONDS = 2.0  # to wait until LISTEN is active; after that, continue and wake everyone once it is
LINGER_SECONDS = 30.0  # before the thread ends after the last listener left
LONGEST = 7_000  # bytes of one notification; the server accepts 8,000
# Notify all listening processes of changed topics.
NOTIFY = "SELECT pg_notify(%(channel)s, %(topics)s)"
# Read the revisions of tasks.
REVISIONS = "SELECT id, revision FROM tasks WHERE id = ANY(%(ids)s)"


class PostgresNotifier:
    """`ports.ChangeNotifier` over one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, poll_seconds: float = POLL_SECONDS) -> None:
        self._database = database
        self._poll_seconds = poll_seconds
        self._local = Subscribers()
        self._watch: _ServerWatch | None = None
        self._name = uuid4().hex
        self._outbox: queue.SimpleQueue[frozenset[str]] = queue.SimpleQueue()
        self._sender: threading.Thread | None = None

    def notify(self, topics: Iterable[str]) -> None:
        rung = frozenset(topics)
        self._local.notify(rung)
        if rung:
            self._outbox.put(rung)
            if self._sender is None:
                self._sender = threading.Thread(target=self._send, name="shisho-sender", daemon=True)
                self._sender.start()

    @contextmanager
    def subscribe(self, *topics: str) -> Iterator[Subscription]:
        with self._local.subscribe(*topics) as subscription:
            if self._watch is None or not self._watch.want(topics):
                self._watch = _ServerWatch(self._database, self._local, self._poll_seconds, self._name)
                self._watch.await_server()
            yield subscription

    @property
    def listening(self) -> int:
        """Number of current listeners."""
        return self._local.listening

    def _send(self) -> None:
        while not self._database.is_closed:
            with suppress(queue.Empty):
                topics = set(self._outbox.get(timeout=TICK_SECONDS))
                with suppress(queue.Empty):
                    while True:  # topics that arrived during the last notification are sent together
                        topics |= self._outbox.get_nowait()
                time.sleep(REST_SECONDS if self._send_topics(topics) else IDLE_SEND_SECONDS)

    def _send_topics(self, topics: set[str]) -> bool:
        """Send topics, and return True if somebody may be listening."""
        try:
            return self._database.run(partial(_send, name=self._name, topics=topics))
        except (ShishoError, psycopg.Error) as error:  # waiting callers poll the table anyway
            log.debug("the notifier could not reach other processes: %s", error)
            return False


class _ServerWatch:
    """The thread that receives notifications for the listeners of one event loop.

    It starts before the listener reads, so no change is lost in between, and notifies all listeners after a
    reconnect. A newly registered topic is notified once after the registration is visible to other processes,
    because earlier changes were not sent.
    """

    def __init__(
        self, database: PostgresDatabase, subscribers: Subscribers, poll_seconds: float, name: str
    ) -> None:
        self._database = database
        self._subscribers = subscribers
        self._loop = asyncio.get_running_loop()
        self._poll_seconds = poll_seconds
        self._revisions: dict[str, int] = {}
        self._own = name
        self._locks = TopicLocks()
        self._locks.want(subscribers.topics)
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._is_awaited_no_more = threading.Event()
        self._ending = threading.Lock()
        self._goes_on = True
        threading.Thread(target=self._run, name="shisho-notifier", daemon=True).start()

    def await_server(self) -> None:
        """Wait until LISTEN is active, but not for long.

        A caller that continues earlier may read stale data, and is woken when LISTEN is active.
        """
        if not self._is_awaited_no_more.wait(BEGIN_SECONDS):
            self._is_awaited_no_more.set()

    def want(self, topics: Iterable[str]) -> bool:
        """Register these topics too; return False if the watch or its event loop has ended."""
        with self._ending:
            if not self._goes_on or self._loop.is_closed():
                return False
            if self._locks.want(topics):
                with suppress(OSError):  # the buffer is full, so the thread wakes anyway
                    self._waker.send(b".")
            return True

    def _end_if_idle(self, since: float) -> None:
        """End the watch if nobody has listened for `LINGER_SECONDS` since that time.

        A listener registers before it checks whether the watch is running. So it is either counted here, or
        learns that this watch has ended.
        """
        with self._ending:
            is_idle = not self._subscribers.listening and time.monotonic() - since >= LINGER_SECONDS
            self._goes_on = self._goes_on and not is_idle

    def _run(self) -> None:
        try:
            while self._goes_on and not self._database.is_closed:
                try:
                    with self._database.open_connection() as connection:
                        self._begin_listening(connection)
                except (ShishoError, psycopg.Error) as error:
                    self._is_awaited_no_more.set()  # reconnecting may take long
                    log.debug("the notifier lost the server: %s", error)
                    time.sleep(AGAIN_SECONDS)
        except RuntimeError:  # the event loop has ended, and its listeners with it
            log.debug("the event loop of the notifier is gone")
        finally:
            with self._ending:
                self._goes_on = False
                self._woken.close()
                self._waker.close()

    def _begin_listening(self, connection: Connection) -> None:
        connection.execute(f"LISTEN {CHANNEL}")
        self._locks.begin(connection)
        if self._is_awaited_no_more.is_set():
            self._notify(self._subscribers.topics)
        self._is_awaited_no_more.set()
        looked = time.monotonic()
        left = looked
        while self._goes_on and not self._database.is_closed:
            self._await(connection)
            if newly_heard := self._locks.take(connection):
                self._notify(newly_heard)
            now = time.monotonic()
            left = now if self._subscribers.listening else left
            self._end_if_idle(left)
            if now - looked > self._poll_seconds:
                looked = now
                self._notify(self._read_news(connection))
                self._locks.leave(connection, self._subscribers.topics)
            # This includes notifications that arrived with the results of these queries.
            for notice in connection.notifies(timeout=0):
                name, *topics = notice.payload.split("\n")
                if name != self._own:
                    self._notify(topics)

    def _await(self, connection: Connection) -> None:
        """Wait briefly until the server sends something or another topic is registered."""
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            ready = selector.select(TICK_SECONDS)
        if any(key.fileobj is self._woken for key, _ in ready):
            self._woken.recv(4096)

    def _read_news(self, connection: Connection) -> frozenset[str]:
        """Return tasks with a new revision since the last poll, and every topic that is not a task.

        Missed changes of other topics cannot be detected.
        """
        listened = self._subscribers.topics
        rows = connection.execute(REVISIONS, {"ids": [*listened]}).fetchall()
        revisions = {row.id: row.revision for row in rows}
        still = {topic for topic, revision in revisions.items() if self._revisions.get(topic) == revision}
        self._revisions = revisions
        return listened - still

    def _notify(self, topics: Iterable[str]) -> None:
        self._loop.call_soon_threadsafe(self._subscribers.notify, frozenset(topics))


def _send(connection: Connection, name: str, topics: Iterable[str]) -> bool:
    """Send the topics that have listeners; return False if there are none.

    A process that starts to listen only now reads everything committed before.
    """
    heard = select_subscribed_topics(connection, topics)
    if heard:
        for notice in _pack_notices(name, heard):
            connection.execute(NOTIFY, {"channel": CHANNEL, "topics": notice})
    return bool(heard)


def _pack_notices(name: str, topics: Iterable[str]) -> Iterator[str]:
    """Yield the sender's name and the topics, in as few notifications as the size limit allows."""
    notice = [name]
    length = len(name)
    for topic in sorted(topics):
        if length + len(topic.encode()) + 1 > LONGEST:
            yield "\n".join(notice)
            notice = [name]
            length = len(name)
        notice.append(topic)
        length += len(topic.encode()) + 1
    yield "\n".join(notice)
