"""Which workers are alive, among those of one process."""

from __future__ import annotations

from collections.abc import Iterable

from shisho.domain.job import WorkerId


class MemoryPresence:
    """`ports.Presence` in a set, which all who share it pass on: `alive`."""

    def __init__(self, alive: set[WorkerId] | None = None) -> None:
        self._alive = set() if alive is None else alive

    def register(self, worker_id: WorkerId) -> None:
        self._alive.add(worker_id)

    def deregister(self, worker_id: WorkerId) -> None:
        self._alive.discard(worker_id)

    def find_gone(self, worker_ids: Iterable[WorkerId]) -> frozenset[WorkerId]:
        return frozenset(worker_ids) - self._alive
