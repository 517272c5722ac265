"""The store of what waits for a person, in a queue that keeps nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from shisho.domain.event import EventFacts, EventKind
from shisho.domain.intervention import (
    AuthTarget,
    HumanChallenge,
    InterventionState,
    PendingIntervention,
    find_together,
    news,
    select_interventions,
)
from shisho.domain.job import JobState, TaskId
from shisho.stores.memory.transitions import SharedQueue

Chosen = Callable[[PendingIntervention], bool]


class MemoryInterventions:
    """`ports.Interventions` in dictionaries."""

    def __init__(self, shared: SharedQueue) -> None:
        self._shared = shared
        self._announced: set[str] = set()

    async def list_waiting(self, owner: str, task_id: TaskId | None = None) -> Sequence[PendingIntervention]:
        return self._chosen(owner, lambda intervention: task_id in (None, intervention.task_id))

    async def find_pending(self, owner: str, engine: str) -> HumanChallenge | None:
        interventions = self._chosen(owner, lambda intervention: intervention.engine == engine)
        return interventions[-1].met if interventions else None

    async def mark(
        self, owner: str, target: AuthTarget, name: str, state: InterventionState
    ) -> Sequence[PendingIntervention]:
        interventions = self._group(owner, select_interventions(target, name))
        for intervention in interventions:
            self._shared.waiting[intervention.job_id] = replace(intervention, state=state)
            self._shared.record_event(
                self._shared.jobs[intervention.job_id],
                EventKind.PERSON,
                EventFacts(person=state, domain=intervention.domain),
            )
        return interventions

    async def complete(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        return self._freed(self._group(owner, select_interventions(target, name)))

    async def skip(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        interventions = self._chosen(owner, select_interventions(target, name))
        for intervention in interventions:
            self._shared.record_release(
                self._shared.jobs[intervention.job_id], JobState.COMPLETED, InterventionState.SKIPPED
            )
        return interventions

    async def list_solved(self, owner: str, engine: str) -> Sequence[PendingIntervention]:
        return self._freed(self._group(owner, lambda intervention: intervention.engine == engine))

    async def take_unannounced(self, owner: str) -> Sequence[PendingIntervention]:
        interventions = self._chosen(owner, lambda intervention: True)
        new = news(interventions, self._announced)
        self._announced |= {intervention.id for intervention in interventions}
        return new

    def _chosen(self, owner: str, choose: Chosen) -> list[PendingIntervention]:
        own_interventions = [
            intervention
            for intervention in self._shared.waiting.values()
            if self._shared.tasks[intervention.task_id].owner == owner
        ]
        return sorted(
            filter(choose, own_interventions),
            key=lambda intervention: (intervention.since, intervention.id),
        )

    def _group(self, owner: str, choose: Chosen) -> list[PendingIntervention]:
        return find_together(self._chosen(owner, lambda intervention: True), choose)

    def _freed(self, interventions: Sequence[PendingIntervention]) -> Sequence[PendingIntervention]:
        for intervention in interventions:
            self._shared.record_release(
                self._shared.jobs[intervention.job_id],
                JobState.QUEUED,
                InterventionState.COMPLETED,
                output=None,
            )
        return interventions
