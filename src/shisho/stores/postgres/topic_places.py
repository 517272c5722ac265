"""Registration of listeners on all machines, as advisory locks on the server.

Each topic hashes to a slot (a `place` in the code). A listener's connection holds the slots of its topics in
shared mode; if a slot can be locked exclusively, nobody listens to it. Nothing is written, and a dead
listener holds no locks.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from zlib import crc32

from shisho.stores.postgres.pool import Connection

PLACES = 256  # slots shared by all topics: one lock per topic would fill the server's lock table
SPACE = 19_08_09  # first key of the advisory locks; the second is the slot
LINGER_SECONDS = 10.0  # before a slot is released: a worker listens for new jobs again and again
# Lock slots in shared mode.
TAKE = "SELECT pg_advisory_lock_shared(%(space)s, place) FROM unnest(%(places)s::integer[]) place"
# Unlock them.
LEAVE = "SELECT pg_advisory_unlock_shared(%(space)s, place) FROM unnest(%(places)s::integer[]) place"
# Select the slots that somebody holds.
TAKEN = """SELECT place FROM unnest(%(places)s::integer[]) place
    WHERE NOT pg_try_advisory_xact_lock(%(space)s, place)"""


def place_of(topic: str) -> int:
    return crc32(topic.encode()) % PLACES


def select_heard_topics(connection: Connection, topics: Iterable[str]) -> set[str]:
    """Return the topics that may have a listener."""
    by_topic = {topic: place_of(topic) for topic in topics}
    values = {"space": SPACE, "places": sorted(set(by_topic.values()))}
    taken = {row.place for row in connection.execute(TAKEN, values).fetchall()}
    return {topic for topic, place in by_topic.items() if place in taken}


class TopicPlaces:
    """The slots of one listening connection. Any thread registers topics; one thread locks."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._wanted: dict[int, float] = {}  # slot -> time of the last registration
        self._waiting: set[str] = set()  # topics whose slots are not locked yet
        self._taken: set[int] = set()

    def want(self, topics: Iterable[str]) -> bool:
        """Register topics; return True if a slot must be locked before others ring for it."""
        now = time.monotonic()
        with self._changing:
            for topic in topics:
                self._wanted[place_of(topic)] = now
                if place_of(topic) not in self._taken:
                    self._waiting.add(topic)
            return bool(self._waiting)

    def begin(self, connection: Connection) -> None:
        """Lock all registered slots, on a new connection."""
        with self._changing:
            self._taken = set(self._wanted)
            self._waiting.clear()
            places = sorted(self._taken)
        connection.execute(TAKE, {"space": SPACE, "places": places})

    def take(self, connection: Connection) -> frozenset[str]:
        """Lock newly registered slots; return the topics that others did not ring until now."""
        with self._changing:
            if not self._waiting:
                return frozenset()
            topics = frozenset(self._waiting)
            self._waiting.clear()
            places = sorted({place_of(topic) for topic in topics} - self._taken)
        if places:
            connection.execute(TAKE, {"space": SPACE, "places": places})
        with self._changing:
            self._taken.update(places)
        return topics

    def leave(self, connection: Connection, topics: Iterable[str]) -> None:
        """Unlock slots that belong to none of these topics and were not registered recently."""
        kept = {place_of(topic) for topic in topics}
        latest = time.monotonic() - LINGER_SECONDS
        with self._changing:
            places = [
                place for place in self._taken if place not in kept and self._wanted.get(place, 0.0) < latest
            ]
            self._taken.difference_update(places)
            for place in places:
                self._wanted.pop(place, None)
        if places:
            connection.execute(LEAVE, {"space": SPACE, "places": places})
