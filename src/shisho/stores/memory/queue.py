"""All sides of one queue that keeps nothing: for tests, and for one process that lives as long as its
work."""

from __future__ import annotations

from shisho.ports import Bell, Clock
from shisho.stores.memory.interventions import MemoryInterventions
from shisho.stores.memory.jobs import MemoryJobs
from shisho.stores.memory.quotas import MemoryQuotas
from shisho.stores.memory.tasks import MemoryTasks
from shisho.stores.memory.transitions import SharedQueue


def memory_queue(
    clock: Clock, bell: Bell, quotas: MemoryQuotas | None = None
) -> tuple[MemoryJobs, MemoryTasks, MemoryInterventions]:
    """All sides of one queue."""
    shared = SharedQueue(clock, bell, quotas=quotas)
    return MemoryJobs(shared), MemoryTasks(shared), MemoryInterventions(shared)
