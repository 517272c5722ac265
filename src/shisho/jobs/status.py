"""Waiting for news of a task without missing any, and guessing how long its jobs will take."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from statistics import median

from shisho.domain.job import Task, TaskId
from shisho.ports import Bell, TaskStore

UNKNOWN_SECONDS = 30.0


async def changed(tasks: TaskStore, bell: Bell, task_id: TaskId, since: int | None, seconds: float) -> Task:
    """The task as soon as its revision is not `since`, or as it is after so many seconds. None: as it is now.

    Raises TaskNotFound, also where the task is removed meanwhile.
    """
    ends = asyncio.get_running_loop().time() + seconds
    with bell.listen(task_id) as ear:
        while True:
            task = await tasks.task(task_id)
            left = ends - asyncio.get_running_loop().time()
            if task.revision != since or left <= 0:
                return task
            await ear.wait(left)


async def estimated_seconds(tasks: TaskStore, kinds: Mapping[str, int], slots: int) -> float:
    """How long so many new jobs of each kind will take on `slots` slots, by the median of the latest ones of their kind."""
    total = 0.0
    for kind, count in kinds.items():
        durations = await tasks.durations(kind)
        total += count * (median(durations) if durations else UNKNOWN_SECONDS)
    return total / max(1, min(slots, sum(kinds.values())))
