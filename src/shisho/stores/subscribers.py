"""The listeners of one event loop, by topic, for every implementation of `ChangeNotifier`."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Subscribers:
    """The listeners in one event loop."""

    def __init__(self) -> None:
        self._by_topic: defaultdict[str, set[_Subscription]] = defaultdict(set)

    def notify(self, topics: Iterable[str]) -> None:
        for topic in topics:
            for subscription in self._by_topic.get(topic, ()):
                subscription.changed.set()

    @contextmanager
    def subscribe(self, *topics: str) -> Iterator[_Subscription]:
        subscription = _Subscription()
        for topic in topics:
            self._by_topic[topic].add(subscription)
        try:
            yield subscription
        finally:
            for topic in topics:
                self._by_topic[topic].discard(subscription)
                if not self._by_topic[topic]:
                    del self._by_topic[topic]

    @property
    def topics(self) -> frozenset[str]:
        """The topics that have listeners."""
        return frozenset(self._by_topic.copy())

    @property
    def listening(self) -> int:
        """Number of current listeners."""
        return len(set().union(*self._by_topic.copy().values()))


class _Subscription:
    __slots__ = ("changed",)

    def __init__(self) -> None:
        self.changed = asyncio.Event()

    async def wait(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self.changed.wait()
        except TimeoutError:
            return False
        self.changed.clear()
        return True
