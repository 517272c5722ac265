"""Which topics anybody on any machine listens to, as locks on the server: a listener's connection holds the
places of its topics in common, and a place that can be had alone is nobody's. Nothing is written, and a dead
listener holds nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from zlib import crc32

from shisho.stores.postgres.pool import Connection

PLACES = 256  # topics share them: a lock each would fill the server's table of locks
SPACE = 19_08_09  # advisory locks of two numbers: this one, and the place
LINGER_SECONDS = 10.0  # a worker listens for new jobs again and again
# Take places in common with others.
TAKE = "SELECT pg_advisory_lock_shared(%(space)s, place) FROM unnest(%(places)s::integer[]) place"
# Let them go.
LEAVE = "SELECT pg_advisory_unlock_shared(%(space)s, place) FROM unnest(%(places)s::integer[]) place"
# Those of these places that somebody has taken.
TAKEN = """SELECT place FROM unnest(%(places)s::integer[]) place
    WHERE NOT pg_try_advisory_xact_lock(%(space)s, place)"""


def place_of(topic: str) -> int:
    return crc32(topic.encode()) % PLACES


def select_heard_topics(connection: Connection, topics: Iterable[str]) -> set[str]:
    """Those of these topics that somebody may listen to."""
    by_topic = {topic: place_of(topic) for topic in topics}
    values = {"space": SPACE, "places": sorted(set(by_topic.values()))}
    taken = {row.place for row in connection.execute(TAKEN, values).fetchall()}
    return {topic for topic, place in by_topic.items() if place in taken}


class TopicPlaces:
    """The places of one listening connection. Any thread may want topics; one thread moves the locks."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._wanted: dict[int, float] = {}  # when last
        self._waiting: set[str] = set()  # topics whose places are not taken yet
        self._taken: set[int] = set()

    def want(self, topics: Iterable[str]) -> bool:
        """True where a place has to be taken first: until then others do not ring for it."""
        now = time.monotonic()
        with self._changing:
            for topic in topics:
                self._wanted[place_of(topic)] = now
                if place_of(topic) not in self._taken:
                    self._waiting.add(topic)
            return bool(self._waiting)

    def begin(self, connection: Connection) -> None:
        """Take all that is wanted, on a connection that is new."""
        with self._changing:
            self._taken = set(self._wanted)
            self._waiting.clear()
            places = sorted(self._taken)
        connection.execute(TAKE, {"space": SPACE, "places": places})

    def take(self, connection: Connection) -> frozenset[str]:
        """Take what is wanted. Returns the topics for which nobody else has rung until now."""
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
        """Let go what is in none of these topics and was not wanted lately."""
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
