"""The listeners of one event loop, by topic, for every implementation of the bell."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Ears:
    """The listeners in one event loop."""

    def __init__(self) -> None:
        self._ears: defaultdict[str, set[_Ear]] = defaultdict(set)

    def ring(self, topics: Iterable[str]) -> None:
        for topic in topics:
            for ear in self._ears.get(topic, ()):
                ear.rang.set()

    @contextmanager
    def listen(self, *topics: str) -> Iterator[_Ear]:
        ear = _Ear()
        for topic in topics:
            self._ears[topic].add(ear)
        try:
            yield ear
        finally:
            for topic in topics:
                self._ears[topic].discard(ear)
                if not self._ears[topic]:
                    del self._ears[topic]

    @property
    def topics(self) -> frozenset[str]:
        """The topics that have listeners."""
        return frozenset(self._ears.copy())

    @property
    def listening(self) -> int:
        """Number of current listeners."""
        return len(set().union(*self._ears.copy().values()))


class _Ear:
    __slots__ = ("rang",)

    def __init__(self) -> None:
        self.rang = asyncio.Event()

    async def wait(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self.rang.wait()
        except TimeoutError:
            return False
        self.rang.clear()
        return True
