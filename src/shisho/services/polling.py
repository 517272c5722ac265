"""Waiting for a condition of a task."""

from __future__ import annotations

import asyncio

from shisho.domain.job import ENDED_TASK, TaskId, TaskNews, TaskState
from shisho.domain.task import WaitCondition
from shisho.ports import Reports
from shisho.services.task_parts import TaskParts


async def poll(
    parts: TaskParts, task_id: TaskId, since: int | None, seconds: float, wait_for: WaitCondition
) -> TaskNews:
    """Return the task when it meets the condition, or after the timeout.

    Without `since`, changes count from the call; a task without jobs is returned at once.
    """
    ends = asyncio.get_running_loop().time() + seconds
    news = await parts.watch(task_id, None, 0)
    if since is None and news.task.state is TaskState.CREATED:
        return news
    since = news.task.revision if since is None else since
    while not await _meets(parts.reports, news, since, wait_for):
        remaining = ends - asyncio.get_running_loop().time()
        if remaining <= 0:
            break
        news = await parts.watch(task_id, news.task.revision, remaining)
    return news


async def _meets(reports: Reports, news: TaskNews, since: int, wait_for: WaitCondition) -> bool:
    state = news.task.state
    if state in ENDED_TASK or (wait_for is not WaitCondition.CHANGE and state is not TaskState.RUNNING):
        return True
    if wait_for is WaitCondition.DONE or news.task.revision == since:
        return False
    return wait_for is WaitCondition.CHANGE or await news.make_once(
        ("outcome", since), lambda: reports.has_outcome(news.task.id, since)
    )
