"""The store of what waits for a person, in a queue that keeps nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from shisho.domain.intervention import (
    AuthTarget,
    HumanChallenge,
    InterventionState,
    PendingIntervention,
    news,
    select_interventions,
    together,
)
from shisho.domain.job import PERSON, JobState, TaskId
from shisho.stores.memory.transitions import SharedQueue

Chosen = Callable[[PendingIntervention], bool]


class MemoryInterventions:
    """`ports.Interventions` in dictionaries."""

    def __init__(self, shared: SharedQueue) -> None:
        self._shared = shared
        self._announced: set[str] = set()

    async def waiting(self, owner: str, task_id: TaskId | None = None) -> Sequence[PendingIntervention]:
        return self._chosen(owner, lambda one: task_id in (None, one.task_id))

    async def pending(self, owner: str, engine: str) -> HumanChallenge | None:
        found = self._chosen(owner, lambda one: one.engine == engine)
        return found[-1].met if found else None

    async def mark(self, owner: str, target: AuthTarget, name: str, state: InterventionState) -> Sequence[PendingIntervention]:
        found = self._group(owner, select_interventions(target, name))
        for one in found:
            self._shared.waiting[one.job_id] = replace(one, state=state)
            self._shared.happened(self._shared.jobs[one.job_id], PERSON, {"state": state, "domain": one.domain})
        return found

    async def complete(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        return self._freed(self._group(owner, select_interventions(target, name)))

    async def skip(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        found = self._chosen(owner, select_interventions(target, name))
        for one in found:
            self._shared.released(self._shared.jobs[one.job_id], JobState.COMPLETED, InterventionState.SKIPPED)
        return found

    async def solved(self, owner: str, engine: str) -> Sequence[PendingIntervention]:
        return self._freed(self._group(owner, lambda one: one.engine == engine))

    async def unannounced(self, owner: str) -> Sequence[PendingIntervention]:
        held = self._chosen(owner, lambda one: True)
        new = news(held, self._announced)
        self._announced |= {one.id for one in held}
        return new

    def _chosen(self, owner: str, chosen: Chosen) -> list[PendingIntervention]:
        mine = [one for one in self._shared.waiting.values() if self._shared.tasks[one.task_id].owner == owner]
        return sorted(filter(chosen, mine), key=lambda one: (one.since, one.id))

    def _group(self, owner: str, chosen: Chosen) -> list[PendingIntervention]:
        return together(self._chosen(owner, lambda one: True), chosen)

    def _freed(self, found: Sequence[PendingIntervention]) -> Sequence[PendingIntervention]:
        for one in found:
            self._shared.released(self._shared.jobs[one.job_id], JobState.QUEUED, InterventionState.COMPLETED, output=None)
        return found
